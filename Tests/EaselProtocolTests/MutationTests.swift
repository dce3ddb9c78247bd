import EaselCore
import EaselProtocol
import Testing

/// Damaged and hostile bytes: decoders return or throw, and what they return can be used.
@Suite("Mutated bytes")
struct MutationTests {
    private func mutated(_ original: [UInt8], with other: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var result = original
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            guard !result.isEmpty else { break }
            let index = Int.random(in: 0..<result.count, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: result[index] = UInt8.random(in: 0...255, using: &random)
            case 1: result[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: result.insert(UInt8.random(in: 0...255, using: &random), at: index)
            case 3: result.remove(at: index)
            case 4: result.removeSubrange(index...)
            case 5:
                let length = min(Int.random(in: 1...8, using: &random), result.count - index)
                result.insert(contentsOf: result[index..<index + length], at: index)
            case 6: result[index] = [0x9B, 0xBB, 0x7B, 0x5B, 0x1B, 0xFB, 0xF6, 0x80].randomElement(using: &random) ?? 0
            default:
                guard !other.isEmpty else { break }
                let start = Int.random(in: 0..<other.count, using: &random)
                let length = min(Int.random(in: 1...16, using: &random), other.count - start)
                result.replaceSubrange(index..<min(index + length, result.count), with: other[start..<start + length])
            }
        }
        return result
    }

    @Test("CB-11 no mutated message of a client traps the decoder, and what is accepted is written in the same bytes")
    func clientMessages() {
        var random = SplitMix64(seed: 1)
        let encoded = Sample.clientMessages.map { $0.encode() }
        var accepted = 0
        for round in 0..<20_000 {
            let message = mutated(
                encoded[round % encoded.count], with: encoded.randomElement(using: &random) ?? [], &random)
            guard let read = try? ClientMessage.decodeAll(message) else { continue }
            accepted += 1
            // Surplus elements are dropped when written again; without them the bytes agree.
            let again = read.flatMap { $0.encode() }
            #expect(again == message || again.count < message.count)
            #expect((try? ClientMessage.decodeAll(again)) == read)
            for case .submit(let submission) in read where submission.transaction.flaw == nil {
                var canvas = Canvas()
                _ = canvas.apply(submission.transaction.operations)
                canvas.checkInvariants()
            }
        }
        #expect(accepted > 100)
    }

    @Test("CB-11 no mutated message of a server traps the decoder, and its commits can be applied")
    func serverMessages() {
        var random = SplitMix64(seed: 2)
        let encoded = Sample.serverMessages.map { $0.encode() }
        var applied = 0
        for round in 0..<20_000 {
            let message = mutated(
                encoded[round % encoded.count], with: encoded.randomElement(using: &random) ?? [], &random)
            guard let read = try? ServerMessage.decodeAll(message) else { continue }
            for case .commits(let run) in read {
                var canvas = Canvas()
                for commit in run.commits { _ = canvas.apply(commit.transaction.operations) }
                canvas.checkInvariants()
                applied += 1
            }
        }
        #expect(applied > 10)
    }

    @Test("SN-06 no mutated snapshot traps the decoder, and what is accepted is the canvas that was written")
    func snapshots() {
        var random = SplitMix64(seed: 3)
        let canvases = [
            SnapshotSample.small, SnapshotSample.texts, SnapshotSample.purged,
            SnapshotSample.random(seed: 4, operations: 60),
        ]
        let encoded = canvases.map { Snapshot.encode($0) }
        for round in 0..<20_000 {
            let original = encoded[round % encoded.count]
            let bytes = mutated(original, with: encoded.randomElement(using: &random) ?? [], &random)
            guard let canvas = try? Snapshot.decode(bytes) else { continue }
            #expect(canvas.digest == canvases[round % canvases.count].digest)
            #expect(Snapshot.encode(canvas) == bytes)
        }
    }

    @Test("CB-11 random bytes trap no decoder")
    func noise() {
        var random = SplitMix64(seed: 5)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...64, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = try? ClientMessage.decodeAll(bytes)
            _ = try? ServerMessage.decodeAll(bytes)
            _ = try? Snapshot.decode(bytes)
            _ = try? Transaction.decode(bytes)
        }
    }
}
