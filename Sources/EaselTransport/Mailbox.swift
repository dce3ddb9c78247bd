import EaselSupport

/// Work that other threads leave for a loop.
final class Mailbox: Sendable {
    private struct State {
        var work: [@Sendable () -> Void] = []
        var isOpen = true
    }

    private let state = Locked(State())

    /// Leaves `work`, and calls `wake` where the box was empty. Returns false, and leaves nothing, where the box is closed.
    ///
    /// `wake` runs under the lock, so what it wakes cannot be torn down before `close()` returned.
    func post(_ work: @escaping @Sendable () -> Void, wake: () -> Void) -> Bool {
        state.withLock { state in
            guard state.isOpen else { return false }
            state.work.append(work)
            if state.work.count == 1 {
                wake()
            }
            return true
        }
    }

    /// Takes everything out, oldest first.
    func take() -> [@Sendable () -> Void] {
        state.withLock { state in
            defer { state.work = [] }
            return state.work
        }
    }

    /// Refuses work from now on, and takes out what is left.
    func close() -> [@Sendable () -> Void] {
        state.withLock { state in
            defer { state = State(isOpen: false) }
            return state.work
        }
    }
}
