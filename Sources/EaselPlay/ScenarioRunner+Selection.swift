import EaselCore

extension SelectionTerms {
    /// The selections on the canvas before an edit and on the one after it.
    func change(_ ids: [String: ShapeID], _ canvasBefore: Canvas, _ canvasAfter: Canvas) -> SelectionChange {
        SelectionChange(before: before?.selection(ids, on: canvasBefore), after: after?.selection(ids, on: canvasAfter))
    }
}

extension SelectionFacts {
    fileprivate func selection(_ ids: [String: ShapeID], on canvas: Canvas) -> Selection? {
        switch self {
        case .shapes(let names): return Selection(shapes: names.compactMap { ids[$0] })
        case .text(let name, let anchor, let head):
            guard let id = ids[name], let text = canvas[id]?.text else { return nil }
            let places = text.anchors(around: min(anchor, head)..<max(anchor, head))
            let isForward = anchor <= head
            return Selection(
                text: Selection.TextRange(
                    shape: id, anchor: isForward ? places.first : places.last,
                    head: isForward ? places.last : places.first))
        }
    }
}

/// Selections in messages.
extension ScenarioRunner {
    func words(_ facts: SelectionFacts?) -> String {
        switch facts {
        case nil: "null"
        case .shapes(let names): JSONText.of(names)
        case .text(let shape, let anchor, let head): Self.words(anchor, head, shape)
        }
    }

    func words(_ selection: Selection?, on canvas: Canvas) -> String {
        guard let selection else { return "null" }
        let shapes = JSONText.of(selection.shapes.map { name(of: $0) })
        guard let range = selection.text, let text = canvas[range.shape]?.text else { return shapes }
        let part = Self.words(
            text.offset(of: range.anchor), text.offset(of: range.head), name(of: range.shape))
        return selection.shapes.isEmpty ? part : "\(shapes) and \(part)"
    }

    private static func words(_ anchor: Int, _ head: Int, _ shape: String) -> String {
        "\(anchor) to \(head) of the text of \(shape)"
    }
}
