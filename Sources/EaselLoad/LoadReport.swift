import Foundation

/// Results as text for people.
enum LoadReport {
    /// The lines of one result.
    static func lines(_ summary: LoadSummary) -> [String] {
        var lines = [
            "clients            \(summary.clients) on \(summary.canvases) \(summary.canvases == 1 ? "canvas" : "canvases")",
            "measured           \(summary.seconds) s",
            "actions/s          \(count(summary.actionsPerSecond)) meant, \(count(summary.orderedPerSecond)) ordered",
            "deliveries/s       \(count(summary.deliveriesPerSecond))",
            "edit to seen       p50 \(time(summary.p50))  p90 \(time(summary.p90))  p99 \(time(summary.p99))"
                + "  p99.9 \(time(summary.p999))  max \(time(summary.max))",
            "harness late       p99 \(time(summary.lateP99))"
                + (summary.isHarnessLate ? ": too late for the times above to say much about the server" : ""),
        ]
        if let cost = summary.serverSecondsPerMillionDeliveries {
            lines.append("server             \(cost) CPU s per million deliveries")
        }
        lines += [
            "undos              \(summary.undos), \(summary.wrongUndos) other than predicted",
            "echoes applied     \(summary.echoes)",
            summary.unequalCanvases == 0 && summary.failure == nil
                ? "all states equal   yes" : "all states equal   NO (\(summary.unequalCanvases) canvases differ)",
        ]
        if let failure = summary.failure { lines.append("FAILED             \(failure)") }
        return lines
    }

    /// What changed from one result to another.
    static func comparison(_ old: LoadSummary, _ new: LoadSummary) -> [String] {
        let rows: [(String, Double, Double, String)] = [
            ("ordered/s", old.orderedPerSecond, new.orderedPerSecond, ""),
            ("deliveries/s", old.deliveriesPerSecond, new.deliveriesPerSecond, ""),
            ("p50", old.p50, new.p50, " ms"), ("p99", old.p99, new.p99, " ms"), ("p99.9", old.p999, new.p999, " ms"),
            ("max", old.max, new.max, " ms"), ("harness late p99", old.lateP99, new.lateP99, " ms"),
        ]
        return rows.map { name, old, new, unit in
            let ratio = old > 0 ? String(format: "  x %.2f", new / old) : ""
            return name.padding(toLength: 19, withPad: " ", startingAt: 0)
                + "\(count(old))\(unit) -> \(count(new))\(unit)"
                + ratio
        }
    }

    private static func time(_ milliseconds: Double) -> String {
        String(format: milliseconds < 10 ? "%.2f ms" : "%.0f ms", milliseconds)
    }

    private static func count(_ value: Double) -> String {
        switch value {
        case 1e6...: return String(format: "%.2f M", value / 1e6)
        case 1e4...: return String(format: "%.1f k", value / 1e3)
        case 100...: return String(format: "%.0f", value)
        default: return String(format: "%.2f", value)
        }
    }
}
