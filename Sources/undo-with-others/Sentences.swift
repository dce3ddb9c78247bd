import EaselClientEngine
import EaselCore
import EaselProtocol

/// What an application says about a press. The core gives reasons, not sentences.
enum Sentences {
    /// The lines of a menu entry or of a message about a press.
    static func of(_ press: PressResult, _ direction: PressDirection, _ others: [Participant]) -> [String] {
        let verb = direction == .undo ? "undo" : "redo"
        switch press {
        case .nothing(let remarks):
            return ["There is nothing to \(verb)."] + remarks.map { of($0, others) }
        case .done(let report):
            let passed = report.passed.map { "\($0) changes nothing any more and is passed over." }
            return ["Press to \(verb): \(report.label)"] + passed + report.remarks.map { of($0, others) }
        }
    }

    static func of(_ remark: Remark, _ others: [Participant]) -> String {
        let who = names(of: remark.sites, others)
        let what = remark.keys.isEmpty ? "place" : remark.keys.map(\.rawValue).joined(separator: " and ")
        switch remark.reason {
        case .overwritten: return "\(who) changed the \(what) since; what was there before yours goes over that."
        case .yielded: return "\(who) changed the \(what) since; that stays."
        case .removed: return remark.sites.isEmpty ? "The shape is hidden." : "The shape is hidden; \(who) deleted it."
        case .charactersRemoved: return "\(who) deleted some of these characters."
        case .edited: return "\(who) worked on the shape; redo brings it back with that."
        case .kept: return "\(who) worked on the shape, so it stays."
        case .obstructed: return "The shape cannot go back to its place."
        case .limited: return "The \(what) is the last one known from before you were away."
        case .purged: return "Some of it was deleted so long ago that it is gone for good."
        }
    }

    /// Who it was, as far as they are still here.
    private static func names(of sites: [SiteID], _ others: [Participant]) -> String {
        let names = sites.compactMap { site in others.first { $0.site == site }?.presence.name }
        return names.isEmpty ? "somebody" : names.joined(separator: " and ")
    }
}
