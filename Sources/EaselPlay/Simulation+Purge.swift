import EaselCore
import EaselServerEngine

extension Simulation {
    /// Lets the server remove what is hidden of the targets for good, once that is on the disk. Returns whether it accepts that now.
    mutating func purge(_ targets: [Targets]) -> Bool {
        var isAccepted = false
        perform { room, _, moment in isAccepted = room.purge(targets, at: moment) }
        perform { room, actions, _ in room.endTurn(into: &actions) }
        return isAccepted
    }

    /// All characters that shapes have on the server; shapes without any are left out.
    func texts(of shapes: [ShapeID]) -> [Targets] {
        shapes.compactMap { id in
            let runs = serverCanvas[id]?.text.storedRuns() ?? []
            let ranges = runs.map { CharacterRange(first: $0.first, count: $0.count) }
            return ranges.isEmpty ? nil : .characters(id, ranges)
        }
    }
}
