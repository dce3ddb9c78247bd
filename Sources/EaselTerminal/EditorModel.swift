import EaselClient
import EaselClientEngine
import EaselCore
import EaselProtocol

/// One person's editor on one canvas, without a terminal: what is selected, which tool is chosen, what gesture is under way.
///
/// Input goes in, edits of the store come out. The store owns the canvas and its history; the editor holds nothing that an
/// undo would have to bring back, so it may come and go. Time comes in as data.
struct EditorModel: Sendable {
    /// What input means at the moment.
    enum Mode: Sendable {
        /// Pick, move and change shapes.
        case select
        /// The next press draws a shape.
        case tool(ShapeKind)
        /// Typing goes into a shape.
        case text(TextView)
        /// The table of keys is shown.
        case help
        /// Asked to leave while edits are not stored yet.
        case leaving
    }

    /// The number of the editor's own view at the store; texts being edited get higher ones.
    static let viewNumber: UInt32 = 1
    /// Nudges that follow each other within this many milliseconds are one action.
    static let nudgeWindow: UInt64 = 500

    let store: CanvasStore
    var viewport = Viewport(columns: 0, rows: 0)
    var mode = Mode.select
    var gesture: Gesture?
    /// The selected shapes, in the order of selecting.
    var selection: [ShapeID] = []
    /// Where the mouse was last; nil before it is used.
    var pointer: Point?
    /// Whether others see the pointer: from the use of the mouse to the next key, so that it does not lie on what is typed.
    private(set) var isPointerShown = false
    /// What happened last, for the person.
    var message = ""
    /// The person is done.
    var isFinished = false
    /// The person wants to suspend the program.
    var wantsSuspension = false
    /// The person wants the screen drawn again: something else wrote on it.
    var wantsRedraw = false
    /// Whether the view was moved to what is on the canvas when that first came in.
    private var hasFitted = false

    /// Who is on the canvas, for sentences about what they did.
    var people = People()
    /// What undo and redo would do; nil if that has to be asked again.
    var offers: Offers?

    private var scene: Scene
    private var isSceneStale = false
    var nextTextView: UInt32 = EditorModel.viewNumber + 1
    /// Until when the next nudge joins the ones before; nil if no group is open.
    var nudgeDeadline: UInt64?

    /// An editor that shows a store's canvas.
    init(store: CanvasStore) {
        self.store = store
        scene = Scene(store.canvas)
    }

    // MARK: Input

    /// Handles what a person did at a time, milliseconds of a clock that never goes back. Once the person is done, nothing
    /// that still comes in does anything.
    mutating func handle(_ input: Input, now: UInt64) {
        guard !isFinished else { return }
        switch input {
        case .key(let press):
            isPointerShown = false
            for press in press.meant { handle(press, now: now) }
        case .text(let text): take(text, now: now)
        case .mouse(let mouse):
            isPointerShown = true
            endNudging()
            handle(mouse)
        }
    }

    /// Characters that came at once are one edit where they are typed into a text; elsewhere they are keys.
    private mutating func take(_ text: String, now: UInt64) {
        isPointerShown = false
        var rest = Substring(text)
        while let first = rest.first {
            if case .text(var view) = mode, gesture == nil {
                endNudging()
                insert(String(rest), into: &view)
                return revealCaret()
            }
            rest.removeFirst()
            handle(first == "\n" ? KeyPress(.enter) : KeyPress(first), now: now)
        }
    }

    private mutating func handle(_ press: KeyPress, now: UInt64) {
        if isFinished { return }
        if gesture != nil, press.key == .escape { return cancelGesture() }
        if press == .control("z") { return wantsSuspension = true }
        if press == .control("l") { return wantsRedraw = true }
        switch mode {
        case .text(var view):
            endNudging()
            type(press, into: &view)
            revealCaret()
        case .help:
            mode = .select
        case .leaving:
            if press == KeyPress("q") { isFinished = true } else { stay() }
        case .tool(let kind):
            endNudging()
            handle(press, with: kind)
        case .select:
            let command = KeyTable.command(for: press, hasSelection: !selection.isEmpty)
            guard let command else {
                endNudging()
                return message = "that key does nothing here; ? shows the keys"
            }
            if case .nudge = command {} else { endNudging() }
            perform(command, now: now)
        }
    }

    /// With a tool in hand the same key or Enter places a shape; arrows pan, since nothing is to be nudged.
    private mutating func handle(_ press: KeyPress, with kind: ShapeKind) {
        switch KeyTable.command(for: press, hasSelection: false) {
        case .escape: mode = .select
        case .tool(let other) where other != kind: choose(other)
        case .tool, .editText: place(kind)
        case .nudge(let columns, let rows): viewport.pan(columns: columns, rows: rows)
        case .some(let command) where [.undo, .redo, .fit, .help, .leave].contains(command): perform(command, now: 0)
        case .pan(let columns, let rows): viewport.pan(columns: columns, rows: rows)
        default: message = "drag to draw, Enter places it, Esc goes back"
        }
    }

    private mutating func stay() {
        mode = .select
        message = "staying"
    }

    mutating func choose(_ kind: ShapeKind) {
        mode = .tool(kind)
        message = ""
    }

    /// Takes note of time that has passed.
    mutating func tick(now: UInt64) {
        if let deadline = nudgeDeadline, now >= deadline { endNudging() }
        if case .leaving = mode, store.status.pendingCount == 0 { isFinished = true }
    }

    /// Closes the group of nudges, if one is open.
    mutating func endNudging() {
        guard nudgeDeadline != nil else { return }
        nudgeDeadline = nil
        store.endGroup()
    }

    /// Leaves, unless edits are not stored yet: then it waits for them, and a second press leaves without. A gesture under way
    /// is given up first.
    mutating func leave() {
        cancelGesture()
        let count = store.status.pendingCount
        guard count > 0 else { return isFinished = true }
        mode = .leaving
        let edits = count == 1 ? "1 edit is" : "\(count) edits are"
        message = "\(edits) not stored yet: waiting; q leaves without, any other key stays"
    }

    /// Ends what is under way, for leaving the canvas whatever the reason: a gesture is given up, a text is closed, a group of
    /// nudges is closed, and others see nothing of this editor any more. What still comes in does nothing.
    mutating func close() {
        cancelGesture()
        if case .text = mode { endText(removedByOthers: false) }
        endNudging()
        mode = .select
        selection = []
        pointer = nil
        publishPresence()
        isFinished = true
    }

    // MARK: Events of the store

    /// Takes in what the store reported. Reports may come later than what they tell of.
    mutating func take(_ event: ClientEvent) {
        switch event {
        case .changed(let change): take(change)
        case .refused(let label, let code): message = "\(label) was refused: \(Sentences.of(code))"
        case .hadNoEffect(let label, let problems):
            message = "\(label) had no effect: \(problems.first.map(Sentences.of) ?? "nothing changed")"
        case .diverged: message = "the canvas differed from the server's and was fetched again"
        case .linkChanged:
            offers = nil
            fitOnce()
        case .historyChanged: offers = nil
        case .stored, .participantsChanged: break
        }
    }

    /// When the canvas is there for the first time and does not lie in view as it is, moves the view to it.
    private mutating func fitOnce() {
        guard !hasFitted, store.status.link == .live else { return }
        hasFitted = true
        isSceneStale = true
        if let box = currentScene().box, !viewport.box.contains(box) { viewport.fit(box) }
    }

    private mutating func take(_ change: CanvasChange) {
        let (origin, canvas) = (change.origin, store.canvas)
        if !isSceneStale { isSceneStale = !scene.update(change.shapes, from: canvas) }
        let isOwn = origin.isEcho(in: Self.viewNumber) || origin == .undo || origin == .redo
        if case .text(var view) = mode {
            view.take(origin, canvas)
            mode = .text(view)
            if canvas[view.shape]?.isVisible != true { endText(removedByOthers: !isOwn) }
        }
        let left = selection.filter { canvas[$0]?.isVisible == true }
        if left.count < selection.count {
            selection = left
            if !isOwn { message = Sentences.shapeRemoved }
        }
    }

    // MARK: What is on the canvas

    /// The shapes as they are drawn, rearmost first.
    mutating func currentScene() -> Scene {
        if isSceneStale {
            scene = Scene(store.canvas)
            isSceneStale = false
        }
        return scene
    }

    /// How actions name shapes: "Rectangle", or "3 Shapes".
    func title(of ids: [ShapeID]) -> String {
        guard ids.count == 1, let shape = store.canvas[ids[0]] else { return "\(ids.count) Shapes" }
        return ShapeKind(shape.kind).title
    }
}
