/// Elements that leave in the order in which they came. It takes memory for as many as were in it at the same time; what left is
/// freed at once. Each operation costs O(1), amortised (two stacks; Hood, Melville, 1981).
package struct Queue<Element> {
    /// Those that came first, the next one last.
    private var front: [Element] = []
    /// Those that came after them, in order.
    private var back: [Element] = []

    /// A queue without elements.
    package init() {}

    package var count: Int { front.count + back.count }

    package var isEmpty: Bool { front.isEmpty && back.isEmpty }

    /// The one that leaves next.
    package var first: Element? { front.last ?? back.first }

    /// Adds an element behind the others.
    package mutating func append(_ element: Element) {
        back.append(element)
    }

    /// Takes out the element that came first; nil if there is none.
    package mutating func popFirst() -> Element? {
        if front.isEmpty {
            swap(&front, &back)
            front.reverse()
        }
        return front.popLast()
    }
}

extension Queue: Sendable where Element: Sendable {}
