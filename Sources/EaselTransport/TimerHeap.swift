import EaselSupport

/// Work that a loop does at a later time; made by `EventLoop.schedule`.
public final class LoopTimer {
    let deadline: Instant
    /// Where the timer stands in the heap, or nil when it fired or was cancelled.
    fileprivate var place: Int?
    fileprivate var work: (() -> Void)?
    private unowned let loop: EventLoop

    init(deadline: Instant, loop: EventLoop, work: @escaping () -> Void) {
        self.deadline = deadline
        self.loop = loop
        self.work = work
    }

    /// Takes the work back; does nothing where it has been done already. On the loop only. O(log timers).
    public func cancel() {
        loop.checkOnLoop()
        loop.timers.remove(self)
    }
}

/// A loop's timers, earliest first: a binary heap in which every timer knows its place, so that cancelling costs as little as
/// setting.
///
/// libwebsockets has timers, but in a sorted list: with ten thousand connections, each with a time limit, setting one walks
/// through all of them.
struct TimerHeap {
    private var timers: [LoopTimer] = []

    /// When the first timer is due.
    var earliest: Instant? {
        timers.first?.deadline
    }

    /// O(log n).
    mutating func insert(_ timer: LoopTimer) {
        timers.append(timer)
        timer.place = timers.count - 1
        rise(timers.count - 1)
    }

    /// O(log n).
    mutating func remove(_ timer: LoopTimer) {
        guard let place = timer.place else { return }
        timer.place = nil
        timer.work = nil
        let last = timers.removeLast()
        guard last !== timer else { return }
        timers[place] = last
        last.place = place
        rise(place)
        sink(last.place!)
    }

    /// Removes the first timer that is due at `now` and returns its work. O(log n).
    mutating func popDue(_ now: Instant) -> (() -> Void)? {
        guard let first = timers.first, first.deadline <= now else { return nil }
        let work = first.work
        remove(first)
        return work
    }

    mutating func removeAll() {
        for timer in timers {
            timer.place = nil
            timer.work = nil
        }
        timers = []
    }

    private mutating func rise(_ start: Int) {
        var place = start
        while place > 0, timers[place].deadline < timers[(place - 1) / 2].deadline {
            exchange(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func sink(_ start: Int) {
        var place = start
        while true {
            var first = place
            for child in [2 * place + 1, 2 * place + 2]
            where child < timers.count && timers[child].deadline < timers[first].deadline {
                first = child
            }
            guard first != place else { return }
            exchange(place, first)
            place = first
        }
    }

    private mutating func exchange(_ left: Int, _ right: Int) {
        timers.swapAt(left, right)
        timers[left].place = left
        timers[right].place = right
    }
}
