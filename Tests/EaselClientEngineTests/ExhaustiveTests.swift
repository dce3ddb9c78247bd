import EaselClientEngine
import EaselCore
import Foundation
import Testing

/// Every combination of few edits and few presses. Random histories find what is likely; these leave nothing out that is
/// small.
@Suite("Every small case of two people: edits at the same time, then presses of undo and redo")
struct ExhaustiveTests {
    /// How far presses go behind the edits.
    static let presses = 4

    @Test(
        "P1, P2, P8, P9, P10, P11, P21: two edits at the same time, in both orders, and up to four presses",
        arguments: isComplete ? ExhaustiveLetter.allCases : ExhaustiveLetter.few)
    func pairs(first: ExhaustiveLetter) throws {
        let canvas = try ExhaustiveCanvas()
        let letters = Self.isComplete ? ExhaustiveLetter.allCases : ExhaustiveLetter.few
        // Who is called A makes no difference, so the other half is left to the long run.
        let start = Self.isComplete ? 0 : letters.firstIndex(of: first) ?? 0
        for second in letters[start...] {
            var search = ExhaustiveSearch(canvas)
            report("\(first) | \(second)") { () throws(OracleMismatch) in
                try search.searchPair(first, second)
            }
        }
    }

    /// Whether nothing is left out, with `EASEL_EXHAUSTIVE=1`: a run of many minutes.
    static let isComplete = ProcessInfo.processInfo.environment["EASEL_EXHAUSTIVE"] == "1"
    /// One of so many triples is tried, with each first letter another one.
    static let share = isComplete ? 1 : 193

    @Test(
        "P1, P2, P8, P9, P10, P11, P21: two edits against one, in all orders, and up to four presses",
        arguments: ExhaustiveLetter.allCases)
    func triples(first: ExhaustiveLetter) throws {
        let canvas = try ExhaustiveCanvas()
        let letters = ExhaustiveLetter.allCases
        let shift = letters.firstIndex(of: first) ?? 0
        for index in 0..<letters.count * letters.count * 3 where (index + 7 * shift) % Self.share == 0 {
            let (second, third) = (letters[index / 3 / letters.count], letters[index / 3 % letters.count])
            var search = ExhaustiveSearch(canvas)
            report("\(first), \(second) | \(third), place \(index % 3)") { () throws(OracleMismatch) in
                try search.searchTriple(first, second, third, place: index % 3)
            }
        }
    }

    private func report(_ name: String, _ body: () throws(OracleMismatch) -> Void) {
        do {
            try body()
        } catch {
            Issue.record("\(name): \(error.sentence)")
        }
    }
}

/// All presses behind some edits, depth first.
private struct ExhaustiveSearch {
    /// When what is pressed is delivered.
    enum Delivery {
        /// After each press.
        case atOnce
        /// After the last of the whole search, the messages of the first or the second client first.
        case together
        /// The same, and also after fewer presses.
        case late
    }

    let canvas: ExhaustiveCanvas
    let start: [String]
    /// Where the search is, for messages.
    private var path = ""

    init(_ canvas: ExhaustiveCanvas) {
        self.canvas = canvas
        start = ExhaustiveCanvas.existence(canvas.world.network.canvas)
    }

    /// Two edits that do not know of each other. By the names of the clients alone, the first is always A's.
    mutating func searchPair(_ first: ExhaustiveLetter, _ second: ExhaustiveLetter) throws(OracleMismatch) {
        var world = canvas.world
        try edit(&world, 0, first)
        try edit(&world, 1, second)
        for earlier in [0, 1] {
            var copy = world
            try copy.settleByTheLaws(first: earlier)
            try search(copy, "order \(earlier)", .atOnce, depth: ExhaustiveTests.presses)
            try search(copy, "order \(earlier), racing", .together, depth: 2)
        }
        try search(world, "undelivered", .late, depth: ExhaustiveTests.isComplete ? ExhaustiveTests.presses : 2)
    }

    /// Two edits of A and one of B that comes at `place` among them.
    mutating func searchTriple(
        _ first: ExhaustiveLetter, _ second: ExhaustiveLetter, _ third: ExhaustiveLetter, place: Int
    ) throws(OracleMismatch) {
        var world = canvas.world
        try edit(&world, 0, first)
        try edit(&world, 0, second)
        try edit(&world, 1, third)
        try search(world, "undelivered", .late, depth: 2)
        for client in place == 0 ? [1, 0, 0] : place == 1 ? [0, 1, 0] : [0, 0, 1] { try world.deliverUp(client) }
        try world.settleByTheLaws(first: 0)
        try search(world, "", .atOnce, depth: ExhaustiveTests.presses)
    }

    private func edit(_ world: inout OracleWorld, _ client: Int, _ letter: ExhaustiveLetter) throws(OracleMismatch) {
        let canvas = canvas
        try world.edit(client, "\(letter)") { letter.write(&$0, canvas, client: client) }
    }

    /// Checks the laws here, and goes on with each press that does something.
    private func search(
        _ world: OracleWorld, _ path: String, _ delivery: Delivery, depth: Int
    ) throws(OracleMismatch) {
        do throws(OracleMismatch) {
            // Near the end of the search these would look beyond it.
            if depth >= 2 {
                try world.checkNeutral()
                try world.checkReturn(to: start)
                try world.checkRedoIsCleared(canvas.p)
            }
            if delivery == .late || delivery == .together && depth == 0 { try deliverLate(world) }
        } catch {
            throw OracleMismatch(sentence: "\(path): \(error.sentence)")
        }
        if depth == 0 { return }
        for press in ExhaustivePress.all {
            var next = world
            let name = "\(path) \(press)"
            let isDone: Bool
            do throws(OracleMismatch) {
                isDone = try next.pressByTheLaws(press)
                if delivery == .atOnce, isDone { try next.settleByTheLaws(first: press.client) }
            } catch {
                throw OracleMismatch(sentence: "\(name): \(error.sentence)")
            }
            // A press that does nothing leads nowhere new.
            if isDone { try search(next, name, delivery, depth: depth - 1) }
        }
    }

    private func deliverLate(_ world: OracleWorld) throws(OracleMismatch) {
        for first in [0, 1] {
            var copy = world
            try copy.settleByTheLaws(first: first)
        }
    }
}
