import EaselCore

/// The barest way of doing what is measured: what the figures of the pure parts are compared with.
enum BareWork {
    /// Copying so many bytes, nanoseconds. Source and target move, as those of messages do.
    static func copy(bytes count: Int) -> Reference {
        let source = [UInt8](repeating: 1, count: max(1 << 20, count))
        var target = [UInt8](repeating: 0, count: source.count)
        let copies = max(1, min(1_000, (1 << 26) / max(1, count)))
        let places = (source.count - count) / 64 + 1
        let time = target.withUnsafeMutableBytes { target in
            source.withUnsafeBytes { source in
                Measurement.nanoseconds(each: copies) {
                    for index in 0..<copies {
                        let bytes = index % places * 64..<index % places * 64 + count
                        UnsafeMutableRawBufferPointer(rebasing: target[bytes]).copyMemory(
                            from: UnsafeRawBufferPointer(rebasing: source[bytes]))
                    }
                }
            }
        }
        return Reference(name: "copying its \(count) bytes", value: time)
    }

    /// Setting two integers of a shape in a dictionary of all shapes of a drawing, nanoseconds; in the order in which its moves come.
    static func dictionaryUpdate(of drawing: Drawing) -> Reference {
        var places: [ShapeID: (x: Int64, y: Int64)] = [:]
        for id in drawing.shapes { places[id] = (0, 0) }
        let count = 1_000
        let time = Measurement.nanoseconds(each: count, { drawing.moved(count, round: $0) }) { ids in
            for (index, id) in ids.enumerated() { places[id] = (Int64(index), Int64(index)) }
        }
        precondition(places.count == drawing.shapes.count, "the shapes are those of the drawing")
        return Reference(name: "a dictionary update", value: time)
    }

    /// Putting a number into the middle of an array of so many, nanoseconds.
    static func arrayInsertion(into count: Int) -> Reference {
        var characters = [UInt32](repeating: 1, count: count)
        let insertions = 1_000
        characters.reserveCapacity(count + insertions)
        let time = Measurement.nanoseconds(each: insertions) {
            for index in 0..<insertions { characters.insert(2, at: count / 2 + index) }
            characters.removeLast(insertions)
        }
        return Reference(name: "an insertion into an array of \(count)", value: time)
    }
}
