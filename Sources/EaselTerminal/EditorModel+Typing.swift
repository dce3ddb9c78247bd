import EaselClient
import EaselClientEngine
import EaselCore

extension EditorModel {
    /// Opens the text of the selected shape.
    mutating func editText() {
        guard selection.count == 1, let shape = store.canvas[selection[0]] else {
            return message =
                selection.isEmpty ? "nothing is selected; Tab selects" : "select one shape to edit its text"
        }
        guard ShapeKind(shape.kind) != .line else { return message = "a line holds no text" }
        guard let view = TextView(shape: shape.id, in: store.canvas, number: nextTextView) else {
            selection = []
            return message = Sentences.shapeRemoved
        }
        nextTextView += 1
        store.endTyping()
        mode = .text(view)
        revealCaret()
    }

    /// Closes the text being edited. What was typed is in the store already.
    mutating func endText(removedByOthers: Bool) {
        store.endTyping()
        mode = .select
        if removedByOthers { message = Sentences.shapeRemoved }
    }

    /// Handles a key while a text is being edited.
    mutating func type(_ press: KeyPress, into view: inout TextView) {
        var result = TextView.Result.done
        message = ""
        switch (press.key, press.modifiers) {
        case (.escape, _): return endText(removedByOthers: false)
        case (.character("r"), .control): return self.press(.redo)
        case (.character("z"), .alt), (.character("_"), .control): return self.press(.undo)
        case (.character(let character), let modifiers) where modifiers.isDisjoint(with: [.control, .alt]):
            result = view.insert(String(character), into: store)
        case (.enter, _): result = view.insert("\n", into: store)
        case (.backspace, _): result = view.deleteBackward(from: store)
        case (.delete, _): result = view.deleteForward(from: store)
        default: moveCaret(press.key, &view)
        }
        take(result, of: view)
    }

    /// Types characters, as pasting does.
    mutating func insert(_ text: String, into view: inout TextView) {
        message = ""
        let result = view.insert(text, into: store)
        take(result, of: view)
    }

    private mutating func take(_ result: TextView.Result, of view: TextView) {
        mode = .text(view)
        switch result {
        case .done: break
        case .shapeRemoved: endText(removedByOthers: true)
        case .full: message = "the text is full"
        case .refused(let error): message = Sentences.of(error)
        }
    }

    /// Moves the view so that the caret is in it, or says that the shape is too small to show it.
    mutating func revealCaret() {
        guard case .text(let view) = mode, let shape = store.canvas[view.shape] else { return }
        if let cell = Picture.caretCell(DrawnShape(shape), offset: view.caret) {
            viewport.reveal(CellBox(cell, cell))
        } else if message.isEmpty {
            message = "no room for more lines; Esc, then Alt-arrows make the shape larger"
        }
    }

    private mutating func moveCaret(_ key: KeyPress.Key, _ view: inout TextView) {
        let layout = layout(of: view)
        switch key {
        case .left: view.moveLeft()
        case .right: view.moveRight()
        case .home: view.moveToLineStart(layout)
        case .end: view.moveToLineEnd(layout)
        case .up: view.moveLine(by: -1, layout)
        case .down: view.moveLine(by: 1, layout)
        default: return
        }
        store.endTyping()
    }

    /// The text being edited as it is laid out on the screen.
    private func layout(of view: TextView) -> TextLayout {
        let width = store.canvas[view.shape].flatMap { DrawnShape($0).textBox?.width }
        let shape = store.canvas[view.shape].map { ShapeKind($0.kind) }
        let isGrowing = shape == .text && store.canvas[view.shape]?[Key.width] == nil
        return TextLayout(view.string, width: isGrowing ? .max : width ?? .max, lineLimit: Picture.textLines)
    }
}
