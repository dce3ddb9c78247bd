internal import EaselCore

/// Elements that belong to consecutive revisions, oldest first. Dropping the oldest costs O(1), amortised.
struct RevisionArray<Element: Sendable>: Sendable {
    private var elements: Queue<Element>
    /// The revision of the newest element, or the one before the first that will be appended.
    private(set) var last: Revision

    /// Nothing; the first element appended belongs to the revision after `last`. `blank` as in ``Queue``.
    init(after last: Revision, blank: Element) {
        elements = Queue(blank: blank)
        self.last = last
    }

    var count: Int { elements.count }

    /// The revision before that of the oldest element.
    var base: Revision { last - Revision(count) }

    /// The element of a revision within `base + 1 ... last`.
    subscript(revision: Revision) -> Element {
        precondition(revision > base && revision <= last, "the revision is in the array")
        return elements[Int(revision - base) - 1]
    }

    mutating func append(_ element: Element) {
        elements.append(element)
        last += 1
    }

    /// Drops the oldest element.
    mutating func dropFirst() {
        elements.dropFirst()
    }
}
