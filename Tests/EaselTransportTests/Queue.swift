import EaselSupport

/// Byte arrays in order, for handlers that must be sendable.
final class Queue: Sendable {
    private let arrays: Locked<[[UInt8]]>

    init(_ arrays: [[UInt8]]) {
        self.arrays = Locked(arrays)
    }

    func append(_ bytes: [UInt8]) {
        arrays.withLock { $0.append(bytes) }
    }

    func next() -> [UInt8]? {
        arrays.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    func all() -> [UInt8] {
        arrays.withLock { arrays in
            defer { arrays = [] }
            return arrays.flatMap { $0 }
        }
    }
}
