import EaselClientEngine
import EaselCore
import EaselProtocol

@testable import EaselClient

/// Joins stores by hand with a server that only orders and passes on. Nothing moves before `settle`.
final class Room {
    private var stores: [CanvasStore] = []
    private var sites: [SiteID] = []
    private var waiting: [[ServerMessage]] = []
    private var canvas = Canvas()
    private var log: [ServerMessage] = []
    private var presences: [Int: Presence] = [:]

    /// Lets a store in and returns it, connected.
    func join(_ name: String) -> CanvasStore {
        let store = enter(name)
        connect(store)
        return store
    }

    /// Makes a store that is not connected yet.
    func enter(_ name: String) -> CanvasStore {
        let number = UInt64(stores.count + 1)
        guard let id = CanvasID("plan"), let site = SiteID(number), let provisional = SiteID(1_000 + number) else {
            preconditionFailure("all are valid")
        }
        let store = CanvasStore(canvas: id, name: name, provisionalSite: provisional)
        stores.append(store)
        sites.append(site)
        waiting.append([])
        return store
    }

    func connect(_ store: CanvasStore) {
        store.change { engine in engine.connected() }
        settle()
    }

    /// Passes messages on until there are none.
    func settle() {
        var isBusy = true
        while isBusy {
            isBusy = false
            for index in stores.indices {
                for message in stores[index].takeMessages() { receive(message, index) }
            }
            for index in stores.indices where !waiting[index].isEmpty {
                isBusy = true
                let messages = waiting[index]
                waiting[index] = []
                do {
                    try stores[index].change { engine throws(SessionFault) in try engine.receive(messages) }
                } catch {
                    preconditionFailure("the room sends what clients take: \(error)")
                }
            }
        }
    }

    private func receive(_ message: ClientMessage, _ index: Int) {
        switch message {
        case .hello:
            let welcome = Welcome(
                site: sites[index], secret: 1, epoch: 1, revision: canvas.revision, lastSequence: 0, role: .editor,
                catchup: .commits)
            waiting[index] = [.welcome(welcome)] + log
            for other in stores.indices {
                guard let presence = presences[other] else { continue }
                waiting[index].append(.presence(PresenceUpdate(site: sites[other], presence: presence)))
            }
        case .submit(let submission):
            let commit = Commit(
                revision: canvas.revision + 1, id: TransactionID(site: sites[index], sequence: submission.sequence),
                time: 0, transaction: submission.transaction)
            _ = canvas.apply(commit)
            log.append(.commit(commit, digest: canvas.digest))
            for other in stores.indices { waiting[other].append(.commit(commit, digest: canvas.digest)) }
        case .presence(let presence):
            presences[index] = presence
            for other in stores.indices where other != index {
                waiting[other].append(.presence(PresenceUpdate(site: sites[index], presence: presence)))
            }
        case .confirm, .look, .versions: break
        }
    }
}
