import EaselSupport
import Glibc
import Testing

@testable import EaselTransport

@Suite(.serialized)
struct EventLoopTests {
    @Test("BACK-06 work of sixteen threads is done once each, in the order of each thread")
    func posting() async throws {
        let fixture = try LoopFixture()
        let loop = fixture.loop
        let done = Locked([[Int]](repeating: [], count: 16))
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<16 {
                group.addTask {
                    for number in 0..<500 {
                        loop.post { done.withLock { $0[thread].append(number) } }
                    }
                }
            }
        }
        _ = loop.call { true }
        #expect(done.withLock { $0 } == [[Int]](repeating: Array(0..<500), count: 16))
    }

    @Test(
        "a turn's end comes once for what came in together, before connections write, and again where writing made more to do"
    )
    func turnEnds() throws {
        let fixture = try LoopFixture()
        let loop = fixture.loop
        let events = Locked([String]())
        // What came in and was not yet dealt with at a turn's end.
        let open = Locked([String]())
        let server = Recorder(
            received: { connection, _ in
                open.withLock { $0.append("received") }
                connection.requestWritable()
            },
            writable: { _ in
                events.withLock { $0.append("writable") }
                open.withLock { $0.append("written") }
            })
        let port = try fixture.listen(server)
        fixture.onLoop {
            loop.whenTurnEnds = {
                let brought = open.withLock { open in
                    defer { open = [] }
                    return open
                }
                if !brought.isEmpty { events.withLock { $0.append(brought.joined(separator: " ")) } }
            }
        }
        fixture.onLoop {
            for _ in 0..<2 { loop.post { open.withLock { $0.append("posted") } } }
        }
        #expect(eventually { events.withLock { $0 } == ["posted posted"] })
        let peer = PlainSocket(port: port)
        peer.send([1])
        // The peer says and does no more, so the loop has nothing else to end a turn for.
        #expect(eventually { events.withLock { $0.count } == 4 })
        #expect(events.withLock { $0 } == ["posted posted", "received", "writable", "written"])
        withExtendedLifetime(peer) {}
    }

    @Test("timers fire in the order of their times, not of their making, and a cancelled one does not")
    func timers() throws {
        let fixture = try LoopFixture()
        let loop = fixture.loop
        let fired = Locked([Int]())
        fixture.onLoop {
            for delay in [30, 10, 20, 0, 15] {
                loop.schedule(after: delay) { fired.withLock { $0.append(delay) } }
            }
            loop.schedule(after: 5) { fired.withLock { $0.append(-1) } }.cancel()
        }
        #expect(eventually { fired.withLock { $0.count } == 5 })
        #expect(fired.withLock { $0 } == [0, 10, 15, 20, 30])
    }

    @Test("a loop that gets no descriptors is an error, and leaves the process as it was")
    func outOfDescriptors() async {
        await #expect(processExitsWith: .success) {
            let free = open("/dev/null", O_RDONLY)
            close(free)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let before = limit.rlim_cur
            // One needs two at least.
            for room in 0..<2 {
                limit.rlim_cur = rlim_t(free) + rlim_t(room)
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                #expect(throws: TransportError.self) { try EventLoop(name: "test", log: Log(write: { _ in })) }
            }
            limit.rlim_cur = before
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let fixture = try LoopFixture()
            #expect(fixture.onLoop { true })
        }
    }

    @Test("a timer fires also where its time has passed and is that of the one that rang last")
    func sameTimeAgain() throws {
        let fixture = try LoopFixture()
        let loop = fixture.loop
        let hasFired = Locked(false)
        fixture.onLoop {
            let deadline = MonotonicClock.now.advanced(byMilliseconds: 20)
            loop.schedule(at: deadline) {
                // Behind the turn's timers, so that the loop has to wake up for it once more.
                loop.atEndOfTurn { loop.schedule(at: deadline) { hasFired.withLock { $0 = true } } }
            }
        }
        #expect(eventually { hasFired.withLock { $0 } })
    }

    @Test("a timer never fires early, and waiting for it costs no processor time")
    func timerAccuracy() throws {
        let fixture = try LoopFixture()
        let loop = fixture.loop
        let start = MonotonicClock.now
        let ends = Locked([Instant]())
        let usedBefore = fixture.onLoop { threadMicroseconds() }
        fixture.onLoop {
            for delay in 1...100 {
                loop.schedule(after: delay) { ends.withLock { $0.append(MonotonicClock.now) } }
            }
        }
        #expect(eventually { ends.withLock { $0.count } == 100 })
        for (index, end) in ends.withLock({ $0 }).enumerated() {
            #expect(end.milliseconds(since: start) >= UInt64(index + 1))
        }
        let used = fixture.onLoop { threadMicroseconds() } - usedBefore
        #expect(used < 50_000, "a hundred wake-ups in 100 ms used \(used) us")
    }

    @Test("stop does the work posted before, ends connections as loopStopped, and refuses what comes after")
    func stopping() throws {
        let loop = try EventLoop(name: "stopping", log: Log(write: { _ in }))
        let recorder = Recorder()
        let listener = try loop.listen(host: "127.0.0.1", port: 0) { _ in recorder }
        try loop.start()
        let peer = PlainSocket(port: listener.port)
        #expect(eventually { recorder.now.opened == 1 })
        let done = Locked(false)
        loop.post { done.withLock { $0 = true } }
        loop.stop()
        #expect(done.withLock { $0 })
        #expect(recorder.now.reasons == [.loopStopped])
        #expect(peer.isAtEnd())
        #expect(!loop.post {})
        #expect(loop.call { 1 } == nil)
        loop.stop()
    }

    @Test("a loop that was never started does posted work when it is stopped, and then cannot listen")
    func neverStarted() throws {
        let loop = try EventLoop(name: "idle", log: Log(write: { _ in }))
        try loop.listen(host: "127.0.0.1", port: 0) { _ in nil }
        let done = Locked(false)
        loop.post { done.withLock { $0 = true } }
        loop.stop()
        #expect(done.withLock { $0 })
        #expect(throws: TransportError.stopped) { try loop.listen(host: "127.0.0.1", port: 0) { _ in nil } }
    }

    @Test("a connection asked for in the last moment ends as loopStopped")
    func connectWhileStopping() throws {
        let loop = try EventLoop(name: "late", log: Log(write: { _ in }))
        let recorder = Recorder()
        _ = loop.connect(host: "127.0.0.1", port: 1, handler: recorder)
        loop.stop()
        #expect(recorder.now.reasons.count == 1)
        #expect(recorder.now.opened == 0)
    }

    @Test("a watched descriptor reports what can be read until it is cancelled")
    func watching() throws {
        let fixture = try LoopFixture()
        let loop = fixture.loop
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let (readEnd, writeEnd) = (ends[0], ends[1])
        let bytes = Locked([UInt8]())
        let watch = fixture.onLoop {
            try? loop.watch(descriptor: readEnd) {
                var byte: UInt8 = 0
                while read(readEnd, &byte, 1) == 1 {
                    bytes.withLock { $0.append(byte) }
                }
            }
        }
        #expect(watch != nil)
        _ = write(writeEnd, "ab", 2)
        #expect(eventually { bytes.withLock { $0 } == Array("ab".utf8) })
        fixture.onLoop { watch?.cancel() }
        _ = write(writeEnd, "c", 1)
        #expect(fixture.onLoop { bytes.withLock { $0.count } } == 2)
        close(readEnd)
        close(writeEnd)
    }

    @Test("signals reach a loop through their watch")
    func signals() throws {
        let fixture = try LoopFixture()
        let loop = fixture.loop
        let seen = Locked([SignalWatch.Signal]())
        let signals = SignalWatch([.windowChange, .terminate])
        let descriptor = signals.descriptor
        let watch = fixture.onLoop {
            try? loop.watch(descriptor: descriptor) {
                let taken = signals.take()
                seen.withLock { $0 += taken }
            }
        }
        kill(getpid(), SIGWINCH)
        #expect(eventually { seen.withLock { $0 } == [.windowChange] })
        kill(getpid(), SIGTERM)
        #expect(eventually { seen.withLock { $0 } == [.windowChange, .terminate] })
        fixture.onLoop { watch?.cancel() }
    }
}

/// Processor time of the calling thread.
private func threadMicroseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
}
