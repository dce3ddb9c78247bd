public import EaselCore

/// Commits with consecutive revisions, and the digest of the canvas after the last: what a server has to say of a canvas at once.
public struct CommitRun: Sendable, Equatable {
    /// At least one, by revision.
    public let commits: [Commit]
    /// The digest of the canvas after the last of them.
    public let digest: UInt64

    /// Precondition: there is a commit, their revisions have no gap, and the numbers of each site rise.
    public init(_ commits: [Commit], digest: UInt64) {
        precondition(!commits.isEmpty, "a run has a commit")
        for (index, commit) in commits.enumerated() {
            precondition(commit.revision == commits[0].revision + UInt64(index), "revisions of a run have no gap")
        }
        self.commits = commits
        self.digest = digest
    }

    /// The revision of the first commit.
    public var first: Revision { commits[0].revision }

    /// The revision of the last commit.
    public var last: Revision { commits[0].revision + UInt64(commits.count - 1) }

    /// Whether it leads on from a revision, with nothing missing; it may begin before.
    public func continues(_ revision: Revision) -> Bool { first <= revision + 1 && last > revision }
}

/// Encodes a run of commits, for everybody in a room at once: nothing in it is of a session.
///
/// One commit alone is a `commit` message; several are one `commits` message, which lists sites, shape ids and words once and gives
/// numbers and times as differences, so that a moved shape takes about 20 bytes.
public struct CommitRunEncoder: Sendable {
    /// The first commit, whose form depends on whether another follows.
    private var first: Commit?
    private var count = 0
    private var commits = CBOREncoder()
    /// The last number of each listed site.
    private var numbers: [SequenceNumber] = []
    private var time: UInt64 = 0

    /// An empty run.
    public init() {
        commits.names = NameLists()
    }

    /// Adds the next commit. Linear in its size.
    ///
    /// Precondition: it has a higher number than those before of its site.
    public mutating func append(_ commit: Commit) {
        guard let first else {
            first = commit
            return
        }
        if count == 0 { encode(first, at: first.time) }
        encode(commit, at: time)
    }

    private mutating func encode(_ commit: Commit, at before: UInt64) {
        count += 1
        time = commit.time
        commits.array(4)
        let place = commits.names?.place(of: commit.id.site) ?? 0
        while numbers.count <= Int(place) { numbers.append(0) }
        commits.unsigned(place)
        commits.unsigned(commit.id.sequence - numbers[Int(place)])
        numbers[Int(place)] = commit.id.sequence
        commits.integer(Int64(commit.time) - Int64(before))
        commits.transaction(commit.transaction)
    }

    /// The message, with the digest of the canvas after the last commit.
    ///
    /// Precondition: there is a commit.
    public func message(digest: UInt64) -> [UInt8] {
        guard let first else { preconditionFailure("a run has a commit") }
        guard count > 0, let names = commits.names else { return ServerMessage.encodeCommit(first, digest: digest) }
        var encoder = CBOREncoder()
        encoder.reserve(commits.bytes.count + 16 * (names.sites.names.count + names.shapes.names.count) + 64)
        encoder.beginServerMessage(.commits, fields: 7)
        encoder.unsigned(first.revision)
        encoder.unsigned(digest)
        encoder.unsigned(first.time)
        encoder.array(names.sites.names.count)
        for site in names.sites.names { encoder.siteID(site) }
        encoder.array(names.shapes.names.count)
        for shape in names.shapes.names { encoder.shapeID(shape) }
        encoder.array(names.words.names.count)
        for word in names.words.names { encoder.word(word.text) }
        encoder.array(count)
        encoder.encoded(commits.bytes)
        return encoder.bytes
    }
}

extension ServerMessage {
    /// A commit alone, with the digest of the canvas after it.
    public static func commit(_ commit: Commit, digest: UInt64) -> ServerMessage {
        .commits(CommitRun([commit], digest: digest))
    }

    /// A commit alone with the digest of the canvas after it, encoded.
    public static func encodeCommit(_ commit: Commit, digest: UInt64) -> [UInt8] {
        var encoder = CBOREncoder()
        encoder.reserve(64 * commit.transaction.operations.count + 96)
        encoder.beginServerMessage(.commit, fields: 6)
        encoder.unsigned(commit.revision)
        encoder.unsigned(digest)
        encoder.unsigned(commit.id.site.rawValue)
        encoder.unsigned(commit.id.sequence)
        encoder.unsigned(commit.time)
        encoder.transaction(commit.transaction)
        return encoder.bytes
    }

    static func encodeCommits(_ run: CommitRun) -> [UInt8] {
        var encoder = CommitRunEncoder()
        for commit in run.commits { encoder.append(commit) }
        return encoder.message(digest: run.digest)
    }
}

/// What stands in front of the commits in a `commits` message.
struct CommitRunHead {
    let revision: Revision
    let digest: UInt64
    let time: UInt64
    let names: Names
    /// How many commits follow.
    let count: Int
}

extension CBORDecoder {
    /// Reads a `commit` behind its type.
    mutating func commit() throws(DecodingError) -> CommitRun {
        let revision = try sequenceNumber()
        let digest = try unsigned()
        let id = TransactionID(site: try siteID(), sequence: try sequenceNumber())
        let time = try exactNumber()
        let commit = Commit(revision: revision, id: id, time: time, transaction: try committedTransaction())
        return CommitRun([commit], digest: digest)
    }

    /// Reads a `commits` behind its type.
    mutating func commits() throws(DecodingError) -> CommitRun {
        let head = try commitRunHead()
        var ids = CommitIDs(head)
        var commits: [Commit] = []
        commits.reserveCapacity(min(head.count, Self.trustedCount))
        names = head.names
        for index in 0..<UInt64(head.count) {
            try fields(4)
            let (id, time) = try ids.next(&self)
            commits.append(
                Commit(
                    revision: head.revision + index, id: id, time: time, transaction: try committedTransaction()))
        }
        names = nil
        return CommitRun(commits, digest: head.digest)
    }

    mutating func commitRunHead() throws(DecodingError) -> CommitRunHead {
        let revision = try sequenceNumber()
        let digest = try unsigned()
        let time = try exactNumber()
        let names = Names(
            sites: try list { decoder throws(DecodingError) in try decoder.siteID() },
            shapes: try list { decoder throws(DecodingError) in try decoder.shapeID() },
            words: try list { decoder throws(DecodingError) in try decoder.text(0...Int.max) })
        let count = try array()
        // One commit alone has a message of its own.
        guard count >= 2, UInt64(count) <= Limits.counter - revision else { throw .outOfRange }
        // A site that stood twice could have falling numbers.
        guard Set(names.sites).count == names.sites.count else { throw .outOfRange }
        return CommitRunHead(revision: revision, digest: digest, time: time, names: names, count: count)
    }
}

/// Reads the ids and times of the commits in a `commits` message, which are differences.
struct CommitIDs {
    private let sites: [SiteID]
    /// The last number of each listed site.
    private var numbers: [SequenceNumber]
    private var time: UInt64

    init(_ head: CommitRunHead) {
        sites = head.names.sites
        numbers = Array(repeating: 0, count: sites.count)
        time = head.time
    }

    /// Those of the next commit, at which `decoder` stands.
    mutating func next(_ decoder: inout CBORDecoder) throws(DecodingError) -> (id: TransactionID, time: UInt64) {
        let place = try decoder.unsigned()
        guard place < UInt64(sites.count) else { throw .outOfRange }
        let index = Int(place)
        numbers[index] += try decoder.sequenceNumber()
        let (next, overflows) = Int64(time).addingReportingOverflow(try decoder.integer())
        guard numbers[index] <= Limits.counter, !overflows, (0...Int64(Limits.counter)).contains(next) else {
            throw .outOfRange
        }
        time = UInt64(next)
        return (TransactionID(site: sites[index], sequence: numbers[index]), time)
    }
}
