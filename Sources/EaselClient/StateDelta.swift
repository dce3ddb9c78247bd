import EaselCore

/// What leads from one saved state to the next: parts of the old bytes, and bytes between them.
///
/// Of a history of thousands of actions an edit changes one, so most of a state is the same as before, shifted by a little. Where
/// the bytes differ, the next place is looked for at which they agree again, some way ahead. Whatever is found, applying it
/// gives the new bytes; that more could be shared only makes it longer.
enum StateDelta {
    private enum Limit {
        /// Bytes that have to agree for a place to be taken as the same.
        static let block = 24
        /// How far bytes are looked for in place, before they are looked for elsewhere.
        static let inPlace = 32
        /// How far behind and ahead in the old bytes they are looked for.
        static let behind = 4 * 1024
        static let ahead = 128 * 1024
    }

    /// A part of the old bytes, and new ones behind it.
    private struct Piece {
        let start: Int
        let count: Int
        let literal: Range<Int>
    }

    /// The bytes that ``apply(_:to:)`` makes `new` of. Linear in the bytes.
    static func make(from old: [UInt8], to new: [UInt8]) -> [UInt8] {
        var pieces: [Piece] = []
        // What comes before the first place that agrees stands behind an empty part.
        var (start, count, literal) = (0, 0, 0)
        var next = (old: 0, new: 0)
        while next.new < new.count, let place = agreement(old, new, from: next) {
            pieces.append(Piece(start: start, count: count, literal: literal..<place.new))
            (start, count) = (place.old, common(old, new, place))
            next = (place.old + count, place.new + count)
            literal = next.new
        }
        pieces.append(Piece(start: start, count: count, literal: literal..<new.count))
        var encoder = CBOREncoder()
        encoder.array(3 * pieces.count)
        for piece in pieces {
            encoder.unsigned(UInt64(piece.start))
            encoder.unsigned(UInt64(piece.count))
            encoder.byteString(Array(new[piece.literal]))
        }
        return encoder.bytes
    }

    /// The new bytes, or nil if `delta` does not fit the old ones.
    static func apply(_ delta: [UInt8], to old: [UInt8]) -> [UInt8]? {
        var decoder = CBORDecoder(delta)
        var new: [UInt8] = []
        new.reserveCapacity(old.count + delta.count)
        do throws(DecodingError) {
            let fields = try decoder.array()
            guard fields % 3 == 0 else { return nil }
            for _ in 0..<fields / 3 {
                let start = try decoder.unsigned(in: 0...UInt64(old.count))
                let count = try decoder.unsigned(in: 0...UInt64(old.count) - start)
                new += old[Int(start)..<Int(start + count)]
                new += try decoder.byteString()
            }
        } catch {
            return nil
        }
        return decoder.isAtEnd ? new : nil
    }

    // MARK: Looking

    /// How many bytes agree from a place on.
    private static func common(_ old: [UInt8], _ new: [UInt8], _ place: (old: Int, new: Int)) -> Int {
        let most = min(old.count - place.old, new.count - place.new)
        return old.withUnsafeBytes { old in
            new.withUnsafeBytes { new in
                var count = 0
                while most - count >= 8 {
                    let left = old.loadUnaligned(fromByteOffset: place.old + count, as: UInt64.self)
                    if left != new.loadUnaligned(fromByteOffset: place.new + count, as: UInt64.self) { break }
                    count += 8
                }
                while count < most, old[place.old + count] == new[place.new + count] { count += 1 }
                return count
            }
        }
    }

    /// The next place from which a block agrees: first with the new bytes in the place of the old ones, then shifted.
    private static func agreement(
        _ old: [UInt8], _ new: [UInt8], from place: (old: Int, new: Int)
    ) -> (old: Int, new: Int)? {
        let least = min(Limit.block, new.count - place.new)
        for step in 0..<Limit.inPlace {
            let next = (old: place.old + step, new: place.new + step)
            guard next.old < old.count, next.new < new.count else { break }
            if common(old, new, next) >= least { return next }
        }
        guard new.count - place.new >= Limit.block else { return nil }
        let blocks = blocks(of: old, around: place.old)
        for position in place.new...(new.count - Limit.block) {
            guard let start = blocks[hash(new, position)] else { continue }
            var found = (old: start, new: position)
            if common(old, new, found) < Limit.block { continue }
            while found.old > 0, found.new > place.new, old[found.old - 1] == new[found.new - 1] {
                found = (found.old - 1, found.new - 1)
            }
            return found
        }
        return nil
    }

    /// Where the blocks around a place start, by their hashes; of equal ones the first.
    private static func blocks(of old: [UInt8], around place: Int) -> [UInt64: Int] {
        var blocks: [UInt64: Int] = [:]
        var start = max(0, place - Limit.behind)
        let end = min(old.count, place + Limit.ahead)
        while end - start >= Limit.block {
            let hash = hash(old, start)
            if blocks[hash] == nil { blocks[hash] = start }
            start += Limit.block
        }
        return blocks
    }

    private static func hash(_ bytes: [UInt8], _ start: Int) -> UInt64 {
        bytes.withUnsafeBytes { bytes in
            let first = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            let second = bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)
            let third = bytes.loadUnaligned(fromByteOffset: start + 16, as: UInt64.self)
            return first &* 0x9E37_79B9_7F4A_7C15 ^ second &* 0xC2B2_AE3D_27D4_EB4F ^ third &* 0x1656_67B1_9E37_79F9
        }
    }
}
