/// What was selected in an editor: shapes, or characters of one shape's text. It names identities, so it keeps its meaning
/// while others edit.
public struct Selection: Sendable, Equatable {
    /// Characters of a text, or a caret if both ends are the same.
    public struct TextRange: Sendable, Equatable {
        /// The shape whose text it is in.
        public let shape: ShapeID
        /// The end that stays where it is when the selection is extended.
        public let anchor: TextAnchor
        /// The end that moves.
        public let head: TextAnchor

        /// A range between two places.
        public init(shape: ShapeID, anchor: TextAnchor, head: TextAnchor) {
            self.shape = shape
            self.anchor = anchor
            self.head = head
        }
    }

    /// The selected shapes.
    public let shapes: [ShapeID]
    /// The selected characters, if a text is being edited.
    public let text: TextRange?

    /// A selection of shapes, of characters, or of both.
    public init(shapes: [ShapeID] = [], text: TextRange? = nil) {
        self.shapes = shapes
        self.text = text
    }

    /// What of it can be seen on a canvas: hidden shapes are not selected.
    public func visible(on canvas: Canvas) -> Selection {
        Selection(
            shapes: shapes.filter { canvas.isVisible($0) },
            text: text.flatMap { canvas.isVisible($0.shape) ? $0 : nil })
    }
}

/// The selections around one edit, to be restored by its undo and redo.
public struct SelectionChange: Sendable, Equatable {
    /// What undo restores.
    public let before: Selection?
    /// What redo restores.
    public let after: Selection?

    /// The selections before and after an edit; nil where none is to be restored.
    public init(before: Selection?, after: Selection?) {
        self.before = before
        self.after = after
    }
}

/// A place in a text that stays beside its character while others edit.
public enum TextAnchor: Sendable, Equatable {
    /// In front of everything.
    case start
    /// Directly in front of a character.
    case before(CharacterID)
    /// Directly behind a character.
    case behind(CharacterID)
    /// Behind everything.
    case end
}

extension Text {
    /// Anchors for the places around visible characters: in front of the first, and behind the last of them. For no characters
    /// both are the place behind the visible character in front of it, as a caret is.
    ///
    /// - Parameters:
    ///   - offsets: visible offsets; what lies outside the text is left out.
    public func anchors(around offsets: Range<Int>) -> (first: TextAnchor, last: TextAnchor) {
        let ranges = characters(at: offsets)
        if let first = ranges.first, let last = ranges.last {
            return (.before(first.first), .behind(last.first.advanced(by: last.count - 1)))
        }
        let place = neighbours(at: max(0, offsets.lowerBound)).left.map { TextAnchor.behind($0) } ?? .start
        return (place, place)
    }

    /// The visible offset of an anchor. Beside a hidden character it is the place where that would be; beside one that the text
    /// does not have, the start.
    public func offset(of anchor: TextAnchor) -> Int {
        switch anchor {
        case .start: return 0
        case .end: return visibleCount
        case .behind(let id): return caret(behind: id)
        case .before(let id): return offset(of: id) ?? 0
        }
    }
}
