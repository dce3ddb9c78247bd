import EaselStorage
import EaselSupport

/// The value of `--keep-log`: how much of each canvas's log is kept.
enum RetentionArgument {
    /// The flag of `easel serve`.
    static let flag = CommandSyntax.Flag(
        "keep-log", value: "HOW",
        help: "all, or at most so much of each canvas's log: 30d, 12h, 100000 edits, 1GiB, or several: 30d,1GiB (all)")

    static let expected =
        "all, or a time (30d, 12h, 45m), a number of edits or a size (512MiB, 1GiB), with commas between several"

    private static let milliseconds: [(unit: String, factor: UInt64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000),
    ]
    private static let bytes: [(unit: String, factor: UInt64)] = [
        ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
    ]

    /// What a text says; nil if it says nothing that can be done.
    static func retention(_ text: String) -> Retention? {
        if text == "all" { return .all }
        var retention = Retention()
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            if let number = UInt64(part), number > 0, retention.entries == nil {
                retention.entries = number
            } else if let time = amount(part, milliseconds), retention.milliseconds == nil {
                retention.milliseconds = time
            } else if let size = amount(part, bytes), retention.bytes == nil {
                retention.bytes = size
            } else {
                return nil
            }
        }
        return retention
    }

    private static func amount(_ text: Substring, _ units: [(unit: String, factor: UInt64)]) -> UInt64? {
        guard let (unit, factor) = units.first(where: { text.hasSuffix($0.unit) }),
            let number = UInt64(text.dropLast(unit.count)), number > 0
        else { return nil }
        let (product, overflows) = number.multipliedReportingOverflow(by: factor)
        return overflows ? nil : product
    }

    /// What is kept, in words for the operator.
    static func words(_ retention: Retention) -> String {
        var parts: [String] = []
        if let time = retention.milliseconds { parts.append("the last \(quantity(time, milliseconds))") }
        if let entries = retention.entries { parts.append("at most \(entries) edits") }
        if let size = retention.bytes { parts.append("at most \(quantity(size, bytes))") }
        return parts.isEmpty ? "everything" : parts.joined(separator: ", ")
    }

    private static func quantity(_ amount: UInt64, _ units: [(unit: String, factor: UInt64)]) -> String {
        let whole = units.filter { amount % $0.factor == 0 }.max { $0.factor < $1.factor }
        return whole.map { "\(amount / $0.factor)\($0.unit)" } ?? "\(amount)"
    }
}
