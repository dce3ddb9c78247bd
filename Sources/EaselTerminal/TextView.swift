import EaselClient
import EaselClientEngine
import EaselCore

/// The text of one shape as it is being edited: a buffer of its own with a caret.
///
/// **Echo guard.** What is typed here goes into the buffer and into the store at once; the store's report of it carries
/// this view's number and is not applied again. That is decided by origin, never by comparing texts. Changes of others,
/// undo and redo come as positioned edits of the buffer.
///
/// **Caret.** It stands behind a character, not at a number. Whatever others insert or remove, it stays with that
/// character, or with the nearest visible one in front of it.
///
/// `shown` is the text whose visible characters the buffer holds. Edits are computed from it, by identity of characters,
/// so a report that comes late (another thread delivered it) finds nothing left to do instead of doing it twice.
struct TextView: Sendable {
    let shape: ShapeID
    /// The number by which the store tells this view's edits from others'; never 0.
    let number: UInt32
    /// The characters, one Unicode scalar each.
    private(set) var buffer: [Unicode.Scalar]
    /// How many characters stand in front of the caret.
    private(set) var caret: Int
    /// The character the caret stands behind; nil at the start.
    private(set) var anchor: CharacterID?
    /// How many edits of others, or of undo and redo, were applied to the buffer.
    private(set) var appliedEdits = 0
    private var shown: Text

    /// What an attempt to type did.
    enum Result: Equatable, Sendable {
        case done
        /// The shape is hidden or unknown; nothing was written.
        case shapeRemoved
        /// The text takes no more characters.
        case full
        case refused(EditError)
    }

    /// Opens the text of a visible shape with the caret at its end; nil if there is no such shape.
    init?(shape: ShapeID, in canvas: Canvas, number: UInt32) {
        guard let text = canvas[shape]?.text, canvas[shape]?.isVisible == true else { return nil }
        precondition(number != 0, "0 stands for edits that come from no view")
        self.shape = shape
        self.number = number
        shown = text
        buffer = Array(text.string.unicodeScalars)
        caret = buffer.count
        anchor = text.neighbours(at: caret).left
    }

    /// The characters as a string.
    var string: String {
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: buffer)
        return String(scalars)
    }

    // MARK: Changes of others

    /// Takes a change in: `canvas` is the newest state. Changes that this view made itself are left alone.
    mutating func take(_ origin: ChangeOrigin, _ canvas: Canvas) {
        guard !origin.isEcho(in: number), let text = canvas[shape]?.text else { return }
        catchUp(with: text)
    }

    private mutating func catchUp(with text: Text) {
        for edit in text.edits(from: shown) {
            buffer.replaceSubrange(edit.offset..<edit.offset + edit.removed, with: edit.inserted.unicodeScalars)
            appliedEdits += 1
        }
        shown = text
        caret = text.caret(behind: anchor)
    }

    // MARK: Typing

    /// Inserts characters at the caret.
    mutating func insert(_ string: String, into store: CanvasStore) -> Result {
        let count = string.unicodeScalars.count
        guard count > 0 else { return .done }
        return edit("Type", in: store) { view, draft in
            draft.insertText(string, at: view.caret, in: view.shape)
            guard !draft.isEmpty else { return }
            view.buffer.insert(contentsOf: string.unicodeScalars, at: view.caret)
            view.caret += count
        }
    }

    /// Deletes the character, as people count them, in front of the caret.
    mutating func deleteBackward(from store: CanvasStore) -> Result {
        edit("Delete Text", in: store) { view, draft in
            view.delete(view.caret - view.lengthBefore(view.caret)..<view.caret, &draft)
        }
    }

    /// Deletes the character behind the caret.
    mutating func deleteForward(from store: CanvasStore) -> Result {
        edit("Delete Text", in: store) { view, draft in
            view.delete(view.caret..<view.caret + view.lengthAfter(view.caret), &draft)
        }
    }

    private mutating func delete(_ range: Range<Int>, _ draft: inout TransactionDraft) {
        draft.deleteText(range, in: shape)
        guard !draft.isEmpty else { return }
        buffer.removeSubrange(range)
        caret = range.lowerBound
    }

    /// Makes an edit of the buffer and the store in one. The buffer first takes in what the store has and it has not yet.
    private mutating func edit(
        _ label: String, in store: CanvasStore, _ body: (inout TextView, inout TransactionDraft) -> Void
    ) -> Result {
        var isRemoved = false
        var isFull = false
        do {
            let result = try store.edit(label, from: number, coalescing: .typing) { draft in
                guard let before = draft.canvas[shape], before.isVisible else {
                    isRemoved = true
                    return
                }
                catchUp(with: before.text)
                let selected = selection
                body(&self, &draft)
                guard !draft.isEmpty, let after = draft.canvas[shape]?.text else { return }
                shown = after
                anchor = after.neighbours(at: caret).left
                draft.selection = SelectionChange(before: selected, after: selection)
            }
            isFull = result.problems.contains { if case .textFull = $0 { true } else { false } }
        } catch {
            // The store did not take the edit, so the buffer shows what the store has.
            if let text = store.canvas[shape]?.text { catchUp(with: text) }
            return .refused(error)
        }
        return isRemoved ? .shapeRemoved : isFull ? .full : .done
    }

    // MARK: Moving the caret

    mutating func moveLeft() { place(caret - lengthBefore(caret)) }
    mutating func moveRight() { place(caret + lengthAfter(caret)) }

    /// Moves to the start of the line as it is laid out.
    mutating func moveToLineStart(_ layout: TextLayout) { place(layout.lines[layout.position(of: caret).line].start) }

    /// Moves to the end of the line as it is laid out.
    mutating func moveToLineEnd(_ layout: TextLayout) {
        let line = layout.position(of: caret).line
        let end = layout.lines[line].end
        // At the end of a line that was broken because it was full, the caret would show on the next one.
        let isBroken = line + 1 < layout.lines.count && layout.lines[line + 1].start == end
        place(isBroken ? end - (layout.lines[line].characters.last?.scalars ?? 0) : end)
    }

    /// Moves by lines as they are laid out, keeping the column where it can.
    mutating func moveLine(by count: Int, _ layout: TextLayout) {
        let (line, column) = layout.position(of: caret)
        place(layout.offset(line: line + count, column: column))
    }

    /// Puts the caret in front of the character at an offset.
    mutating func place(_ offset: Int) {
        caret = max(0, min(buffer.count, offset))
        anchor = shown.neighbours(at: caret).left
    }

    /// Puts the caret where it was, as a selection names it.
    mutating func place(at anchor: TextAnchor) {
        guard case .behind(let id) = anchor else { return place(shown.offset(of: anchor)) }
        self.anchor = id
        caret = shown.caret(behind: id)
    }

    /// The caret as a selection, which keeps its meaning while others edit.
    private var selection: Selection {
        let place = anchor.map { TextAnchor.behind($0) } ?? .start
        return Selection(
            shapes: [shape], text: Selection.TextRange(shape: shape, anchor: place, head: place))
    }

    /// How many scalars the character in front of an offset has.
    private func lengthBefore(_ offset: Int) -> Int {
        guard offset > 0 else { return 0 }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: buffer[max(0, offset - Self.longestCharacter)..<offset])
        return String(scalars).last?.unicodeScalars.count ?? 0
    }

    private func lengthAfter(_ offset: Int) -> Int {
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: buffer[offset..<min(buffer.count, offset + Self.longestCharacter)])
        return String(scalars).first?.unicodeScalars.count ?? 0
    }

    /// The most scalars that are looked at to find where a character as people count them starts or ends.
    private static let longestCharacter = 64
}
