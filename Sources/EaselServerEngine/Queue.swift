/// Elements in the order in which they came. Adding one, and dropping the oldest, cost O(1), amortised.
struct Queue<Element: Sendable>: Sendable {
    private var storage: [Element] = []
    private var dropped = 0
    private let blank: Element

    /// A queue without elements.
    ///
    /// - Parameter blank: What takes the place of one that is dropped, so that what that one owned is freed at once.
    init(blank: Element) { self.blank = blank }

    var count: Int { storage.count - dropped }

    var last: Element? { count > 0 ? storage.last : nil }

    /// The element at a place, 0 for the oldest.
    subscript(place: Int) -> Element {
        precondition(place >= 0 && place < count, "the place is in the queue")
        return storage[dropped + place]
    }

    mutating func append(_ element: Element) {
        storage.append(element)
    }

    /// Drops the oldest element.
    mutating func dropFirst() {
        precondition(count > 0, "there is an element to drop")
        storage[dropped] = blank
        dropped += 1
        if dropped > 64, dropped * 2 > storage.count {
            storage.removeFirst(dropped)
            dropped = 0
        }
    }
}
