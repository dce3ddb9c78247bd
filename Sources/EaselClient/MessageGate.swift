/// Which way messages go, seen from a client.
package enum MessageDirection: Sendable {
    /// To the server.
    case up
    /// To the client.
    case down
}

/// Where the messages of one direction pass, or are made to wait in order.
struct MessageGate<Message: Sendable>: Sendable {
    /// What came and has not passed, oldest first.
    private(set) var waiting: [Message] = []
    /// Whether messages that come have to wait.
    private(set) var isHeld = false

    /// Takes messages that came. Returns those that pass now.
    mutating func take(_ messages: [Message]) -> [Message] {
        guard isHeld else { return messages }
        waiting += messages
        return []
    }

    /// Lets nothing pass from now on.
    mutating func hold() { isHeld = true }

    /// Lets everything pass from now on. Returns what waited.
    mutating func open() -> [Message] {
        isHeld = false
        defer { waiting = [] }
        return waiting
    }

    /// Lets the oldest messages pass until `count` of those that `isCounted` names have. Returns nil, and lets nothing
    /// pass, if fewer of them wait.
    mutating func release(_ count: Int, where isCounted: (Message) -> Bool) -> [Message]? {
        var found = 0
        for index in waiting.indices where isCounted(waiting[index]) {
            found += 1
            guard found == count else { continue }
            defer { waiting.removeFirst(index + 1) }
            return Array(waiting[...index])
        }
        return nil
    }

    /// Forgets what waits, as a connection that is cut does. Whether messages have to wait does not change.
    mutating func clear() { waiting = [] }
}
