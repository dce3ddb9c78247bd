import EaselCore

/// What a person sees of a canvas: visible shapes in drawing order, each with the nearest visible shape around it, its
/// registers, and its visible characters by identity. Found anew from the stored parts, not by the means of the engine, so
/// that one checks the other.
struct Drawing: Equatable, Sendable {
    struct Figure: Equatable, Sendable {
        let id: ShapeID
        let parent: ShapeID?
        let properties: Properties
        let characters: [CharacterRange]
    }

    /// Rearmost first; a shape before what is drawn on it.
    private(set) var figures: [Figure] = []

    init(_ canvas: Canvas) {
        draw(canvas.children(of: nil), on: nil, canvas)
    }

    private mutating func draw(_ children: [Shape], on parent: ShapeID?, _ canvas: Canvas) {
        for child in children {
            if child.isVisible {
                figures.append(
                    Figure(
                        id: child.id, parent: parent, properties: child.properties,
                        characters: Self.visibleCharacters(of: child)))
            }
            draw(canvas.children(of: child.id), on: child.isVisible ? child.id : parent, canvas)
        }
    }

    private static func visibleCharacters(of shape: Shape) -> [CharacterRange] {
        var result: [CharacterRange] = []
        for run in shape.text.storedRuns() where run.causes.isEmpty {
            let count = run.characters.unicodeScalars.count
            if let last = result.last, last.first.site == run.first.site,
                last.first.counter + UInt64(last.count) == run.first.counter
            {
                result[result.count - 1] = CharacterRange(first: last.first, count: last.count + count)
            } else {
                result.append(CharacterRange(first: run.first, count: count))
            }
        }
        return result
    }

    /// Whether a person could tell one canvas from the other. Shapes that changed are looked at one by one; the whole is
    /// drawn only if that decides nothing.
    static func differs(_ new: Canvas, from old: Canvas) -> Bool {
        differs(new, from: old, in: new.changedShapes(since: old))
    }

    /// The same where the shapes that differ are known.
    static func differs(_ new: Canvas, from old: Canvas, in changed: [ShapeID]) -> Bool {
        var mayHaveMoved = false
        for id in changed {
            guard let after = new[id], let before = old[id] else {
                if new[id]?.isVisible ?? false || old[id]?.isVisible ?? false { return true }
                continue
            }
            if after.isVisible != before.isVisible { return true }
            if after.parent != before.parent || after.order != before.order { mayHaveMoved = true }
            guard after.isVisible else { continue }
            if after.properties != before.properties { return true }
            if visibleCharacters(of: after) != visibleCharacters(of: before) { return true }
        }
        return mayHaveMoved && Drawing(new) != Drawing(old)
    }
}

extension Canvas {
    /// What is wrong with the parts of the canvas, found from outside; nil if nothing is. Linear.
    func disagreement() -> String? {
        var visibleCount = 0
        var problem: String?
        forEachShape { shape in
            if shape.isVisible { visibleCount += 1 }
            if let parent = shape.parent, self[parent] == nil {
                problem = "\(shape.id) lies in a shape that is not there"
            }
            var depth = 0
            var next = shape.parent
            while let id = next, depth <= shapeCount {
                depth += 1
                next = self[id]?.parent
            }
            if depth > shapeCount { problem = "\(shape.id) lies inside itself" }
            let runs = shape.text.storedRuns()
            let visible = runs.reduce(0) { $0 + ($1.causes.isEmpty ? $1.characters.unicodeScalars.count : 0) }
            if visible != shape.text.visibleCount { problem = "\(shape.id) counts its visible characters wrongly" }
        }
        if let problem { return problem }
        if visibleCount != visibleShapeCount { return "the visible shapes are counted wrongly" }
        if Drawing(self).figures.count != visibleCount { return "a visible shape is not drawn once" }
        return recomputedDigest() == digest ? nil : "the digest is not that of the parts"
    }
}
