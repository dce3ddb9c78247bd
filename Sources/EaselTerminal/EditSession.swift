import EaselClient
import EaselClientEngine
import EaselCore
import EaselSupport
import Glibc

/// The editor at work: waits for the keyboard, the store and signals, and shows frames.
///
/// It runs on one thread. Reports of the store come through an inbox, so nothing else is shared with other threads.
final class EditSession {
    private let canvas: CanvasID
    private let screen: Screen
    private let options: TerminalOptions
    private let inbox: EventInbox
    private let signals = SignalPipe()
    private var model: EditorModel
    /// What the connection said last.
    private var notice = ""
    private var isDirty = true
    private var lastFrame: UInt64 = 0
    private var isEnded = false
    private var hasLostTerminal = false

    private static let greeting = "welcome; ? shows the keys"
    /// The least time between two frames, milliseconds: at most 60 frames a second.
    private static let frameInterval: UInt64 = 17
    /// The longest wait when nothing is due, milliseconds.
    private static let idleWait = 60_000

    init(store: CanvasStore, canvas: CanvasID, screen: Screen, options: TerminalOptions, inbox: EventInbox) {
        self.canvas = canvas
        self.screen = screen
        self.options = options
        self.inbox = inbox
        model = EditorModel(store: store)
        resize()
        model.message = Self.greeting
    }

    /// Runs until the person leaves, a signal ends the program, or the terminal is gone. Returns the exit code.
    func run() -> Int32 {
        while !isEnded {
            wait()
            takeReports()
            model.tick(now: now)
            if model.isFinished { isEnded = true }
            if screen.isBroken { (isEnded, hasLostTerminal) = (true, true) }
            if model.wantsSuspension { suspend() }
            if model.wantsRedraw { redraw() }
            showFrameIfDue()
        }
        model.close()
        return hasLostTerminal ? 1 : 0
    }

    private var now: UInt64 { MonotonicClock.now.milliseconds }

    // MARK: Waiting

    private func wait() {
        var watched = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&watched, nfds_t(watched.count), Int32(timeout()))
        if count < 0 { return }
        if watched[2].revents != 0 { takeSignals() }
        let isReadable = watched[0].revents & Int16(POLLIN) != 0
        takeInput(isReadable: isReadable)
        if watched[0].revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 {
            (isEnded, hasLostTerminal) = (true, true)
        }
    }

    /// Milliseconds until something is due without anything happening.
    private func timeout() -> Int {
        var wait = Self.idleWait
        if isDirty { wait = min(wait, Int(lastFrame + Self.frameInterval) - Int(now)) }
        if let deadline = model.nudgeDeadline { wait = min(wait, Int(deadline) - Int(now)) }
        if let input = screen.inputTimeout { wait = min(wait, input) }
        return max(0, wait)
    }

    private func takeInput(isReadable: Bool) {
        for input in Input.joined(screen.readInput(isReadable: isReadable)) {
            // What others did before this key is taken in first, so the key acts on what is shown next.
            takeReports()
            model.handle(input, now: now)
            isDirty = true
        }
    }

    private func takeReports() {
        for report in inbox.take() {
            switch report {
            case .event(let event):
                model.take(event)
                if case .linkChanged = event, model.store.status.link == .live, model.message == notice {
                    model.message = Self.greeting
                }
            case .notice(let sentence):
                notice = sentence
                model.message = sentence
            }
            isDirty = true
        }
    }

    private func takeSignals() {
        for signal in signals.take() {
            switch signal {
            case .interrupt:
                model.handle(.key(KeyPress(.escape)), now: now)
                model.message = "q leaves"
            case .terminate: isEnded = true
            case .hangUp: (isEnded, hasLostTerminal) = (true, true)
            case .windowChange: resize()
            case .stop: model.wantsSuspension = true
            case .resume: screen.refreshSize()
            }
            isDirty = true
        }
    }

    // MARK: The screen

    private func resize() {
        screen.refreshSize()
        let size = screen.size
        model.viewport.resize(
            columns: size.columns, rows: size.rows - EditorFrame.topLines - EditorFrame.bottomLines)
        isDirty = true
    }

    private func redraw() {
        model.wantsRedraw = false
        screen.refreshSize()
        isDirty = true
    }

    private func suspend() {
        model.wantsSuspension = false
        model.cancelGesture()
        screen.pause()
        let others = model.store.participants.count
        let people = others == 1 ? "1 other is" : "\(others) others are"
        print("easel: suspended, \(people) on \(canvas); fg comes back")
        fflush(nil)
        signals.stopProcess()
        screen.resume()
        resize()
    }

    private func showFrameIfDue() {
        guard isDirty, !isEnded, now >= lastFrame + Self.frameInterval else { return }
        let size = screen.size
        let frame = EditorFrame(
            &model, canvas: canvas, columns: size.columns, rows: size.rows, isASCII: options.isASCII)
        screen.show(frame.grid, cursor: frame.cursor)
        model.publishPresence()
        lastFrame = now
        isDirty = false
    }
}
