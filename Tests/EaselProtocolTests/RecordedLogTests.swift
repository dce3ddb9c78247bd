import EaselCore
import EaselProtocol
import Foundation
import Testing

@Suite("The recorded log, which the wasm build replays too")
struct RecordedLogTests {
    @Test("each commit gives the digest that was recorded with it, so encoding, apply and digest are unchanged")
    func replay() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Wasm/recorded.cbor")
        let bytes = [UInt8](try Data(contentsOf: file))
        var canvas = Canvas()
        var encoded: [UInt8] = []
        for message in try ServerMessage.decodeAll(bytes) {
            guard case .commits(let run) = message, let commit = run.commits.first, run.commits.count == 1 else {
                Issue.record("the log holds commits only")
                return
            }
            _ = canvas.apply(commit)
            try #require(canvas.digest == run.digest, "revision \(commit.revision)")
            encoded += message.encode()
        }
        #expect(canvas.revision >= 400)
        #expect(encoded == bytes)
        canvas.checkInvariants()
    }
}
