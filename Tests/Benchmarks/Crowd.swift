import EaselCore
import EaselProtocol
import EaselSupport
import EaselWebSocket
import Glibc

/// Clients of one canvas, on the calling thread. Some write, at the times they are meant to whatever the server does; one reads what
/// everybody sees, the others only take it off their sockets.
///
/// `easel load` measures a whole run; here it is known when each move was seen.
final class Crowd {
    /// A move: when it was meant to be made, and how long after that the reader saw it, nanoseconds.
    struct Seen {
        let intended: UInt64
        let latency: UInt64
    }

    fileprivate struct Writer {
        let client: BareClient
        let shape: ShapeID
        /// When each of its transactions was meant to be made; the first, its shape, is none of the moves.
        var intended: [UInt64] = [0]
        var sent = 0
        var committed = 0
    }

    /// The reader, the writers and the others.
    private let clients: [BareClient]
    private var frames = MessageReader(role: .client, limits: MessageLimits(messageBytes: 1 << 24))
    private var writers: [Writer] = []
    private var writerOfSite: [SiteID: Int] = [:]
    private var polled: [pollfd]
    private var nextWriter = 0
    /// What the reader has seen.
    private(set) var seen: [Seen] = []
    /// Connections that the server has closed.
    private(set) var lost = 0

    /// Joins a new canvas.
    init(_ server: ServerUnderTest, canvas: String, writers count: Int, readers: Int) throws(NotMeasured) {
        var clients: [BareClient] = []
        for _ in 0..<(count + readers) {
            let client = try BareClient(server.address, canvas: canvas)
            try client.readSnapshot()
            clients.append(client)
        }
        self.clients = clients
        polled = clients.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        for client in clients.dropFirst().prefix(count) {
            guard let site = client.welcome?.site else { throw NotMeasured("a client is not welcomed") }
            var identities = IdentitySource(site: site)
            writerOfSite[site] = writers.count
            writers.append(Writer(client: client, shape: identities.shape()))
        }
    }

    /// Moves that were meant to be made and that nobody has seen.
    var pendingCount: Int { writers.reduce(0) { $0 + $1.waitingCount } }

    /// Means to make so many moves a second for so many seconds. What cannot be sent yet, since a client may not have more under
    /// way, is kept for later or left out.
    func run(rate: Double, seconds: Double, keepsAll: Bool = true) {
        let start = MonotonicClock.now.nanoseconds
        var made = 0
        while true {
            let now = MonotonicClock.now.nanoseconds
            guard Double(now - start) < seconds * 1e9 else { return }
            while Double(made) / rate * 1e9 <= Double(now - start) {
                if keepsAll || writers[nextWriter].waitingCount < ProtocolLimits.transactionsInFlight {
                    writers[nextWriter].intended.append(start + UInt64(Double(made) / rate * 1e9))
                }
                nextWriter = (nextWriter + 1) % writers.count
                made += 1
            }
            for index in writers.indices { writers[index].send() }
            takeWhatComes()
        }
    }

    /// Waits a tick at most.
    private func takeWhatComes() {
        guard poll(&polled, nfds_t(polled.count), 1) > 0 else { return }
        for (index, client) in clients.enumerated() where polled[index].revents != 0 {
            guard let bytes = client.receive() else {
                lost += 1
                // A negative descriptor is passed over.
                polled[index].fd = -1
                continue
            }
            if index == 0 { read(bytes) }
        }
    }

    private func read(_ bytes: ArraySlice<UInt8>) {
        var events: [MessageEvent] = []
        frames.receive(Array(bytes), into: &events)
        let now = MonotonicClock.now.nanoseconds
        for case .message(_, let payload) in events {
            for site in CommitMessage.sites(in: payload) {
                guard let index = writerOfSite[site] else { continue }
                let intended = writers[index].intended[writers[index].committed]
                writers[index].committed += 1
                if intended > 0 { seen.append(Seen(intended: intended, latency: now - intended)) }
            }
        }
    }
}

extension Crowd.Writer {
    /// Transactions that were meant to be made and that nobody has seen.
    fileprivate var waitingCount: Int { intended.count - committed }

    /// Sends what is meant to be made by now, as many at a time as a client may have under way.
    fileprivate mutating func send() {
        var messages: [UInt8] = []
        while sent < intended.count, sent - committed < ProtocolLimits.transactionsInFlight {
            sent += 1
            let transaction = Transaction(operations: [operation(sent)], label: "Move")
            let submission = Submission(sequence: SequenceNumber(sent), transaction: transaction)
            messages += ClientMessage.submit(submission).encode()
        }
        client.send(messages)
    }

    private func operation(_ number: Int) -> Operation {
        if number > 1 {
            return .set(shape, [PropertyChange(Desk.x, .integer(Int64(number))), PropertyChange(Desk.y, .integer(0))])
        }
        guard let site = client.welcome?.site, let order = OrderKey.between(nil, nil, site: site) else {
            preconditionFailure("there is always a key between no others")
        }
        let place = Properties([(Desk.x, Value.integer(0)), (Desk.y, Value.integer(0))])
        return .create(Creation(id: shape, kind: "rectangle", parent: nil, order: order, properties: place))
    }
}
