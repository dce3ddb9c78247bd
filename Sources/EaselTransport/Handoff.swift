import Glibc

/// One value that one thread gives and another waits for.
///
/// Unchecked, because the semaphore orders the one write before the one read.
final class Handoff<Value: Sendable>: @unchecked Sendable {
    private var value: Value?
    private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        semaphore = .allocate(capacity: 1)
        semaphore.initialize(to: sem_t())
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Gives the value. At most once.
    func give(_ value: Value) {
        self.value = value
        sem_post(semaphore)
    }

    /// Waits for the value.
    func wait() -> Value {
        while sem_wait(semaphore) != 0 {}
        return value!
    }
}
