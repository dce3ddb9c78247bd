import EaselClientEngine
import EaselCore

/// What the editor says of a press of undo or redo: what comes back, what does not, and whose work that touches. The words
/// are the same before the press and after it.
extension Sentences {
    /// What a press did: "undid: Recolor Rectangle (over Rui's colour)", "nothing to undo: Rui deleted the shape".
    static func pressed(_ direction: PressDirection, _ result: PressResult, _ people: People) -> String {
        let note = note(on: result, people)
        switch result {
        case .done(let report):
            let verb = direction == .undo ? "undid" : "redid"
            return "\(verb): \(report.label)" + (note.map { " (\($0))" } ?? "")
        case .nothing:
            let nothing = direction == .undo ? "nothing to undo" : "nothing to redo"
            return nothing + (note.map { ": \($0)" } ?? "")
        }
    }

    /// The most important thing to say of a press and how many more there are: "over Rui's colour +2 more". Nil if it does
    /// just what its action did.
    static func note(on result: PressResult, _ people: People) -> String? {
        let clauses = clauses(on: result, people)
        guard let first = clauses.first else { return nil }
        return clauses.count == 1 ? first : "\(first) +\(clauses.count - 1) more"
    }

    /// Whose work goes first, then what stays as it is and why.
    private static let importance: [Remark.Reason] = [
        .overwritten, .edited, .kept, .yielded, .removed, .charactersRemoved, .purged, .obstructed,
        .limited,
    ]

    /// What there is to say, the most important first, nothing twice.
    private static func clauses(on result: PressResult, _ people: People) -> [String] {
        var clauses: [String] = []
        for reason in importance {
            var found = remarks(on: result, for: reason).map { clause($0, people) }
            if reason == .removed, let passed = passed(in: result) {
                found = found.isEmpty ? [passed] : found.map { "\(passed): \($0)" }
            }
            for clause in found where !clauses.contains(clause) { clauses.append(clause) }
        }
        return clauses
    }

    /// The remarks of a reason, without those that would only confuse: where nothing can be seen, nobody's work is seen to go.
    private static func remarks(on result: PressResult, for reason: Remark.Reason) -> [Remark] {
        let touchesWork = [.overwritten, .edited, .limited].contains(reason)
        switch result {
        case .nothing(let remarks):
            return touchesWork ? [] : remarks.filter { $0.reason == reason }
        case .done(let report):
            return report.remarks.filter { remark in
                remark.reason == reason && (!touchesWork || report.isSeen(remark.shape))
            }
        }
    }

    /// The actions that a press passes over.
    private static func passed(in result: PressResult) -> String? {
        guard case .done(let report) = result, let first = report.passed.first else { return nil }
        return report.passed.count == 1 ? "past \(first)" : "past \(first) and \(report.passed.count - 1) more"
    }

    /// One remark in words.
    static func clause(_ remark: Remark, _ people: People) -> String {
        let sites = remark.sites
        switch remark.reason {
        case .overwritten: return "over \(people.owning(sites)) \(subject(of: remark.keys))"
        case .yielded: return "leaving \(people.owning(sites)) \(subject(of: remark.keys))"
        case .removed: return sites.isEmpty ? "the shape is deleted" : "\(people.named(sites)) deleted the shape"
        case .charactersRemoved: return "\(people.named(sites)) deleted some of the text"
        case .edited: return "with \(people.owning(sites)) work"
        case .kept: return "it stays, with \(people.owning(sites)) work"
        case .obstructed: return "its old place is out of reach"
        case .limited: return "as far as known here"
        case .purged: return "deleted for good"
        }
    }

    /// What somebody did to a shape, of the registers or, without any, of its place in the order.
    private static func subject(of keys: [PropertyKey]) -> String {
        var subjects: [String] = []
        for subject in keys.map(subject) where !subjects.contains(subject) { subjects.append(subject) }
        switch subjects.count {
        case 0: return "order"
        case 1: return subjects[0]
        case 2: return "\(subjects[0]) and \(subjects[1])"
        default: return "changes"
        }
    }

    private static func subject(of key: PropertyKey) -> String {
        switch key {
        case Key.x, Key.y, Key.x2, Key.y2: return "move"
        case Key.width, Key.height: return "size"
        case Key.stroke, Key.fill, Key.color: return "colour"
        default: return "change"
        }
    }
}

extension PressReport {
    /// Whether a shape changes visibly. O(log number of them), since they are sorted and this is asked at every frame.
    fileprivate func isSeen(_ id: ShapeID) -> Bool {
        var (low, high) = (0, shapes.count)
        while low < high {
            let middle = (low + high) / 2
            if shapes[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low < shapes.count && shapes[low] == id
    }
}
