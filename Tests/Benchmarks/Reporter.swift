import EaselSupport
import Glibc

/// Prints figures as they come.
struct Reporter {
    /// What times are compared with that have no reference of their own.
    private var copying = Reference(name: "copying 1 MiB", value: 1)
    /// How many goals were missed.
    private(set) var missed = 0

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
    mutating func time(_ name: String, _ microseconds: Double, goal: Double? = nil) {
        write(Figure(name: name, value: microseconds, unit: "us", goal: goal, reference: copying))
    }

    /// Prints a figure and its ratio to a reference in the same unit.
    mutating func compare(
        _ name: String, _ value: Double, _ unit: String, to reference: Reference, goal: Double? = nil
    ) {
        write(Figure(name: name, value: value, unit: unit, goal: goal, reference: reference))
    }

    /// Prints a number without a ratio.
    mutating func number(_ name: String, _ value: Double, _ unit: String, goal: Double? = nil) {
        write(Figure(name: name, value: value, unit: unit, goal: goal))
    }

    private mutating func write(_ figure: Figure) {
        if let goal = figure.goal, figure.value >= goal { missed += 1 }
        print(figure.line)
        // At once, also into a file: who looks at it wants to know how far it has come.
        fflush(nil)
    }
}
