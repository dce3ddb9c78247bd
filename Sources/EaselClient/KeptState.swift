import EaselClientEngine
public import EaselCore
import EaselProtocol
import Glibc

/// Why a folder cannot keep a client's state.
public struct KeptStateError: Error, Sendable, CustomStringConvertible {
    /// A sentence for people, without its full stop.
    public let description: String
}

/// A client's state in a folder: what it has not been able to send, what it can undo, and the canvas it had. A client that ends,
/// in whatever way, and is started again goes on where it was, with or without a server.
///
/// A store that is made with it (``CanvasStore/init(keptIn:)``) hands nothing over for sending that is not in the file, because a
/// number that was used never gets another content. So an edit costs one write to the file system before it is sent, not a wait
/// for the disk: what was written survives the end of the process, `kill -9` too. The disk follows within a second, and only a
/// power cut can lose what it has not got.
///
/// A folder can be copied, with the machine it is on. So each start is a life of its own, with identities and, once it is
/// connected, a site that no copy has; what waits under the site of before is settled under that first
/// (``/EaselClientEngine/ClientEngine/beginLife(identities:)``).
///
/// While nothing can be sent, edits are written as soon as they are made, or as late as ten times as long as a write takes, where
/// so much waits that a write takes long: 10,000 waiting edits take about 13 milliseconds.
///
/// In the folder there is one for each server and canvas, and in that one for each editor that is open at once. Files that
/// cannot be used are set aside under another name; nothing is removed.
public final class KeptState: Sendable {
    /// The folder of this client.
    public let folder: String
    private let seat: StateSeat
    let keeper: StoreLock<StateKeeper>
    private let found: StoreLock<ClientEngine?>

    /// Opens the folder and takes what a client left there. What is amiss is said, a sentence each.
    ///
    /// - Parameters:
    ///   - base: the folder for all servers and canvases; it is made if need be.
    ///   - server: the server.
    ///   - canvas: the canvas.
    ///   - name: the person's name, shown to others.
    ///   - provisionalSite: a random site, for the identities of what is made before there is a connection.
    ///   - say: told what people should know, now and later, as sentences without their full stop. Called on any thread.
    /// - Throws: where the folder cannot be written: what is kept there stays there, and must not be used elsewhere.
    public init(
        in base: String, server: ServerAddress, canvas: CanvasID, name: String, provisionalSite: SiteID,
        say: @escaping @Sendable (String) -> Void
    ) throws(KeptStateError) {
        do throws(StateFileError) {
            let folder = [base, StateSeat.fileName(server.authority), StateSeat.fileName(canvas.rawValue)]
                .joined(separator: "/")
            let (seat, left) = try StateSeat.take(in: folder) { Self.countWaiting(in: $0, server: server) }
            let fresh = ClientEngine(canvas: canvas, name: name, provisionalSite: provisionalSite)
            let restored = Self.restore(from: seat.folder, server, canvas, say)
            var engine = restored?.engine ?? fresh
            engine.show(Presence(name: name))
            if restored != nil { engine.beginLife(identities: provisionalSite) }
            let keeper = try StateKeeper(seat.folder, server, engine, restored?.canvasFile, say)
            if left > 0 {
                let edits = left == 1 ? "1 edit" : "\(left) edits"
                say("\(edits) of another editor wait to be sent; one more editor of this canvas sends them")
            }
            self.folder = seat.folder
            self.seat = seat
            self.keeper = StoreLock(keeper)
            found = StoreLock(engine)
        } catch {
            throw KeptStateError(description: error.sentence)
        }
    }

    /// The client as it was found, or a new one. Once: two stores must not go on from one state.
    func takeEngine() -> ClientEngine {
        let engine = found.withLock { found in
            defer { found = nil }
            return found
        }
        guard let engine else { preconditionFailure("a kept state is one store's") }
        return engine
    }

    /// Whether the files hold everything at this moment; false while they cannot be written.
    public var isWritten: Bool { keeper.withLock { !$0.isFailing } }

    // MARK: Keeping

    /// Writes the state of a client, if it has changed: see `StateKeeper`.
    func save(_ engine: ClientEngine, isSending: Bool) {
        keeper.withLock { $0.save(engine, isSending: isSending, keeper) }
    }

    // MARK: Restoring

    /// How many edits wait in a folder.
    private static func countWaiting(in folder: String, server: ServerAddress) -> Int {
        guard case .state(let saved) = StateFile.find(folder + "/" + StateKeeper.stateName, server: server),
            let engine = try? ClientEngine.restore(from: saved.bytes)
        else { return 0 }
        return engine.pendingCount
    }

    /// What a client left in a folder. What cannot be used is set aside, and said.
    private static func restore(
        from folder: String, _ server: ServerAddress, _ canvas: CanvasID, _ say: (String) -> Void
    ) -> (engine: ClientEngine, canvasFile: CanvasFile?)? {
        let path = folder + "/" + StateKeeper.stateName
        switch StateFile.find(path, server: server) {
        case .nothing: return nil
        case .unusable(let reason):
            setAside(path, because: reason, say)
            return nil
        case .state(let saved):
            var canvasFile: CanvasFile?
            do throws(RestoreError) {
                let engine = try ClientEngine.restore(from: saved.bytes) { place in
                    let loaded = loadCanvas(folder, place, say)
                    canvasFile = loaded?.file
                    return loaded?.canvas
                }
                guard engine.canvasID == canvas else {
                    setAside(path, because: "\(path) belongs to the canvas \(engine.canvasID)", say)
                    return nil
                }
                if saved.isDamaged { keepCopy(path, say) }
                return (engine, canvasFile)
            } catch {
                if case .unknownFormat = error {
                    setAside(path, because: "\(path) was written by a later version", say)
                } else {
                    setAside(path, because: "\(path) is damaged", say)
                }
                return nil
            }
        }
    }

    private static func loadCanvas(
        _ folder: String, _ place: CanvasPlace, _ say: (String) -> Void
    ) -> (canvas: Canvas, file: CanvasFile)? {
        let path = folder + "/" + StateKeeper.canvasName
        do throws(RecordFile.Foreign) {
            return try CanvasFile.load(path, place)
        } catch {
            // The server has it too, so that no sentence is due.
            _ = StateFile.setAside(path, as: "damaged")
            return nil
        }
    }

    private static func setAside(_ path: String, because reason: String, _ say: (String) -> Void) {
        if let name = StateFile.setAside(path, as: "damaged") {
            say("\(reason); it is kept as \(name), and this editor starts without it")
        } else {
            say("\(reason); this editor starts without it")
        }
    }

    /// Keeps a file whose end cannot be read, since the state is written anew.
    private static func keepCopy(_ path: String, _ say: (String) -> Void) {
        guard let name = StateFile.setAside(path, as: "damaged") else { return }
        say("the end of \(path) cannot be read; it is kept as \(name), and this editor goes on from before it")
    }
}

/// Keeping the state, for the connection.
extension CanvasStore {
    /// Milliseconds until the state should be written; nil if it need not be.
    var keepingDelay: Int? {
        guard let kept else { return nil }
        let stamp = state.withLock { $0.engine.stamp }
        return kept.keeper.withLock { $0.delay(stamp) }
    }

    /// Whether the client has a site that no copy of it has.
    var hasOwnSite: Bool { state.withLock { $0.engine.hasOwnSite } }

    /// Takes note of messages before the engine receives them.
    func hear(_ messages: [ServerMessage]) {
        kept?.keeper.withLock { $0.hear(messages) }
    }

    /// Writes what has changed. With a connection it is done by that.
    public func keep() {
        guard let kept else { return }
        kept.save(state.withLock { $0.engine }, isSending: false)
    }

    /// Writes what has changed, and waits for the disk.
    func keepFinally() {
        guard let kept else { return }
        keep()
        StateKeeper.settle(kept.keeper)
    }
}

extension ClientMessage {
    /// Whether it carries edits.
    var isSubmission: Bool {
        if case .submit = self { return true }
        return false
    }
}
