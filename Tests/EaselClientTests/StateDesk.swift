import EaselClientEngine
import EaselCore
import EaselProtocol
import Foundation
import Testing

@testable import EaselClient

/// A folder for states that is removed with the object, and what was said about them.
final class StateDesk: Sendable {
    let path: String
    private let said = StoreLock<[String]>([])

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("easel-state-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The sentences said, in order, without time and level.
    var sentences: [String] { said.withLock { $0 } }

    /// Opens the state of a canvas.
    func state(
        _ canvas: String = "plan", site: UInt64 = 100, in folder: String? = nil,
        server: ServerAddress = ServerAddress(host: "127.0.0.1", port: 1)
    ) throws -> KeptState {
        try KeptState(
            in: folder ?? path, server: server, canvas: try #require(CanvasID(canvas)), name: "Ana",
            provisionalSite: try #require(SiteID(site)),
            say: { [said] sentence in said.withLock { $0.append(sentence) } })
    }

    func store(_ canvas: String = "plan", site: UInt64 = 100, in folder: String? = nil) throws -> CanvasStore {
        CanvasStore(keptIn: try state(canvas, site: site, in: folder))
    }

    /// Writes what a store has, its canvas too, which is written elsewhere.
    func settle(_ store: CanvasStore) throws {
        store.keep()
        StateKeeper.settle(try #require(store.kept).keeper)
    }

    /// The folder as it is at this moment, under another name: what a client finds that is started after one was killed now.
    func afterKill() throws -> String {
        let copy = "\(path)/copy-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where !name.hasPrefix("copy-") {
            try FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: "\(copy)/\(name)")
        }
        return copy
    }

    /// The files of the first editor of a canvas.
    func file(_ name: String, of canvas: String = "plan", in folder: String? = nil) -> String {
        "\(folder ?? path)/127.0.0.1:1/\(canvas)/1/\(name)"
    }

    func names(of canvas: String = "plan") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(path)/127.0.0.1:1/\(canvas)/1").sorted()
    }
}

/// A server that only orders, without a socket.
struct OrderingServer {
    private(set) var canvas = Canvas()
    private var log: [ServerMessage] = []
    /// The last site given out; 8 is somebody else's.
    private var sites: UInt64 = 6
    var epoch: UInt64 = 1

    /// Connects a store and brings it up to date. Sent edits that it repeats are taken once.
    mutating func connect(_ store: CanvasStore) throws {
        store.change { $0.connected() }
        do {
            try serve(store)
        } catch SessionFault.settled {
            // As a connection does: the next one is under a site of its own.
            store.change { $0.disconnected() }
            try connect(store)
        }
    }

    /// Answers what a store sends, until it sends nothing more.
    mutating func serve(_ store: CanvasStore) throws {
        while true {
            let messages = store.takeMessages()
            if messages.isEmpty { return }
            for message in messages { try hand(answers(to: message, store), to: store) }
        }
    }

    private mutating func answers(to message: ClientMessage, _ store: CanvasStore) -> [ServerMessage] {
        switch message {
        case .hello(let hello):
            let proven = hello.resume.flatMap { $0.secret == 9 ? $0.site : nil }
            if proven == nil { sites += sites == 7 ? 2 : 1 }
            let site = proven ?? SiteID(sites)!
            let keepsCanvas = hello.resume?.epoch == epoch
            let snapshot = Snapshot.encode(canvas)
            let welcome = Welcome(
                site: site, secret: 9, epoch: epoch, revision: canvas.revision,
                lastSequence: canvas.lastSequence(of: site),
                role: .editor, catchup: keepsCanvas ? .commits : .snapshot(byteCount: UInt64(snapshot.count)))
            if !keepsCanvas { return [.welcome(welcome), .snapshotPart(SnapshotPart(offset: 0, bytes: snapshot))] }
            return [.welcome(welcome)] + log.dropFirst(Int(hello.resume?.revision ?? 0))
        case .submit(let submission):
            guard let site = store.status.site, submission.sequence > canvas.lastSequence(of: site) else { return [] }
            return [commit(submission, of: site)]
        case .confirm, .presence, .look, .versions: return []
        }
    }

    /// Takes a transaction into the log.
    mutating func commit(_ submission: Submission, of site: SiteID) -> ServerMessage {
        let commit = Commit(
            revision: canvas.revision + 1, id: TransactionID(site: site, sequence: submission.sequence), time: 0,
            transaction: submission.transaction)
        _ = canvas.apply(commit)
        log.append(.commit(commit, digest: canvas.digest))
        return log[log.count - 1]
    }

    /// An edit of somebody else, sent to a store.
    mutating func editElsewhere(_ operation: EaselCore.Operation, seenBy store: CanvasStore? = nil) throws {
        let site = SiteID(8)!
        let transaction = Transaction(operations: [operation], label: "Edit")
        let message = commit(
            Submission(sequence: canvas.lastSequence(of: site) + 1, transaction: transaction), of: site)
        if let store { try hand([message], to: store) }
    }

    /// Gives a store messages as a connection does.
    func hand(_ messages: [ServerMessage], to store: CanvasStore) throws {
        guard !messages.isEmpty else { return }
        store.hear(messages)
        try store.change { engine throws(SessionFault) in try engine.receive(messages) }
    }
}
