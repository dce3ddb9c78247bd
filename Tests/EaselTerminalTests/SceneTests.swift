import EaselCore
import Testing

@testable import EaselTerminal

@Suite("The drawn shapes of a canvas")
struct SceneTests {
    /// Linear congruential numbers: the same on every run.
    private struct Numbers {
        var state: UInt64
        mutating func next(below bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
    }

    @Test("D5: kept up to date change by change, a scene is what reading the whole canvas gives", arguments: 1...8)
    func incremental(seed: UInt64) throws {
        var numbers = Numbers(state: seed)
        var draft = TransactionDraft(canvas: Canvas(), identities: IdentitySource(site: try #require(SiteID(1))))
        var ids = (0..<6).map { _ in draft.create(kind: "text") }
        var scene = Scene(draft.canvas)
        var rebuilds = 0
        for _ in 0..<300 {
            let before = draft.canvas
            let id = ids[numbers.next(below: ids.count)]
            switch numbers.next(below: 9) {
            case 0...3: draft.set(id, Key.x, .integer(Int64(numbers.next(below: 50))))
            case 4: draft.insertText("x", at: 0, in: id)
            case 5: draft.bringToFront(id)
            case 6: ids.append(draft.create(kind: "note", in: numbers.next(below: 2) == 0 ? id : nil))
            case 7: draft.delete([id])
            default: draft.add(.show(.deleted, .shapes([id])))
            }
            if !scene.update(draft.canvas.changedShapes(since: before), from: draft.canvas) {
                scene = Scene(draft.canvas)
                rebuilds += 1
            }
            let whole = Scene(draft.canvas)
            #expect(scene.shapes.map(\.id) == whole.shapes.map(\.id))
            #expect(scene.shapes.map(\.box) == whole.shapes.map(\.box))
            #expect(scene.shapes.map(\.string) == whole.shapes.map(\.string))
        }
        #expect(rebuilds < 200)
    }
}
