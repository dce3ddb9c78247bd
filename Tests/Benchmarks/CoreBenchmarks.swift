import EaselClientEngine
import EaselCore
import EaselProtocol

/// What the canvas itself costs, with 100,000 shapes on it: commits of one operation each are applied to a canvas that nobody else
/// holds, as in a server's room, a thousand a round.
///
/// The references keep as much as is needed to draw, without identities, inverses, digest and order: a dictionary of places, an
/// array of characters.
enum CoreBenchmarks {
    private static let shapes = 100_000
    private static let batch = 1_000
    private static let textCharacters = 10_000

    static func run(_ reporter: inout Reporter) {
        var drawing = Drawing(shapes: shapes)
        let update = BareWork.dictionaryUpdate(of: drawing)
        moves(&drawing, update, &reporter)
        creations(&drawing, update, &reporter)
        typing(&drawing, &reporter)
        digest(drawing, &reporter)
        rebase(update, &reporter)
    }

    /// Nanoseconds to apply each of the operations that `make` gives for a round.
    private static func apply(
        to drawing: inout Drawing, _ label: String, _ make: (inout Drawing, Int) -> [Operation]
    ) -> Double {
        // In place: the canvas that is changed is the only one that holds its parts.
        withUnsafeMutablePointer(to: &drawing) { drawing in
            Measurement.nanoseconds(each: batch) { round in
                let operations = make(&drawing.pointee, round)
                return drawing.pointee.commits(operations, label)
            } _: { commits in
                for commit in commits { drawing.pointee.apply(commit) }
            }
        }
    }

    private static func moves(_ drawing: inout Drawing, _ update: Reference, _ reporter: inout Reporter) {
        let alone = apply(to: &drawing, "Move Rectangle") { $0.moves(batch, round: $1) }
        reporter.compare("core: apply a move, \(shapes) shapes", alone, "ns", to: update)
        let copied = Measurement.nanoseconds(
            each: batch, { round in (drawing, drawing.commits(drawing.moves(batch, round: round), "Move Rectangle")) }
        ) { original, commits in
            var copy = original
            for commit in commits { copy.apply(commit) }
        }
        reporter.compare("core: apply a move, the first 1,000 behind a snapshot", copied, "ns", to: update)
    }

    private static func creations(_ drawing: inout Drawing, _ update: Reference, _ reporter: inout Reporter) {
        let time = apply(to: &drawing, "Create Rectangle") { drawing, _ in
            drawing.draft { draft in
                for index in 0..<batch {
                    let place = [(Desk.x, Value.integer(Int64(index))), (Desk.y, Value.integer(Int64(index)))]
                    draft.create(kind: "rectangle", properties: Properties(place))
                }
            }
        }
        reporter.compare("core: apply a creation", time, "ns", to: update)
    }

    /// Characters typed one by one into the middle of a text.
    private static func typing(_ drawing: inout Drawing, _ reporter: inout Reporter) {
        let text = drawing.draft {
            $0.create(kind: "text", text: String(repeating: "words ", count: textCharacters / 6))
        }
        guard case .create(let creation)? = text.first else { preconditionFailure("the draft creates a shape") }
        drawing.apply(drawing.commit(text, "Create Text"))
        let time = apply(to: &drawing, "Type") { drawing, _ in
            drawing.draft { draft in
                for index in 0..<batch { draft.insertText("x", at: textCharacters / 2 + index, in: creation.id) }
            }
        }
        let reference = BareWork.arrayInsertion(into: textCharacters)
        reporter.compare("core: apply a typed character in \(textCharacters) and more", time, "ns", to: reference)
    }

    private static func digest(_ drawing: Drawing, _ reporter: inout Reporter) {
        let count = drawing.canvas.shapeCount
        var sum: UInt64 = 0
        let time = Measurement.nanoseconds(each: count, rounds: 5) { sum &+= drawing.canvas.recomputedDigest() }
        precondition(sum == drawing.canvas.digest &* 5, "the digest is kept")
        let bytes = Snapshot.encode(drawing.canvas).count
        let copy = BareWork.copy(bytes: bytes)
        let reference = Reference(name: "copying its part of the snapshot", value: copy.value / Double(count))
        reporter.compare("core: digest from scratch, a shape", time, "ns", to: reference)
    }

    /// A client with a hundred moves that are not acknowledged, when somebody else's commit arrives.
    private static func rebase(_ update: Reference, _ reporter: inout Reporter) {
        let pending = 100
        var desk = Desk(shapes: shapes)
        for index in 0..<pending {
            let id = desk.shapes[index * 997 % shapes]
            desk.edit("Move Rectangle") {
                $0.set(id, [PropertyChange(Desk.x, .integer(-1)), PropertyChange(Desk.y, .integer(-2))])
            }
        }
        let time = Measurement.microseconds(repeats: 101) {
            var desk = desk
            let message = desk.moveOfAnother(desk.shapes[5], to: 7)
            return (desk, message)
        } _: { (state: inout (desk: Desk, message: ServerMessage)) in
            state.desk.receive([state.message])
        }
        let reference = Reference(
            name: "\(pending + 1) dictionary updates", value: update.value * Double(pending + 1) / 1_000)
        reporter.compare("core: rebase of \(pending) pending moves over a commit", time, "us", to: reference)
    }
}
