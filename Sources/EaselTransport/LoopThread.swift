import EaselSupport
import Glibc

/// What a loop leaves on the thread it runs on, so that code without a context of its own finds the loop again: the checks that a
/// call comes from the right thread, and libwebsockets' log, whose callback gets no user pointer.
final class LoopThread {
    private let log: Log
    private var windowStart = Instant(nanoseconds: 0)
    private var linesInWindow = 0

    init(log: Log) {
        self.log = log
    }

    /// Whether the calling thread is the one marked with this object.
    var isCurrent: Bool {
        pthread_getspecific(LoopThread.key) == Unmanaged.passUnretained(self).toOpaque()
    }

    /// Marks the calling thread while `body` runs.
    func mark<Result>(_ body: () -> Result) -> Result {
        let previous = pthread_getspecific(LoopThread.key)
        pthread_setspecific(LoopThread.key, Unmanaged.passUnretained(self).toOpaque())
        defer { pthread_setspecific(LoopThread.key, previous) }
        return body()
    }

    /// The mark of the calling thread.
    static var current: LoopThread? {
        pthread_getspecific(key).map { Unmanaged<LoopThread>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Logs a line of the library, unless it has written too many within a second.
    func libraryWrote(_ line: String, isError: Bool) {
        let now = MonotonicClock.now
        if now.milliseconds(since: windowStart) >= 1000 {
            windowStart = now
            linesInWindow = 0
        }
        linesInWindow += 1
        guard linesInWindow <= TransportLimits.libraryLinesPerSecond else { return }
        log.record(isError ? .error : .warning, "libwebsockets", ["line": line])
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let result = pthread_key_create(&key, nil)
        precondition(result == 0, "no thread-specific keys left")
        return key
    }()

    /// Starts a thread with the given name that runs `body`, and returns it for joining.
    static func start(name: String, _ body: @escaping @Sendable () -> Void) throws(TransportError) -> pthread_t {
        let box = Unmanaged.passRetained(ThreadBody(name: name, run: body))
        var thread = pthread_t()
        let result = pthread_create(&thread, nil, runThreadBody, box.toOpaque())
        guard result == 0 else {
            box.release()
            throw .failed(call: "pthread_create", detail: errorText(result))
        }
        return thread
    }
}

private final class ThreadBody: Sendable {
    let name: String
    let run: @Sendable () -> Void

    init(name: String, run: @escaping @Sendable () -> Void) {
        self.name = name
        self.run = run
    }
}

private func runThreadBody(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let body = Unmanaged<ThreadBody>.fromOpaque(pointer!).takeRetainedValue()
    nameThisThread(body.name)
    body.run()
    return nil
}

/// Sets the name that process tools show; the kernel keeps 15 bytes of it. Only a convenience, so a failure is of no interest.
private func nameThisThread(_ name: String) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = write(file, name, name.utf8.count)
    close(file)
}
