import EaselClient
import EaselClientEngine
import EaselCore

extension EditorModel {
    /// Takes back or brings back an action, says what that did and to whose work, and selects again what was selected then. A
    /// gesture under way is given up first.
    mutating func press(_ direction: PressDirection) {
        if gesture != nil { cancelGesture() }
        people.meet(store.participants)
        var restored: Selection?
        do {
            let result = direction == .undo ? try store.undo() : try store.redo()
            message = Sentences.pressed(direction, result, people)
            if case .done(let report) = result { restored = report.selection }
        } catch {
            message = Sentences.of(error)
        }
        let canvas = store.canvas
        if case .text(let view) = mode {
            takeIntoText(view, direction, restored, canvas)
        } else if let restored {
            selection = restored.allShapes
        }
        selection = selection.filter { canvas.isVisible($0) }
    }

    /// Brings a press into the text being edited, whose buffer does not hold it. The text stays open, and selected, whatever
    /// shape the press was about: closing it would make commands of what is typed next.
    private mutating func takeIntoText(
        _ view: TextView, _ direction: PressDirection, _ restored: Selection?, _ canvas: Canvas
    ) {
        var view = view
        view.take(direction == .undo ? .undo : .redo, canvas)
        if let range = restored?.text, range.shape == view.shape { view.place(at: range.head) }
        mode = .text(view)
        guard !canvas.isVisible(view.shape) else { return }
        endText(removedByOthers: false)
        if let restored { selection = restored.allShapes }
    }

    /// What undo and redo would do now. Kept until a history changes, so that it may be asked at every frame.
    mutating func currentOffers() -> Offers {
        if let offers { return offers }
        let current = Offers(undo: store.preview(.undo), redo: store.preview(.redo))
        offers = current
        return current
    }
}

extension Selection {
    /// The selected shapes, with the one whose characters are selected.
    fileprivate var allShapes: [ShapeID] {
        guard let text, !shapes.contains(text.shape) else { return shapes }
        return shapes + [text.shape]
    }
}

extension TransactionDraft {
    /// Has undo of the draft select what is selected now, and redo of it `shapes`.
    mutating func select(_ shapes: [ShapeID], insteadOf before: [ShapeID]) {
        selection = SelectionChange(before: Selection(shapes: before), after: Selection(shapes: shapes))
    }
}
