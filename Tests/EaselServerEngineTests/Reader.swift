import EaselCore
import EaselProtocol
import EaselServerEngine
import Testing

/// What a client has received, checked as it comes: revisions are dense, digests agree, and each transaction comes once.
struct Reader {
    private(set) var messages: [ServerMessage] = []
    private(set) var payloads: [SharedPayload] = []
    private(set) var welcome: Welcome?
    /// What it has of the canvas; nil while it waits for a snapshot.
    private(set) var canvas: Canvas?
    /// The commits it has taken, in order. A run may begin with some that it has; those are passed over.
    private(set) var commits: [Commit] = []
    /// Numbers acknowledged, by own commits or in so many words, and refusals, in the order they came.
    private(set) var answers: [Answer] = []
    private(set) var presence: [SiteID: Presence] = [:]
    private var snapshot: [UInt8] = []
    /// While true, its socket takes nothing.
    var isStalled = false

    /// A client that has `canvas`.
    init(canvas: Canvas?) {
        self.canvas = canvas
    }

    mutating func receive(_ payload: SharedPayload) {
        payloads.append(payload)
        do {
            for message in try ServerMessage.decodeAll(payload.bytes) { receive(message) }
        } catch {
            Issue.record("what a server sends can be read: \(error)")
        }
    }

    private mutating func receive(_ message: ServerMessage) {
        messages.append(message)
        switch message {
        case .welcome(let welcome):
            #expect(self.welcome == nil && messages.count == 1, "the welcome comes first and once")
            self.welcome = welcome
            if case .snapshot = welcome.catchup { canvas = nil }
        case .snapshotPart(let part): receive(part)
        case .commits(let run): apply(run)
        case .presence(let update): presence[update.site] = update.presence
        case .acknowledgement(let sequence): answers.append(.acknowledged(sequence))
        case .refusal(let refusal): answers.append(.refused(refusal.sequence, refusal.code))
        case .role, .versions, .error: break
        }
    }

    private mutating func receive(_ part: SnapshotPart) {
        #expect(part.offset == UInt64(snapshot.count), "parts come in order")
        snapshot += part.bytes
        guard case .snapshot(let byteCount) = welcome?.catchup, UInt64(snapshot.count) == byteCount else { return }
        canvas = try? Snapshot.decode(snapshot)
        #expect(canvas != nil, "the snapshot can be read")
    }

    private mutating func apply(_ run: CommitRun) {
        #expect(run.last > canvas?.revision ?? 0, "a run has something new")
        for commit in run.commits { apply(commit) }
        #expect(canvas?.digest == run.digest, "the digests agree at revision \(run.last)")
    }

    private mutating func apply(_ commit: Commit) {
        guard let revision = canvas?.revision else {
            Issue.record("no commit comes before the snapshot is complete")
            return
        }
        if commit.revision <= revision {
            let known = commits.last { $0.revision == commit.revision }
            #expect(known == nil || known == commit, "what comes again is the same")
            return
        }
        guard commit.revision == revision + 1, commit.id.sequence > canvas?.lastSequence(of: commit.id.site) ?? 0 else {
            Issue.record("commit \(commit.revision) does not follow \(revision), or repeats a number")
            return
        }
        commits.append(commit)
        if commit.id.site == welcome?.site { answers.append(.committed(commit.id.sequence)) }
        _ = canvas?.apply(commit)
    }

    var resume: Hello.Resume? {
        welcome.map {
            Hello.Resume(site: $0.site, secret: $0.secret, epoch: $0.epoch, revision: canvas?.revision ?? 0)
        }
    }

    /// The payloads that hold commits.
    var commitPayloads: [SharedPayload] {
        payloads.filter { payload in
            if case .commits = try? ServerMessage.decodeAll(payload.bytes).first { true } else { false }
        }
    }

    var presenceUpdates: [PresenceUpdate] {
        messages.compactMap { if case .presence(let update) = $0 { update } else { nil } }
    }

    enum Answer: Equatable {
        case committed(SequenceNumber)
        case acknowledged(SequenceNumber)
        case refused(SequenceNumber, RefusalCode)
    }
}
