import CTickit
import Glibc

/// The terminal, and the only place that speaks to it: one object around the terminal library's handle.
///
/// Frames come as grids of cells. What differs from the frame before goes through the library's render buffer, which
/// finds the shortest way to say it, and leaves in one write. Input comes out as values.
///
/// It is used on one thread only.
final class Screen {
    private let term: OpaquePointer
    private let depth: ColourDepth
    private let input: Int32
    private let output: Int32
    private var pens: [Style: OpaquePointer] = [:]
    private var shown: CellGrid?
    private var inputs: [Input] = []
    private var pending: [UInt8] = []
    /// The output cannot be written any more: the terminal is gone.
    private(set) var isBroken = false
    /// Bytes written since the screen was opened, and in how many writes.
    private(set) var bytesWritten = 0
    private(set) var writeCount = 0

    /// Bounds the pens that are kept.
    private static let mostPens = 512
    /// Milliseconds that the terminal has to answer questions about itself.
    private static let answerTime = 50

    /// Takes over the terminal on two descriptors.
    init?(input: Int32, output: Int32, options: TerminalOptions, environment: [String: String]) {
        self.input = input
        self.output = output
        depth = options.depth
        guard let term = Self.build(options, environment) else { return nil }
        self.term = term
        TerminalRescue.arm(terminal: output)
        bind()
        tickit_term_set_output_func(term, collectOutput, Unmanaged.passUnretained(self).toOpaque())
        tickit_term_set_output_buffer(term, 64 * 1024)
        tickit_term_set_utf8(term, true)
        tickit_term_set_output_fd(term, output)
        tickit_term_set_input_fd(term, input)
        writeOut()
        tickit_term_await_started_msec(term, Self.answerTime)
        if options.depth == .truecolor { forceTruecolor() }
        tickit_term_setctl_int(term, TICKIT_TERMCTL_ALTSCREEN, 1)
        tickit_term_setctl_int(term, TICKIT_TERMCTL_CURSORVIS, 0)
        if options.hasMouse {
            tickit_term_setctl_int(term, TICKIT_TERMCTL_MOUSE, Int32(TICKIT_TERM_MOUSEMODE_DRAG.rawValue))
        }
        tickit_term_clear(term)
        tickit_term_refresh_size(term)
        writeOut()
    }

    /// A screen on a terminal in memory, for tests. It is not written to any descriptor.
    init(mock: OpaquePointer, depth: ColourDepth) {
        input = -1
        output = -1
        self.depth = depth
        term = tickit_term_ref(mock)
        bind()
    }

    deinit {
        for pen in pens.values { tickit_pen_unref(pen) }
        tickit_term_unref(term)
    }

    /// 24-bit colours exist only in the library's driver for xterm, whose language all terminals that announce them speak.
    private static func build(_ options: TerminalOptions, _ environment: [String: String]) -> OpaquePointer? {
        let type = environment["TERM"] ?? ""
        let spoken = options.depth == .truecolor && !type.hasPrefix("xterm") ? commonType : type
        // A terminal that the machine does not know yet most likely speaks like all others.
        return build(type: spoken) ?? (type.isEmpty || type == "dumb" ? nil : build(type: commonType))
    }

    private static let commonType = "xterm-256color"

    /// A terminal of a type, without descriptors; nil if the type is not known, or cannot do what drawing needs.
    static func build(type: String) -> OpaquePointer? {
        var isIncomplete = false
        let term = withUnsafeMutablePointer(to: &isIncomplete) { isIncomplete in
            type.withCString { type in
                var hook = TickitTerminfoHook(getstr: correctTerminfo, data: isIncomplete)
                return withUnsafePointer(to: &hook) { hook in
                    var builder = TickitTermBuilder()
                    builder.termtype = type
                    builder.ti_hook = hook
                    return tickit_term_build(&builder)
                }
            }
        }
        guard isIncomplete else { return term }
        tickit_term_unref(term)
        return nil
    }

    private func forceTruecolor() {
        let control = tickit_termctl_lookup("xterm.cap_rgb8")
        if control.rawValue > 0 { tickit_term_setctl_int(term, control, 1) }
    }

    private func bind() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        tickit_term_bind_event(term, TICKIT_TERM_ON_KEY, TickitBindFlags(0), noteKey, context)
        tickit_term_bind_event(term, TICKIT_TERM_ON_MOUSE, TickitBindFlags(0), noteMouse, context)
    }

    /// Gives the terminal back as it was.
    func close() {
        tickit_term_teardown(term)
        writeOut()
        TerminalRescue.disarm()
    }

    /// Gives the terminal back for a while.
    func pause() {
        tickit_term_pause(term)
        writeOut()
    }

    /// Takes the terminal again; the next frame is drawn whole.
    func resume() {
        tickit_term_resume(term)
        refreshSize()
    }

    /// Asks the terminal for its size; the next frame is drawn whole.
    func refreshSize() {
        tickit_term_refresh_size(term)
        shown = nil
    }

    /// Columns and rows.
    var size: (columns: Int, rows: Int) {
        var (lines, columns): (Int32, Int32) = (0, 0)
        tickit_term_get_size(term, &lines, &columns)
        return (Int(columns), Int(lines))
    }

    // MARK: Drawing

    /// Shows a frame: writes what differs from the one before, in one write; nothing if nothing differs.
    func show(_ grid: CellGrid, cursor: CellPoint?) {
        if shown == nil || shown?.columns != grid.columns || shown?.rows != grid.rows {
            shown = nil
            setpen(.plain)
            tickit_term_clear(term)
        }
        let hasChanged = draw(grid)
        shown = grid
        place(cursor, isForced: hasChanged)
        tickit_term_flush(term)
        if output >= 0, !pending.isEmpty {
            pending = Array(Self.frameStart.utf8) + pending + Array(Self.frameEnd.utf8)
        }
        writeOut()
    }

    /// Synchronized output, which the library lacks: terminals that know it show the frame at once, others ignore it.
    private static let frameStart = "\u{1B}[?2026h"
    private static let frameEnd = "\u{1B}[?2026l"

    private var lastCursor: CellPoint?

    private func place(_ cursor: CellPoint?, isForced: Bool) {
        if let cursor {
            if isForced || cursor != lastCursor { tickit_term_goto(term, Int32(cursor.row), Int32(cursor.column)) }
            tickit_term_setctl_int(term, TICKIT_TERMCTL_CURSORVIS, 1)
        } else if lastCursor != nil {
            tickit_term_setctl_int(term, TICKIT_TERMCTL_CURSORVIS, 0)
        }
        lastCursor = cursor
    }

    private func draw(_ grid: CellGrid) -> Bool {
        let spans = FrameDifference.spans(from: shown, to: grid)
        guard !spans.isEmpty, let buffer = tickit_renderbuffer_new(Int32(grid.rows), Int32(grid.columns)) else {
            return false
        }
        defer { tickit_renderbuffer_unref(buffer) }
        tickit_term_setctl_int(term, TICKIT_TERMCTL_CURSORVIS, 0)
        for span in spans {
            tickit_renderbuffer_setpen(buffer, pen(span.style))
            span.text.withCString { text in
                _ = tickit_renderbuffer_textn_at(
                    buffer, Int32(span.row), Int32(span.column), text, span.text.utf8.count)
            }
        }
        tickit_renderbuffer_flush_to_term(buffer, term)
        return true
    }

    private func setpen(_ style: Style) { tickit_term_setpen(term, pen(style)) }

    private func pen(_ style: Style) -> OpaquePointer {
        if let pen = pens[style] { return pen }
        if pens.count >= Self.mostPens {
            for pen in pens.values { tickit_pen_unref(pen) }
            pens = [:]
        }
        guard let pen = tickit_pen_new() else { preconditionFailure("memory for a pen") }
        set(style.foreground, TICKIT_PEN_FG, of: pen)
        set(style.background, TICKIT_PEN_BG, of: pen)
        tickit_pen_set_bool_attr(pen, TICKIT_PEN_BOLD, style.isBold)
        tickit_pen_set_bool_attr(pen, TICKIT_PEN_REVERSE, style.isReversed)
        tickit_pen_set_int_attr(pen, TICKIT_PEN_UNDER, style.isUnderlined ? 1 : 0)
        pens[style] = pen
        return pen
    }

    private func set(_ colour: Colour, _ attribute: TickitPenAttr, of pen: OpaquePointer) {
        tickit_pen_set_colour_attr(pen, attribute, depth.index(of: colour))
        if depth == .truecolor, case .rgb(let red, let green, let blue) = colour {
            tickit_pen_set_colour_attr_rgb8(pen, attribute, TickitPenRGB8(r: red, g: green, b: blue))
        }
    }

    // MARK: Writing

    fileprivate func collect(_ bytes: UnsafeRawBufferPointer) { pending.append(contentsOf: bytes) }

    /// Writes what was collected. A terminal that takes only a part is waited for.
    private func writeOut() {
        tickit_term_flush(term)
        guard output >= 0, !pending.isEmpty else { return }
        var start = 0
        while start < pending.count {
            let count = pending[start...].withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            if count > 0 {
                start += count
                writeCount += 1
                bytesWritten += count
            } else if errno == EAGAIN {
                var watched = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                if poll(&watched, 1, 1_000) < 0, errno != EINTR { break }
            } else if errno != EINTR {
                isBroken = true
                break
            }
        }
        pending.removeAll(keepingCapacity: true)
    }

    // MARK: Input

    /// What a person did since this was last asked. Call it when the input is readable, and when ``inputTimeout`` is over.
    func readInput(isReadable: Bool) -> [Input] {
        if isReadable { tickit_term_input_readable(term) }
        _ = tickit_term_input_check_timeout_msec(term)
        defer { inputs = [] }
        return inputs
    }

    /// Takes bytes as if a person had typed them, for tests.
    func readInput(bytes: [UInt8]) -> [Input] {
        bytes.withUnsafeBytes { raw in
            tickit_term_input_push_bytes(term, raw.baseAddress?.assumingMemoryBound(to: CChar.self), raw.count)
        }
        defer { inputs = [] }
        return inputs
    }

    /// Milliseconds until ``readInput(isReadable:)`` has something without further bytes: until a lone escape byte counts as
    /// the escape key, or 0 if it does by now; nil if nothing waits.
    var inputTimeout: Int? {
        // Asking makes the key when its time is over, and then the library reports nothing more to wait for.
        let timeout = tickit_term_input_check_timeout_msec(term)
        guard inputs.isEmpty else { return 0 }
        return timeout < 0 ? nil : Int(timeout)
    }

    fileprivate func note(_ event: TickitKeyEventInfo) {
        guard let text = event.str.map({ String(cString: $0) }) else { return }
        let modifiers = Modifiers(rawValue: Int(event.mod))
        if event.type == TICKIT_KEYEV_TEXT {
            inputs += text.map { .key(KeyPress($0)) }
        } else {
            inputs.append(.key(KeyPress(name: text, modifiers: modifiers)))
        }
    }

    fileprivate func note(_ event: TickitMouseEventInfo) {
        guard let action = Self.action(event) else { return }
        inputs.append(
            .mouse(
                MouseInput(
                    action, column: Int(event.col), row: Int(event.line), modifiers: Modifiers(rawValue: Int(event.mod))
                )))
    }

    private static func action(_ event: TickitMouseEventInfo) -> MouseInput.Action? {
        switch event.type {
        case TICKIT_MOUSEEV_PRESS: return event.button == 1 ? .press : nil
        case TICKIT_MOUSEEV_DRAG: return event.button == 1 ? .drag : nil
        case TICKIT_MOUSEEV_RELEASE: return event.button == 1 ? .release : nil
        case TICKIT_MOUSEEV_WHEEL: return event.button == Int32(TICKIT_MOUSEWHEEL_UP) ? .wheelUp : .wheelDown
        default: return nil
        }
    }
}

/// Newer entries for xterm name the first bytes of SGR reports as the mouse key, and the library then takes each report for
/// one of the old kind and its numbers for typed characters. With the old name it understands both kinds.
///
/// What the library cannot do without it would end the process for; an empty string is put in its place and noted in `data`.
private func correctTerminfo(
    _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?, _ data: UnsafeMutableRawPointer?
) -> UnsafePointer<CChar>? {
    guard let name else { return value }
    if let value { return strcmp(name, "key_mouse") == 0 ? characters(of: oldMouseKey) : value }
    guard requiredCapabilities.contains(String(cString: name)) else { return nil }
    data?.assumingMemoryBound(to: Bool.self).pointee = true
    return characters(of: nothing)
}

private func characters(of string: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(string.utf8Start).assumingMemoryBound(to: CChar.self)
}

private let oldMouseKey: StaticString = "\u{1B}[M"
private let nothing: StaticString = ""

/// The strings of terminfo that the library ends the process without.
private let requiredCapabilities: Set<String> = [
    "change_scroll_region", "clear_screen", "cursor_address", "cursor_invisible", "cursor_normal", "erase_chars",
    "exit_attribute_mode", "parm_dch", "parm_delete_line", "parm_down_cursor", "parm_ich", "parm_insert_line",
    "parm_left_cursor", "parm_right_cursor", "parm_up_cursor", "set_a_background", "set_a_foreground",
    "set_attributes",
]

private func screen(_ user: UnsafeMutableRawPointer?) -> Screen? {
    user.map { Unmanaged<Screen>.fromOpaque($0).takeUnretainedValue() }
}

private func collectOutput(
    _ term: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ count: Int, _ user: UnsafeMutableRawPointer?
) {
    // Without bytes the library says that the output is closed.
    guard let bytes, count > 0 else { return }
    screen(user)?.collect(UnsafeRawBufferPointer(start: bytes, count: count))
}

private func noteKey(
    _ term: OpaquePointer?, _ flags: TickitEventFlags, _ info: UnsafeMutableRawPointer?,
    _ user: UnsafeMutableRawPointer?
) -> Int32 {
    guard let info else { return 0 }
    screen(user)?.note(info.load(as: TickitKeyEventInfo.self))
    return 1
}

private func noteMouse(
    _ term: OpaquePointer?, _ flags: TickitEventFlags, _ info: UnsafeMutableRawPointer?,
    _ user: UnsafeMutableRawPointer?
) -> Int32 {
    guard let info else { return 0 }
    screen(user)?.note(info.load(as: TickitMouseEventInfo.self))
    return 1
}
