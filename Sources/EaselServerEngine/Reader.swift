internal import EaselCore
internal import EaselProtocol

/// One session, as its outlet sees it.
struct Reader: Sendable {
    /// How far it has come with the canvas.
    enum Stage {
        /// It is being sent a snapshot; the number of the next part.
        case snapshot([SharedPayload], next: Int)
        /// It has everything up to `cursor`.
        case live
    }

    /// A message for this session alone, which follows the commit with a revision.
    struct Answer {
        let after: Revision
        let bytes: [UInt8]
    }

    /// What a session that fell out of the window waits for.
    enum Page {
        case none
        /// Commits after the cursor were asked of the log.
        case requested
        /// They are here, up to a revision.
        case ready(SharedPayload, last: Revision)
    }

    let site: SiteID
    /// Sent before anything else.
    var welcome: [UInt8]?
    var stage: Stage
    /// The revision it has been sent. It only grows.
    var cursor: Revision
    var page = Page.none
    var answers: [Answer] = []
    /// The version of presence it has been sent; 0 for none.
    var presenceSeen: UInt64 = 0

    init(_ start: SessionWord.Start) {
        site = start.site
        welcome = start.welcome
        stage = start.parts.isEmpty ? .live : .snapshot(start.parts, next: 0)
        cursor = start.cursor
    }

    /// What its outlet has for it.
    enum Next {
        case payload(SharedPayload)
        /// Nothing before the commits after a cursor have been read from the log.
        case page(after: Revision)
        case nothing
    }

    /// What it is to be sent next. Looked at for each write, so the reader is changed where it lies.
    mutating func next(from broadcast: inout Broadcast) -> Next {
        if let payload = nextOwn() { return .payload(payload) }
        if cursor < broadcast.window.head {
            if let payload = nextCommits(from: &broadcast) { return .payload(payload) }
            if case .none = page {
                page = .requested
                return .page(after: cursor)
            }
        }
        guard presenceSeen < broadcast.board.version else { return .nothing }
        let run = broadcast.presence(after: presenceSeen)
        presenceSeen = run.last
        return run.payload(for: site).map { .payload($0) } ?? .nothing
    }

    /// What goes to it alone and is due now: its welcome, the next part of its snapshot, answers whose commits were sent.
    private mutating func nextOwn() -> SharedPayload? {
        if let welcome {
            self.welcome = nil
            return SharedPayload(welcome)
        }
        if case .snapshot(let parts, let next) = stage {
            stage = next + 1 < parts.count ? .snapshot(parts, next: next + 1) : .live
            return parts[next]
        }
        guard let first = answers.first, first.after <= cursor else { return nil }
        let count = answers.prefix { $0.after <= cursor }.count
        let bytes = answers[..<count].flatMap { $0.bytes }
        answers.removeFirst(count)
        return SharedPayload(bytes)
    }

    /// The commits after its cursor, if they are here.
    private mutating func nextCommits(from broadcast: inout Broadcast) -> SharedPayload? {
        let run: (payload: SharedPayload, last: Revision)
        if case .ready(let payload, let last) = page {
            page = .none
            run = (payload, last)
        } else if broadcast.window.covers(cursor) {
            run = broadcast.commits(after: cursor)
        } else {
            return nil
        }
        cursor = run.last
        return run.payload
    }
}
