import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol

@testable import EaselTerminal

/// An editor on a store without a connection, with the reports of the store handed to it after each step.
struct Editor {
    var model: EditorModel
    private let observation: Observation
    private let inbox: EventInbox
    private(set) var time: UInt64 = 1_000

    init(columns: Int = 80, rows: Int = 24, store: CanvasStore = Editor.store()) {
        model = EditorModel(store: store)
        model.viewport.resize(columns: columns, rows: rows - EditorFrame.topLines - EditorFrame.bottomLines)
        model.viewport.origin = CellPoint(column: 0, row: 0)
        let inbox = EventInbox()
        self.inbox = inbox
        observation = store.observe { inbox.put(.event($0)) }
    }

    static func store(_ site: UInt64 = 7) -> CanvasStore {
        guard let canvas = CanvasID("plan"), let site = SiteID(site) else { preconditionFailure("both are valid") }
        return CanvasStore(canvas: canvas, name: "ana", provisionalSite: site)
    }

    var store: CanvasStore { model.store }
    var canvas: Canvas { store.canvas }
    var shapes: [Shape] { canvas.visibleShapes() }

    /// Hands the store's reports to the editor.
    mutating func takeReports() {
        for case .event(let event) in inbox.take() { model.take(event) }
    }

    /// Presses keys written as characters.
    mutating func type(_ text: String) {
        for character in text { press(KeyPress(character)) }
    }

    mutating func press(_ keys: KeyPress...) {
        for key in keys {
            model.handle(.key(key), now: time)
            takeReports()
            time += 20
        }
    }

    /// Lets time pass.
    mutating func wait(_ milliseconds: UInt64) {
        time += milliseconds
        model.tick(now: time)
    }

    /// Does something with the mouse at a canvas cell, with the canvas's origin at the top left.
    mutating func mouse(_ action: MouseInput.Action, _ column: Int, _ row: Int, _ modifiers: Modifiers = []) {
        model.handle(
            .mouse(MouseInput(action, column: column, row: row + EditorFrame.topLines, modifiers: modifiers)), now: time
        )
        takeReports()
    }

    mutating func click(_ column: Int, _ row: Int, _ modifiers: Modifiers = []) {
        mouse(.press, column, row, modifiers)
        mouse(.release, column, row, modifiers)
    }

    mutating func drag(_ from: (Int, Int), _ to: (Int, Int)) {
        mouse(.press, from.0, from.1)
        mouse(.drag, (from.0 + to.0) / 2, (from.1 + to.1) / 2)
        mouse(.drag, to.0, to.1)
        mouse(.release, to.0, to.1)
    }

    /// Draws a shape with the mouse and returns its id.
    @discardableResult
    mutating func draw(_ key: Character, _ from: (Int, Int), _ to: (Int, Int)) -> ShapeID {
        press(KeyPress(.escape), KeyPress(.escape), KeyPress(key))
        drag(from, to)
        guard let id = model.selection.last else { preconditionFailure("a new shape is selected") }
        return id
    }

    /// What the editor shows, without colours.
    mutating func screen(columns: Int = 80, rows: Int = 24, isASCII: Bool = false) -> String {
        takeReports()
        guard let canvas = CanvasID("plan") else { preconditionFailure("valid") }
        return EditorFrame(&model, canvas: canvas, columns: columns, rows: rows, isASCII: isASCII).grid.text
    }
}

extension Shape {
    /// A numeric property as a whole number.
    func number(_ key: PropertyKey) -> Int? { self[key]?.asDouble.map { Int($0) } }

    /// Where its top left corner is.
    var place: [Int?] { [number(Key.x), number(Key.y)] }
    var size: [Int?] { [number(Key.width), number(Key.height)] }
}
