internal import Glibc

/// One POSIX thread, joined or detached by its owner exactly once.
struct StorageThread: Sendable {
    private let handle: pthread_t

    private final class Body {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }

    /// Starts a thread that runs `body`; throws `.io` if the system has none to give.
    static func start(_ body: sending @escaping () -> Void) throws(StorageError) -> StorageThread {
        let passed = Unmanaged.passRetained(Body(body))
        var handle = pthread_t()
        let code = pthread_create(
            &handle, nil,
            { pointer in
                guard let pointer else { return nil }
                Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run()
                return nil
            }, passed.toOpaque())
        guard code == 0 else {
            passed.release()
            throw StorageError(
                .io, "The storage thread could not be started. Raise the limit on threads.", systemCode: code)
        }
        return StorageThread(handle: handle)
    }

    var isCurrent: Bool { pthread_equal(handle, pthread_self()) != 0 }

    func join() {
        let code = pthread_join(handle, nil)
        precondition(code == 0, "a storage thread is joined once, by another thread")
    }

    func detach() {
        pthread_detach(handle)
    }
}

/// Lets one thread sleep until another wakes it.
final class WakeUp: Sendable {
    // The pointer never changes, and sem_post and sem_wait may be called on it from any thread.
    nonisolated(unsafe) private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        semaphore = .allocate(capacity: 1)
        let code = sem_init(semaphore, 0, 0)
        precondition(code == 0, "a semaphore that starts at 0 is always valid")
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func send() {
        sem_post(semaphore)
    }

    func wait() {
        while sem_wait(semaphore) != 0 {}
    }
}
