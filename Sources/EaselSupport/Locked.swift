import Glibc

/// A value that several threads use, one at a time.
///
/// The standard library's `Mutex` does the same, but the thread sanitizer cannot see it on Linux and then reports everything
/// that is passed from thread to thread through it; it knows the lock of the system used here.
///
/// Unchecked, because the value is reached under the lock only.
public final class Locked<Value>: @unchecked Sendable {
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Puts `value` behind a new lock.
    public init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the value while no other thread does.
    ///
    /// Precondition: `body` does not use the same lock again.
    public func withLock<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}
