import EaselCore
import EaselProtocol
import EaselServerEngine
import EaselStorage
import EaselSupport
import EaselTransport

/// A session that looks at one revision of a canvas: it is sent a welcome and a snapshot, and takes part in nothing.
///
/// Unchecked, because its mutable members are touched on the loop's thread only; what runs elsewhere posts its results to the loop.
final class LookSession: @unchecked Sendable {
    private let look: Look
    private let hub: Hub
    private weak var connection: ServerConnection?
    /// What is still to be sent, the next last.
    private var payloads: [SharedPayload] = []

    init(_ look: Look, connection: ServerConnection, hub: Hub) {
        self.look = look
        self.connection = connection
        self.hub = hub
    }

    /// What is to be sent next; nil if there is nothing now.
    func nextPayload() -> SharedPayload? { payloads.popLast() }

    /// Makes the canvas as it was, and tells the connection when there is something to send, or why there will not be.
    func start() {
        let site = hub.randomSite()
        hub.stillMaker(look.hello.canvas).make(look.point) { [self] result in
            hub.compute { [self] in
                let outcome = Self.payloads(result, site: site)
                hub.loop.post { [self] in take(outcome) }
            }
        }
    }

    private func take(_ outcome: Result<[SharedPayload], StillMaker.Failure>) {
        switch outcome {
        case .success(let payloads):
            self.payloads = payloads.reversed()
            connection?.wantsWrite()
        case .failure(.notKept(let sentence)):
            connection?.end(ProtocolError(code: .notKept, message: sentence))
        case .failure(.unreadable(let error)):
            hub.log.error("an earlier revision cannot be read", ["canvas": look.hello.canvas, "reason": error])
            connection?.end(
                ProtocolError(code: .canvasUnavailable, message: "The earlier revision cannot be read by the server."))
        }
    }

    private static func payloads(
        _ result: Result<Still, StillMaker.Failure>, site: SiteID
    ) -> Result<[SharedPayload], StillMaker.Failure> {
        result.map { still in
            let snapshot = EncodedSnapshot(still.canvas)
            // The site is nobody's, and the secret proves nothing: whoever comes back with it gets another.
            let welcome = Welcome(
                site: site, secret: 0, epoch: still.epoch, revision: still.canvas.revision, lastSequence: 0,
                role: .viewer, catchup: .snapshot(byteCount: UInt64(snapshot.bytes.count)), horizon: still.base)
            return [SharedPayload(ServerMessage.welcome(welcome).encode())] + snapshot.parts
        }
    }
}
