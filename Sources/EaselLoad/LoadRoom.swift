import EaselCore
import EaselProtocol
import Glibc

/// What the clients of one canvas share: when each action was meant to happen, and what arrived.
///
/// It belongs to the loop of its clients.
final class LoadRoom {
    /// What is in a message of the transport.
    final class Scan {
        fileprivate let payload: [UInt8]
        /// The commits, in the order of their revisions, which have no gap.
        fileprivate(set) var commits: [CommitHead] = []
        /// The digest of the canvas after the last of them; nil if there are none.
        fileprivate(set) var digest: UInt64?
        /// When each was meant to be made, nanoseconds; 0 for those before the recording.
        fileprivate var intended: [UInt64] = []
        /// Everything else, but presence.
        fileprivate(set) var others: [ServerMessage] = []

        fileprivate init(_ payload: [UInt8]) { self.payload = payload }
    }

    /// Why a run has failed, as a sentence.
    enum Failure: Error {
        case unreadable(String)
        case gap(after: Revision, found: Revision)
    }

    let canvas: CanvasID
    /// Its clients, the editors first.
    var clients: [any LoadClient] = []
    /// Why one of them cannot go on; nil while all can.
    private(set) var failure: String?
    /// Commits that arrived at clients that did not make them, while it was recorded.
    private(set) var deliveries: UInt64 = 0
    /// From the moment an action was meant to be made until it arrived at another client.
    private(set) var latency = LatencyHistogram()
    var isRecording = false

    private var intended: [SiteID: [UInt64]] = [:]
    /// The newest messages: clients that are at the same place get the same bytes, which are read once.
    private var scans: [Scan] = []
    private var nextScan = 0

    /// Messages that are remembered; more than a server has at the same time for one canvas.
    private static let scanCount = 16

    init(canvas: CanvasID) { self.canvas = canvas }

    /// The newest revision that a client has.
    var revision: Revision { clients.reduce(0) { max($0, $1.revision) } }

    /// Whether all clients have the same revision and nothing is under way.
    var isQuiet: Bool {
        let newest = revision
        return clients.allSatisfy { $0.pendingCount == 0 && $0.revision == newest }
    }

    /// Whether all clients that know a digest know the same.
    var isEqual: Bool { Set(clients.compactMap { $0.digest }).count <= 1 }

    /// Lets all clients leave.
    func close() {
        for client in clients { client.close() }
        clients = []
    }

    /// Notes why a client cannot go on. The first reason counts.
    func fail(_ sentence: String) { failure = failure ?? sentence }

    /// Notes when the next transaction of a site was meant to be made; 0 for one that is not recorded.
    func intend(_ time: UInt64, by site: SiteID) { intended[site, default: []].append(isRecording ? time : 0) }

    /// Reads a message, or finds it among the newest.
    func scan(_ payload: [UInt8]) throws(Failure) -> Scan {
        for scan in scans where Self.areEqual(scan.payload, payload) { return scan }
        let scan = Scan(payload)
        do throws(DecodingError) {
            var sequence = ServerMessageSequence(payload)
            while let message = try sequence.glance() {
                switch message {
                case .commits(let heads, let digest):
                    scan.commits += heads
                    scan.digest = digest
                case .other(.presence): break
                case .other(let other): scan.others.append(other)
                }
            }
        } catch {
            throw .unreadable("\(error)")
        }
        for (one, next) in zip(scan.commits, scan.commits.dropFirst()) where next.revision != one.revision + 1 {
            throw .gap(after: one.revision, found: next.revision)
        }
        scan.intended = scan.commits.map(intended(_:))
        if scans.count < Self.scanCount { scans.append(scan) } else { scans[nextScan] = scan }
        nextScan = (nextScan + 1) % Self.scanCount
        return scan
    }

    private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && memcmp(left, right, left.count) == 0
    }

    private func intended(_ head: CommitHead) -> UInt64 {
        guard let times = intended[head.id.site], head.id.sequence <= times.count else { return 0 }
        return times[Int(head.id.sequence) - 1]
    }

    /// Notes that commits arrived at a client; those up to `revision` it had.
    func arrived(_ scan: Scan, after revision: Revision, at site: SiteID, now: UInt64) {
        guard isRecording else { return }
        for (head, intended) in zip(scan.commits, scan.intended) {
            guard head.revision > revision, head.id.site != site else { continue }
            deliveries += 1
            if intended > 0 { latency.record((now - min(now, intended)) / 1_000) }
        }
    }
}
