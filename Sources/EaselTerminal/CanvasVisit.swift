import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol
import EaselSupport
import Glibc

/// Why a command could not do its work: a sentence for standard error.
struct VisitFailure: Error {
    let sentence: String

    /// Says it, and gives the exit code.
    func report() -> Int32 { EditCommand.fail(sentence) }
}

/// A connection that a command makes to do one thing with a canvas.
final class CanvasVisit {
    let store: CanvasStore
    private let target: CanvasTarget
    private let connection: CanvasConnection
    private let inbox = EventInbox()
    private let observation: Observation

    /// How long the server may take for one thing, milliseconds.
    private static let patience: UInt64 = 10_000

    /// Connects, and waits until the canvas is there.
    ///
    /// - Parameter point: a revision to look at; nil to take part.
    init(_ target: CanvasTarget, lookingAt point: StillPoint? = nil) throws(VisitFailure) {
        self.target = target
        store = target.makeStore(lookingAt: point)
        observation = store.observe { [inbox] in inbox.put(.event($0)) }
        do {
            connection = try target.connection(of: store, log: Log(threshold: .error))
        } catch {
            throw VisitFailure(sentence: "cannot start: \(error)")
        }
        connection.start()
        wait { [self] in isLive || isEnded || connection.failure != nil }
        guard !isLive else { return }
        defer { stop() }
        throw failure("\(target.server) does not send the canvas")
    }

    /// Ends the connection.
    func stop() {
        observation.end()
        connection.stop()
    }

    /// Asks for the named versions, perhaps after a change.
    func versions(_ change: VersionRequest.Change = .none) throws(VisitFailure) -> [NamedVersion] {
        let outcome = Locked<Result<[NamedVersion], VersionError>?>(nil)
        store.requestVersions(change) { [inbox] result in
            outcome.withLock { $0 = result }
            inbox.put(.notice(""))
        }
        wait { outcome.withLock { $0 != nil } }
        switch outcome.withLock({ $0 }) {
        case .success(let versions): return versions
        case .failure(let error): throw VisitFailure(sentence: Sentences.of(error))
        case nil: throw failure("\(target.server) does not answer")
        }
    }

    /// Waits until everything is on the server's disk.
    func waitUntilStored() throws(VisitFailure) {
        var refusal: String?
        wait { reports in
            for case .event(.refused(_, let code)) in reports { refusal = Sentences.of(code) }
            return refusal != nil || store.status.pendingCount == 0 || isEnded
        }
        if let refusal { throw VisitFailure(sentence: "the server refused it: \(refusal)") }
        guard store.status.pendingCount == 0 else { throw failure("\(target.server) does not say that it is stored") }
    }

    private var isLive: Bool { store.status.link == .live }

    private var isEnded: Bool { if case .ended = store.status.link { true } else { false } }

    private func failure(_ sentence: String) -> VisitFailure {
        if case .ended(let error) = store.status.link { return VisitFailure(sentence: error.message) }
        return VisitFailure(sentence: connection.failure?.advice ?? sentence)
    }

    private func wait(until condition: () -> Bool) { wait { _ in condition() } }

    /// Waits until a condition holds, which is given what was reported since, or patience is over.
    private func wait(until condition: ([EventInbox.Report]) -> Bool) {
        let deadline = MonotonicClock.now.advanced(byMilliseconds: Self.patience)
        while !condition(inbox.take()) {
            let now = MonotonicClock.now
            guard now < deadline else { return }
            var watched = pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0)
            poll(&watched, 1, Int32((deadline.nanoseconds - now.nanoseconds) / 1_000_000 + 1))
        }
    }
}

extension StillPoint {
    /// A revision by its number, or by a name that is no number; nil for neither.
    init?(argument text: String) {
        if let revision = Revision(text) {
            self = .revision(revision)
        } else if NamedVersion.isName(text) {
            self = .version(text)
        } else {
            return nil
        }
    }

    static let expected = "a revision's number, or the name of a version"

    /// What it is called in a sentence.
    var words: String {
        switch self {
        case .revision(let revision): "revision \(revision)"
        case .version(let name): "version '\(name)'"
        }
    }
}

extension Sentences {
    static func of(_ error: VersionError) -> String {
        switch error {
        case .offline: "the connection was lost; 'easel versions' shows whether it was done"
        case .unsupported: "the server is an older one that has no versions"
        case .refused(.readOnly): "this canvas may only be looked at"
        case .refused(.badName): "a name has 1 to \(Limits.versionNameBytes) bytes and no control characters"
        case .refused(.nameTaken): "there is a version of that name; --remove takes the name away"
        case .refused(.storageUnavailable): "the server cannot store it now"
        case .refused(.noSuchVersion): "there is no version of that name"
        case .refused(.notKept): "there is no such revision, or it is not kept any more"
        case .refused(.tooMany): "there are as many versions as a canvas may have; --remove takes one away"
        }
    }
}
