import EaselSupport

/// Prints figures as they come.
struct Reporter {
    /// Microseconds of the reference: copying 1 MiB.
    private(set) var referenceTime = 1.0
    /// How many goals were missed.
    private(set) var missed = 0

    /// Measures the reference.
    mutating func measureReference() {
        let source = [UInt8](repeating: 1, count: 1024 * 1024)
        referenceTime = Measurement.microseconds(repeats: 101, { [UInt8](repeating: 0, count: source.count) }) {
            target in
            target.withUnsafeMutableBytes { bytes in source.withUnsafeBytes { bytes.copyMemory(from: $0) } }
        }
        write(Figure(name: "reference: copying 1 MiB", value: referenceTime, unit: "us"))
    }

    /// Prints a time; the ratio is to the reference.
    mutating func time(_ name: String, _ microseconds: Double, goal: Double? = nil) {
        write(
            Figure(
                name: name, value: microseconds, unit: "us", goal: goal, ratio: microseconds / referenceTime))
    }

    /// Prints a number that is no time.
    mutating func number(_ name: String, _ value: Double, _ unit: String, goal: Double? = nil) {
        write(Figure(name: name, value: value, unit: unit, goal: goal))
    }

    private mutating func write(_ figure: Figure) {
        if let goal = figure.goal, figure.value >= goal { missed += 1 }
        print(figure.line)
    }
}
