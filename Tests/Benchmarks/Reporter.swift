import EaselSupport
import Glibc

/// Prints figures as they come, and counts what became of the goals.
struct Reporter {
    /// What times are compared with that have no reference of their own.
    private var copying = Reference(name: "copying 1 MiB", value: 1)
    private var reached = 0
    private var missed: [String] = []
    private var skipped: [String] = []

    /// Whether everything was measured and no goal was missed.
    var isSatisfied: Bool { missed.isEmpty && skipped.isEmpty }

    /// Measures the reference.
    mutating func measureReference() {
        let source = [UInt8](repeating: 1, count: 1024 * 1024)
        let time = Measurement.microseconds(repeats: 101, { [UInt8](repeating: 0, count: source.count) }) {
            target in
            target.withUnsafeMutableBytes { bytes in source.withUnsafeBytes { bytes.copyMemory(from: $0) } }
        }
        copying = Reference(name: copying.name, value: time)
        write(Figure(name: "reference: \(copying.name)", value: time, unit: "us"))
    }

    /// Prints a time; the ratio is to copying 1 MiB.
    mutating func time(_ name: String, _ microseconds: Double, goal: Goal? = nil) {
        write(Figure(name: name, value: microseconds, unit: "us", goal: goal, reference: copying))
    }

    /// Prints a figure and its ratio to a reference in the same unit.
    mutating func compare(
        _ name: String, _ value: Double, _ unit: String, to reference: Reference, goal: Goal? = nil
    ) {
        write(Figure(name: name, value: value, unit: unit, goal: goal, reference: reference))
    }

    /// Prints a number without a ratio.
    mutating func number(_ name: String, _ value: Double, _ unit: String, goal: Goal? = nil) {
        write(Figure(name: name, value: value, unit: unit, goal: goal))
    }

    /// Says that something could not be measured, and why.
    mutating func skip(_ name: String, _ reason: String) {
        skipped.append(name)
        write("\(name): SKIPPED: \(reason)")
    }

    /// Says what became of the goals.
    func summarize() {
        write("goals: \(reached) reached, \(missed.count) missed, \(skipped.count) not measured")
        for name in missed { write("missed: \(name)") }
        for name in skipped { write("not measured: \(name)") }
    }

    private mutating func write(_ figure: Figure) {
        switch figure.isGoalReached {
        case true?: reached += 1
        case false?: missed.append(figure.name)
        case nil: break
        }
        write(figure.line)
    }

    private func write(_ line: String) {
        print(line)
        // At once, also into a file: who looks at it wants to know how far it has come.
        fflush(nil)
    }
}

/// Why something could not be measured.
struct NotMeasured: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
