/// What a figure is compared with: the same thing done in the barest way, measured in the same run.
struct Reference {
    /// What was done, to be read behind "x".
    let name: String
    /// In the unit of the figure.
    let value: Double
}

/// What a figure is to keep to.
enum Goal {
    case atMost(Double)
    case atLeast(Double)

    func isReached(by value: Double) -> Bool {
        switch self {
        case .atMost(let most): value <= most
        case .atLeast(let least): value >= least
        }
    }
}

/// One line of the report: a figure, and its ratio to a reference measured in the same run, since machines are noisy.
struct Figure {
    let name: String
    let value: Double
    let unit: String
    var goal: Goal?
    /// What the value is compared with, if anything.
    var reference: Reference?

    /// Nil without a goal.
    var isGoalReached: Bool? { goal?.isReached(by: value) }

    var line: String {
        let times = reference.map { reference in
            "  \(Self.rounded(value / reference.value)) x \(reference.name) (\(Self.rounded(reference.value)) \(unit))"
        }
        return "\(name): \(Self.rounded(value)) \(unit)\(times ?? "")\(judgement)"
    }

    private var judgement: String {
        guard let goal else { return "" }
        let limit =
            switch goal {
            case .atMost(let most): "at most \(Self.rounded(most))"
            case .atLeast(let least): "at least \(Self.rounded(least))"
            }
        return "  (goal: \(limit): \(goal.isReached(by: value) ? "reached" : "MISSED"))"
    }

    /// Three digits that count.
    private static func rounded(_ value: Double) -> String {
        guard value.isFinite else { return "\(value)" }
        var scale = 1.0
        while value != 0, abs(value) * scale < 100 { scale *= 10 }
        let result = (value * scale).rounded() / scale
        return result == result.rounded() ? String(Int(result)) : String(result)
    }
}
