import EaselCore
import EaselProtocol
import Testing

@Suite("Messages about versions, at their edges")
struct VersionMessageTests {
    private let welcome = Welcome(
        site: site(7), secret: 5, epoch: 99, revision: 41, lastSequence: 0, role: .editor, catchup: .commits)

    private func with(_ horizon: Revision?) -> Welcome {
        Welcome(
            site: welcome.site, secret: welcome.secret, epoch: welcome.epoch, revision: welcome.revision,
            lastSequence: welcome.lastSequence, role: welcome.role, catchup: welcome.catchup, horizon: horizon)
    }

    @Test("VS-06 a welcome with a horizon, without one, and with elements of later versions behind either")
    func horizon() throws {
        for horizon: Revision? in [nil, 0, 12, Limits.counter] {
            var encoded = ServerMessage.welcome(with(horizon)).encode()
            #expect(try ServerMessage.decode(encoded) == .welcome(with(horizon)))
            encoded[0] += 1
            #expect(try ServerMessage.decode(encoded + bytes("63616263")) == .welcome(with(horizon)))
        }
        var beyond = ServerMessage.welcome(welcome).encode()
        beyond[0] += 1
        let read = outcome { () throws(DecodingError) in
            try ServerMessage.decode(beyond + bytes("1b0020000000000000"))
        }
        #expect(read == .failure(.outOfRange))
    }

    @Test("MSG-20 MSG-21 names of versions are 1 to 128 bytes, revisions to be named begin at 1")
    func names() {
        let long = String(repeating: "n", count: 129)
        let wrong: [ClientMessage] = [
            .look(Look(canvas: canvasID("plan"), name: "Ada", at: .version(long))),
            .look(Look(canvas: canvasID("plan"), name: "Ada", at: .revision(1 << 53))),
            .versions(VersionRequest(tag: 1, change: .add(name: long, revision: nil))),
            .versions(VersionRequest(tag: 1, change: .remove(name: ""))),
            .versions(VersionRequest(tag: 1, change: .add(name: "a", revision: 0))),
            .versions(VersionRequest(tag: 1 << 53, change: .none)),
        ]
        for message in wrong { #expect((try? ClientMessage.decode(message.encode())) == nil, "\(message)") }
    }

    @Test("MSG-22 a full list of versions fits into one frame, and a longer one is not taken")
    func fullList() throws {
        func answer(_ count: Int) -> ServerMessage {
            let name = String(repeating: "n", count: 124)
            let author = String(repeating: "a", count: 64)
            let versions = (0..<count).map {
                NamedVersion(
                    name: name + "\(1_000 + $0)", revision: Limits.counter, time: Limits.counter, author: author)
            }
            return .versions(VersionAnswer(tag: Limits.counter, .success(versions)))
        }
        let full = answer(Limits.versionsPerCanvas)
        #expect(full.encode().count <= ProtocolLimits.frameBytes)
        #expect(try ServerMessage.decode(full.encode()) == full)
        #expect((try? ServerMessage.decode(answer(Limits.versionsPerCanvas + 1).encode())) == nil)
    }

    @Test("MSG-17 a version refusal of an unknown code counts as one that storage caused")
    func unknownCode() throws {
        let message = try ServerMessage.decode(bytes("83 1819 04 1863"))
        #expect(message == .versions(VersionAnswer(tag: 4, .failure(.storageUnavailable))))
    }
}
