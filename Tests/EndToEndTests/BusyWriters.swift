import EaselClient
import EaselClientEngine
import EaselCore
import Foundation
import Testing

/// People who edit one canvas as fast as they are acknowledged. Each edit has a label of its own, so that it can be found in the
/// log: the writer's name and a number that counts from 1.
final class BusyWriters {
    /// Edits of one writer that may wait for their acknowledgement.
    private static let waitingLimit = 6
    private static let note: PropertyKey = PropertyKey("note")

    let people: [Person]
    private var shapes: [ShapeID] = []
    private(set) var submitted: [Int]
    /// What each edit sets; large texts make the log grow fast.
    private let text: String

    init(_ count: Int, canvas: String, server: ServerAddress, textBytes: Int = 10) throws {
        people = try (0..<count).map { try Person("w\($0)", canvas: canvas, server: server) }
        submitted = Array(repeating: 0, count: count)
        text = String(repeating: "x", count: textBytes)
        for (index, person) in people.enumerated() {
            try person.store.edit(label(index)) { shapes.append($0.create(kind: "note")) }
        }
    }

    private func label(_ index: Int) -> String {
        submitted[index] += 1
        return "w\(index)-\(submitted[index])"
    }

    /// Edits for a while.
    func work(milliseconds: Int) throws {
        let deadline = Date().addingTimeInterval(Double(milliseconds) / 1_000)
        repeat { try edit() } while Date() < deadline
    }

    /// Edits until somebody was told of a revision; false if that takes too long.
    func work(untilRevision goal: UInt64) throws -> Bool {
        let deadline = Date().addingTimeInterval(30)
        while revision < goal {
            try edit()
            if Date() > deadline { return false }
        }
        return true
    }

    /// One edit of everybody who has not too many waiting.
    private func edit() throws {
        for (index, person) in people.enumerated() where person.store.status.pendingCount < Self.waitingLimit {
            let number = submitted[index]
            try person.store.edit(label(index)) {
                $0.set(shapes[index], Self.note, .string("\(number) \(text)"))
                if number % 3 == 0 { $0.insertText("\(number % 10)", at: 0, in: shapes[(index + 1) % shapes.count]) }
            }
        }
        usleep(500)
    }

    /// How many edits of each writer were acknowledged: always the first ones, for they are stored in order.
    var acknowledged: [Int] {
        // The order of the two matters not: nobody edits meanwhile.
        people.indices.map { submitted[$0] - people[$0].store.status.pendingCount }
    }

    /// The newest revision that anybody was told of.
    var revision: UInt64 { people.map(\.store.status.revision).max() ?? 0 }

    /// Whether everything is acknowledged and all have the same canvas.
    var areSettled: Bool {
        let first = people[0].store.status
        return people.allSatisfy {
            let status = $0.store.status
            return status.link == .live && status.pendingCount == 0 && status.digest == first.digest
                && status.revision == first.revision
        }
    }

    /// Compares a log with what the writers know: each edit up to `counts` is there once and in its writer's order, and no other
    /// edit is there twice.
    func check(_ lines: [LogLine], holds counts: [Int]) {
        let problems = disorder(in: lines)
        #expect(problems.isEmpty, "\(problems.prefix(5))")
        for index in people.indices {
            let labels = lines.map(\.label).filter { $0.hasPrefix("w\(index)-") }
            let wrong = labels.indices.first { labels[$0] != "w\(index)-\($0 + 1)" }
            #expect(wrong == nil, "\(labels[wrong ?? 0]) is number \((wrong ?? 0) + 1) of its writer in the log")
            #expect(labels.count >= counts[index], "writer \(index)")
        }
    }
}
