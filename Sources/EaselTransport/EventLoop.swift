import CWebSockets
public import EaselSupport
import Glibc

/// One thread that serves sockets, timers and posted work, with one libwebsockets context.
///
/// Everything that belongs to a loop (connections, listeners, timers) is used on its thread only; `post`, `call`, `start` and
/// `stop` are the ways in from elsewhere. Before `start()`, the thread that made the loop counts as its own, so a program can
/// set everything up first. A turn of the loop is: wait for sockets, serve each once, do posted work, fire timers, call
/// `whenTurnEnds`, let those write that asked for it (see `writesInSlices`), so that what a turn has for a connection goes out
/// together, then take down what ended.
///
/// Unchecked, because every mutable member is touched on the loop's thread only (or before it starts), and every entry checks
/// that; what other threads use is the mailbox and the life cycle, which have locks.
public final class EventLoop: @unchecked Sendable {
    private enum LifeCycle {
        case idle
        case running(pthread_t)
        case stopping
        case stopped
    }

    /// The loop's name, also that of its thread.
    public let name: String
    let log: Log
    var timers = TimerHeap()
    /// Whether connections end because the loop does.
    private(set) var isStopping = false
    /// Room for what a connection decrypts.
    let record = UnsafeMutableRawBufferPointer.allocate(byteCount: TransportLimits.recordBytes, alignment: 1)
    /// Milliseconds that TLS handshakes which begin from now on may take. Tests have less patience.
    var handshakeMilliseconds = TransportLimits.handshakeMilliseconds
    private var context: OpaquePointer?
    private var vhost: OpaquePointer?
    private let thread: LoopThread
    private let mailbox = Mailbox()
    private let lifeCycle = Locked(LifeCycle.idle)
    private var endOfTurn: [() -> Void] = []
    /// Called at the end of a turn, once everything that came in was dealt with: before connections write, and again where
    /// writing or what ended made more to do. For work that is done once for all that a turn brought.
    public var whenTurnEnds: (() -> Void)?
    /// Connections that write at the end of this turn, or of the next ones if there are too many.
    private var writers = WriterQueue()
    /// Whether a turn ends when its connections have written for a while and each flow has had its round, so that what others send
    /// is taken in before the rest of a large flow writes. A turn costs the more the more sockets there are, so this is only worth
    /// it where there are other flows.
    public var writesInSlices = false
    /// The flow of connections that belong to no other.
    let commonFlow = Flow(rests: false)
    private var takesWriters = false
    private var isStopRequested = false
    private let alarm: Alarm

    /// Creates a loop. It does nothing until `start()`.
    ///
    /// - Parameters:
    ///   - name: For the log and the thread.
    ///   - log: Where the loop, and libwebsockets, report what is wrong.
    /// - Throws: `TransportError.failed` where the process is out of memory or descriptors.
    public init(name: String, log: Log) throws(TransportError) {
        self.name = name
        self.log = log.with(["loop": name])
        thread = LoopThread(log: self.log)
        alarm = try Alarm()
        (context, vhost) = thread.mark { makeContext() }
        // All members are set, so an error ends in deinit, which takes down what there is.
        guard vhost != nil else {
            throw .failed(call: "lws_create_context", detail: "out of memory or descriptors")
        }
    }

    deinit {
        // A running loop keeps itself alive, so this one never ran or has ended.
        lws_context_destroy(context)
        record.deallocate()
    }

    // MARK: From any thread

    /// Starts the loop's thread.
    ///
    /// Precondition: it was not started before.
    /// - Throws: `TransportError` where the system has no thread or descriptor left.
    public func start() throws(TransportError) {
        try alarm.wake(self)
        let ready = Handoff<Bool>()
        let handle = try LoopThread.start(name: name) { [self] in
            _ = ready.wait()
            thread.mark { run() }
        }
        lifeCycle.withLock { lifeCycle in
            guard case .idle = lifeCycle else { preconditionFailure("a loop is started once") }
            lifeCycle = .running(handle)
        }
        ready.give(true)
    }

    /// Stops the loop: work posted before is done, every connection ends with `loopStopped`, and the thread is joined. A second
    /// call does nothing.
    ///
    /// Precondition: not called on the loop's own thread, which cannot wait for itself.
    public func stop() {
        precondition(!thread.isCurrent, "a loop cannot wait for itself")
        let before = lifeCycle.withLock { lifeCycle in
            let before = lifeCycle
            if case .stopped = before { return before }
            lifeCycle = .stopping
            return before
        }
        switch before {
        case .idle:
            thread.mark { shutDown() }
        case .running(let handle):
            post { [self] in isStopRequested = true }
            pthread_join(handle, nil)
        case .stopping, .stopped:
            return
        }
        lifeCycle.withLock { $0 = .stopped }
    }

    /// Does `work` on the loop, in the order of the calls from one thread. Returns false, and drops the work, where the loop has
    /// stopped. Many posts between two turns wake the loop once.
    @discardableResult
    public func post(_ work: @escaping @Sendable () -> Void) -> Bool {
        // The lock of the mailbox keeps the context alive; this is the one library call that is allowed from other threads.
        mailbox.post(work) { lws_cancel_service(context) }
    }

    /// Does `work` on the loop and waits for its result; nil where the loop has stopped. On the loop itself it is done at once.
    ///
    /// Precondition: the loop was started, or this is its own thread.
    public func call<Result: Sendable>(_ work: @escaping @Sendable () -> Result) -> Result? {
        if isOnLoop, !isStopping { return work() }
        let handoff = Handoff<Result>()
        return post { handoff.give(work()) } ? handoff.wait() : nil
    }

    // MARK: On the loop

    /// Does `work` after `milliseconds`, measured on the monotonic clock; a turn that takes long makes it later. The timer need
    /// not be kept. O(log timers).
    @discardableResult
    public func schedule(after milliseconds: Int, _ work: @escaping () -> Void) -> LoopTimer {
        schedule(at: MonotonicClock.now.advanced(byMilliseconds: UInt64(max(0, milliseconds))), work)
    }

    /// Does `work` at `deadline`, or at once where that has passed; a turn that takes long makes it later. The timer need not be
    /// kept. O(log timers).
    @discardableResult
    public func schedule(at deadline: Instant, _ work: @escaping () -> Void) -> LoopTimer {
        checkOnLoop()
        let timer = LoopTimer(deadline: deadline, loop: self, work: work)
        if !isStopping {
            timers.insert(timer)
        }
        return timer
    }

    /// Calls `readable` on the loop in every turn in which `descriptor` can be read, or its other end is gone.
    ///
    /// The descriptor stays the caller's, but becomes non-blocking.
    /// - Throws: `TransportError` where the process is out of descriptors or the loop has stopped.
    public func watch(descriptor: Int32, readable: @escaping () -> Void) throws(TransportError) -> DescriptorWatch {
        checkOnLoop()
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .system("fcntl") }
        return try watch(owning: copy, readable: readable)
    }

    /// Like `watch(descriptor:readable:)`, but takes the descriptor over.
    func watch(owning descriptor: Int32, readable: @escaping () -> Void) throws(TransportError) -> DescriptorWatch {
        try DescriptorWatch(loop: self, owning: descriptor, readable: readable)
    }

    /// Does `work` when no callback of the library is running any more, before the loop waits again.
    func atEndOfTurn(_ work: @escaping () -> Void) {
        endOfTurn.append(work)
    }

    /// Lets a connection write at the end of this turn. False where the turn has come too far for that.
    func takesWriter(_ connection: Connection) -> Bool {
        if takesWriters { writers.add(connection) }
        return takesWriters
    }

    /// Stops the program where the calling thread is not the loop's.
    func checkOnLoop() {
        precondition(isOnLoop, "belongs to the thread of its event loop")
    }

    private var isOnLoop: Bool {
        if thread.isCurrent { return true }
        return lifeCycle.withLock { lifeCycle in
            switch lifeCycle {
            // Afterwards everything has ended, and calls find nothing to do.
            case .idle, .stopped: true
            case .running, .stopping: false
            }
        }
    }

    /// Gives a descriptor to the library. The library calls back with `pointer`; nil where it cannot take it.
    func adopt(_ descriptor: Int32, _ kind: lws_adoption_type, for pointer: UnsafeMutableRawPointer) -> OpaquePointer? {
        guard context != nil, !isStopping else { return nil }
        return RawProtocol.name.withCString { name in
            var description = lws_adopt_desc_t()
            description.vh = vhost
            description.type = kind
            description.fd = lws_sock_file_fd_type(sockfd: descriptor)
            description.vh_prot_name = name
            description.opaque = pointer
            return lws_adopt_descriptor_vhost_via_info(&description)
        }
    }

    /// Lets the library connect. It calls back with `pointer`; nil where it failed at once.
    func dial(host: String, port: Int, for pointer: UnsafeMutableRawPointer) -> OpaquePointer? {
        guard context != nil, !isStopping else { return nil }
        return host.withCString { host in
            RawProtocol.name.withCString { name in
                "RAW".withCString { method in
                    var info = lws_client_connect_info()
                    info.context = context
                    info.vhost = vhost
                    info.address = host
                    info.host = host
                    info.port = Int32(port)
                    info.method = method
                    info.local_protocol_name = name
                    info.opaque_user_data = pointer
                    return lws_client_connect_via_info(&info)
                }
            }
        }
    }

    // MARK: The turns

    private func run() {
        takesWriters = true
        turn()
        while !isStopRequested {
            alarm.set(timers.earliest)
            // Below zero, it looks at the sockets and does not wait.
            lws_service(context, writers.isEmpty ? 0 : -1)
            turn()
        }
        shutDown()
    }

    private func turn() {
        for work in mailbox.take() {
            work()
        }
        let now = MonotonicClock.now
        while let work = timers.popDue(now) {
            work()
        }
        whenTurnEnds?()
        writeOut()
        settle()
        takesWriters = true
    }

    /// Lets each writer write once, or as many as a slice allows: the others are the first in the next turn. Whoever asks meanwhile
    /// waits for the socket, so that no turn is without end.
    private func writeOut() {
        takesWriters = false
        var unserved = writers.flowCount
        let end = MonotonicClock.now.advanced(byNanoseconds: TransportLimits.writeSliceNanoseconds)
        while !writers.isEmpty {
            if let (flow, deadline) = writers.giveRound({ $0.endTurn() }) {
                schedule(at: deadline) { [self] in writers.wake(flow) }
            }
            unserved -= 1
            if writesInSlices, unserved <= 0, MonotonicClock.now >= end { return }
        }
    }

    private func settle() {
        whenTurnEnds?()
        while !endOfTurn.isEmpty {
            let work = endOfTurn
            endOfTurn = []
            for item in work {
                item()
            }
            whenTurnEnds?()
        }
    }

    private func shutDown() {
        for work in mailbox.close() {
            work()
        }
        settle()
        isStopping = true
        lws_context_destroy(context)
        context = nil
        vhost = nil
        settle()
        timers.removeAll()
        writers.removeAll()
    }
}

/// A context without a listener of its own, and its one vhost; nil where the system has no room.
private func makeContext() -> (context: OpaquePointer?, vhost: OpaquePointer?) {
    lws_set_log_level(LLL_ERR | LLL_WARN, libraryLine)
    // Without an address of ours, the library takes the environment's HTTP proxy and talks to that; port 0 means none.
    return "none:0".withCString { noProxy in
        var info = lws_context_creation_info()
        info.port = CONTEXT_PORT_NO_LISTEN
        info.protocols = RawProtocol.table
        info.options = UInt64(LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME)
        info.gid = -1
        info.uid = -1
        info.http_proxy_address = noProxy
        info.pt_serv_buf_size = TransportLimits.readBufferBytes
        info.timeout_secs = TransportLimits.connectSeconds
        info.connect_timeout_secs = TransportLimits.connectSeconds
        info.ka_time = TransportLimits.keepaliveIdleSeconds
        info.ka_interval = TransportLimits.keepaliveIntervalSeconds
        info.ka_probes = TransportLimits.keepaliveProbes
        guard let context = lws_create_context(&info) else { return (nil, nil) }
        return (context, lws_create_vhost(context, &info))
    }
}

private func libraryLine(_ level: Int32, _ text: UnsafePointer<CChar>?) {
    guard let text, let thread = LoopThread.current else { return }
    let line = String(cString: text).split(whereSeparator: \.isNewline).joined(separator: " ")
    thread.libraryWrote(line, isError: level == LLL_ERR)
}
