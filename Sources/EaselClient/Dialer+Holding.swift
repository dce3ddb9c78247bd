import EaselProtocol
import EaselTransport

/// Making messages wait: see `CanvasConnection`.
extension Dialer {
    func hold(_ direction: MessageDirection) {
        _ = loop.call { [self] in
            switch direction {
            case .up:
                // What was handed over before passes.
                if case .open(let connection) = state, collect() { connection.requestWritable() }
                up.hold()
            case .down: down.hold()
            }
            // Whoever holds decides how long; what waits may be the answer that a deadline is about.
            connection?.setTimeout(milliseconds: nil)
        }
    }

    func release(_ direction: MessageDirection) {
        _ = loop.call { [self] in
            switch direction {
            case .up: pass(up.open())
            case .down: hand(down.open())
            }
        }
    }

    func release(_ direction: MessageDirection, count: Int) -> Bool {
        loop.call { [self] in
            switch direction {
            case .up:
                takeOver()
                guard let messages = up.release(count, where: { !$0.isPresence }) else { return false }
                pass(messages)
            case .down:
                guard let messages = down.release(count, where: { !$0.isPresence }) else { return false }
                // Each for itself, as if it had come in a frame of its own.
                for message in messages { hand([message]) }
            }
            return true
        } ?? false
    }

    func duplicate() -> Bool {
        loop.call { [self] in
            takeOver()
            guard let messages = up.release(1, where: { !$0.isPresence }) else { return false }
            pass(messages)
            pass([messages[messages.count - 1]])
            return true
        } ?? false
    }

    func currentTraffic() -> Traffic {
        let current = loop.call { [self] in
            takeOver()
            return traffic
        }
        return current ?? traffic
    }

    func countOn(from earlier: Traffic) {
        _ = loop.call { [self] in
            traffic = earlier
            traffic.lostConnection()
        }
    }

    /// Takes over what the store wants sent now.
    private func takeOver() {
        if case .open(let connection) = state, collect() { connection.requestWritable() }
    }

    private func pass(_ messages: [ClientMessage]) {
        guard case .open(let connection) = state, !messages.isEmpty else { return }
        send(messages)
        connection.requestWritable()
    }

    private func hand(_ messages: [ServerMessage]) {
        guard case .open(let connection) = state, !messages.isEmpty else { return }
        accept(messages, connection)
        carryOut(connection)
    }
}

extension ClientMessage {
    fileprivate var isPresence: Bool {
        if case .presence = self { return true }
        return false
    }
}

extension ServerMessage {
    fileprivate var isPresence: Bool {
        if case .presence = self { return true }
        return false
    }
}
