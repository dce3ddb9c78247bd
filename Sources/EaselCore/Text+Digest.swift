extension Text {
    // The digest of a text is the sum, modulo 2^64, over its characters, hidden ones included, of XXH64 (seed 0) over
    // seven little-endian 64-bit words: site, number, scalar + 2^32 × causes, site and number of the character in
    // front of it in the sequence, site and number of its left origin (0 and 0 for none). Naming the character in front
    // makes the order count; a sum makes an edit cost only the characters it touches.
    //
    // A purged character counts with the scalar 0 and the cause 4. If its left origin stands in front of it and has the number
    // before its own, it counts with P(number) - P(number - 1) instead, P being XXH64 (seed 0) over site and number. Sums of
    // these telescope, so a purged run costs the same however long it is: a few bytes of a snapshot can name very many.

    private static func hash(
        _ id: CharacterID, _ scalar: UInt32, _ causes: HiddenCauses, previous: CharacterID?, origin: CharacterID?
    ) -> UInt64 {
        let words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
            id.site.rawValue.littleEndian, id.counter.littleEndian,
            (UInt64(scalar) | UInt64(causes.rawValue) << 32).littleEndian,
            (previous?.site.rawValue ?? 0).littleEndian, (previous?.counter ?? 0).littleEndian,
            (origin?.site.rawValue ?? 0).littleEndian, (origin?.counter ?? 0).littleEndian
        )
        return withUnsafeBytes(of: words) { XXH64.hash($0, seed: 0) }
    }

    private static func hash(purged id: CharacterID, previous: CharacterID?, origin: CharacterID?) -> UInt64 {
        if let origin, origin == previous, origin.site == id.site, origin.counter + 1 == id.counter {
            return point(id) &- point(origin)
        }
        return hash(id, 0, .purged, previous: previous, origin: origin)
    }

    private static func point(_ id: CharacterID) -> UInt64 {
        let words = (id.site.rawValue.littleEndian, id.counter.littleEndian)
        return withUnsafeBytes(of: words) { XXH64.hash($0, seed: 0) }
    }

    /// The sum over the characters of a run whose first stands behind `previous`. O(1) for a purged run.
    func hash(of run: Run, _ scalars: [UInt32], previous: CharacterID?) -> UInt64 {
        if run.isPurged {
            let first = Self.hash(purged: run.first, previous: previous, origin: run.origin)
            return first &+ Self.point(run.last) &- Self.point(run.first)
        }
        var sum: UInt64 = 0
        var id = run.first
        var previous = previous
        var origin = run.origin
        for scalar in scalars {
            sum &+= Self.hash(id, scalar, run.causes, previous: previous, origin: origin)
            previous = id
            origin = id
            id = id.advanced(by: 1)
        }
        return sum
    }

    /// The hash of one character that stands behind `previous`.
    func hash(_ place: Place, previous: CharacterID?) -> UInt64 {
        let chunk = chunks[place.chunk]
        let run = chunk.runs[place.run]
        let id = run.first.advanced(by: place.offset)
        let origin = place.offset == 0 ? run.origin : run.first.advanced(by: place.offset - 1)
        if run.isPurged { return Self.hash(purged: id, previous: previous, origin: origin) }
        let scalar = chunk.scalars[Self.start(of: place.run, in: chunk) + place.offset]
        return Self.hash(id, scalar, run.causes, previous: previous, origin: origin)
    }

    /// Traps unless the representation obeys its laws; linear, for tests.
    func checkInvariants() {
        var total = 0
        var visible = 0
        var purged = 0
        var sum: UInt64 = 0
        var previous: CharacterID?
        precondition(positions.count == chunks.count, "each chunk number has a position")
        for (index, chunk) in chunks.enumerated() {
            precondition(chunkIndex(chunk.number) == index, "the position of a chunk number is that of its chunk")
            precondition(!chunk.runs.isEmpty, "a chunk has runs")
            precondition(chunk.runs.count <= Self.chunkRuns, "a chunk has few runs")
            precondition(chunk.scalars.count <= Self.chunkScalars, "a chunk has few characters")
            precondition(chunk.firstOrigin == firstOrigin(of: chunk.runs), "the first origin of a chunk")
            var start = 0
            var visibleHere = 0
            for run in chunk.runs {
                precondition(run.count > 0, "a run has characters")
                precondition(!run.isPurged || run.causes == .purged, "a purged character has no other cause")
                let scalars = Array(chunk.scalars[start..<start + run.scalarCount])
                sum &+= hash(of: run, scalars, previous: previous)
                previous = run.last
                start += run.scalarCount
                total += run.count
                if run.isPurged { purged += run.count }
                if run.isVisible { visibleHere += run.count }
                for id in [run.first, run.last] {
                    precondition(place(of: id)?.chunk == index, "the index leads to each character's chunk")
                }
            }
            precondition(start == chunk.scalars.count && visibleHere == chunk.visibleCount, "counts of a chunk")
            visible += visibleHere
        }
        chunkOfRun.forEach { id, number in
            precondition(place(of: id).map { chunks[$0.chunk].number } == number, "index entries name characters")
            return true
        }
        precondition(total == count && visible == visibleCount && purged == purgedCount, "counts of a text")
        precondition(sum == digest, "the digest is the sum over the characters")
    }
}
