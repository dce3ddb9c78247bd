import EaselClientEngine
import EaselCore
import EaselProtocol

/// The names of those who are on the canvas, or were while this editor was open, by site.
///
/// What somebody did stays when they leave, so their names are kept for sentences about it.
struct People: Sendable {
    /// Who did something, as far as that is not known.
    static let somebody = "somebody"
    /// Names from which on those of people who left are forgotten.
    private static let mostNames = 1_000
    /// The columns of a name that are written; the rest is cut off.
    private static let nameColumns = 16

    private var names: [SiteID: String] = [:]

    /// Takes note of who is on the canvas now.
    mutating func meet(_ participants: [Participant]) {
        if names.count > Self.mostNames { names = [:] }
        for participant in participants where !participant.presence.name.isEmpty {
            names[participant.site] = participant.presence.name
        }
    }

    /// Who they are: "Rui", "Rui and Bea", "Rui and 2 others".
    func named(_ sites: [SiteID]) -> String {
        let names = distinctNames(sites)
        switch names.count {
        case 0: return Self.somebody
        case 1: return names[0]
        case 2: return "\(names[0]) and \(names[1])"
        default: return "\(names[0]) and \(names.count - 1) others"
        }
    }

    /// The same as owners of what follows: "Rui's", "Rui's and Bea's", "Rui's and 2 others'".
    func owning(_ sites: [SiteID]) -> String {
        let names = distinctNames(sites)
        switch names.count {
        case 0: return "\(Self.somebody)'s"
        case 1: return "\(names[0])'s"
        case 2: return "\(names[0])'s and \(names[1])'s"
        default: return "\(names[0])'s and \(names.count - 1) others'"
        }
    }

    /// Names without repetition, those that are known first.
    private func distinctNames(_ sites: [SiteID]) -> [String] {
        var result: [String] = []
        for name in sites.compactMap({ names[$0] }) where !result.contains(name) { result.append(name) }
        if sites.contains(where: { names[$0] == nil }) { result.append(Self.somebody) }
        return result.map { CellWidth.cut($0, to: Self.nameColumns) }
    }
}
