import EaselClient
import EaselClientEngine
import EaselCore

/// One person alone with a store, as an editor uses it. Without a connection everything works the same and waits to be sent.
enum OnePerson {
    private static let x: PropertyKey = PropertyKey("x")

    static func play() throws {
        print("\nA store of one's own")
        guard let plan = CanvasID("plan"), let site = SiteID(1) else { preconditionFailure("both are valid") }
        let store = CanvasStore(canvas: plan, name: "Ana", provisionalSite: site)
        var box: ShapeID?
        try store.edit("Create Box") { box = $0.create(kind: "box") }
        guard let box else { preconditionFailure("an edit runs its closure") }

        // A command of several edits is one step.
        store.beginGroup("Align")
        let selected = Selection(shapes: [box])
        for x in 1...3 {
            try store.edit("Nudge") { draft in
                draft.set(box, Self.x, .integer(Int64(x)))
                draft.selection = SelectionChange(before: selected, after: selected)
            }
        }
        store.endGroup()
        print("  Undo menu: \(store.undoLabels())")

        // Undo says what is to be selected afterwards.
        if case .done(let report) = try store.undo(), let selection = report.selection {
            precondition(selection.shapes == [box], "the box is selected again")
            print("  Undone: \(report.label); selected again: \(selection.shapes.count) shape")
        }

        // A gesture that is given up leaves nothing, no redo either.
        store.beginGroup("Drag")
        try store.edit("Drag") { $0.set(box, Self.x, .integer(100)) }
        try store.cancelGroup()
        print("  After the drag was cancelled: undo \(store.undoLabels()), redo \(store.redoLabels())")

        // The state outlives the process, history and what has not been sent included.
        let saved = store.save(includingCanvas: true)
        let later = try CanvasStore(restoring: saved)
        try later.undo()
        print("  After a restart: undo \(later.undoLabels()), redo \(later.redoLabels())")
    }
}
