import EaselClient
import EaselClientEngine
import EaselCore
import EaselSupport
import Foundation

/// Somebody at a terminal: `easel edit` as a process of its own, with keys typed and what it writes on its screen.
final class EditorProcess {
    private let process = Process()
    private let keys: Int32
    private let errors = Pipe()
    private let shown = Locked<String>("")

    struct NoTerminal: Error {}

    // TIOCSPTLCK and TIOCGPTN of Linux, which are macros that Swift does not import.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    init(canvas: String, server: ServerAddress, state: String, name: String = "ana") throws {
        let person = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (locked, number): (Int32, Int32) = (0, 0)
        guard person >= 0, ioctl(person, Self.setLock, &locked) == 0, ioctl(person, Self.getNumber, &number) == 0 else {
            throw NoTerminal()
        }
        let program = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        guard program >= 0 else { throw NoTerminal() }
        var size = winsize(ws_row: 24, ws_col: 90, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(program, UInt(TIOCSWINSZ), &size)
        _ = fcntl(person, F_SETFD, FD_CLOEXEC)
        keys = person
        process.executableURL = Program.url
        process.arguments = ["edit", canvas, "--server", server.description, "--state", state, "--name", name]
        process.environment = ["TERM": "xterm-256color", "LANG": "C.UTF-8"]
        let terminal = FileHandle(fileDescriptor: program, closeOnDealloc: true)
        process.standardInput = terminal
        process.standardOutput = terminal
        process.standardError = errors
        try process.run()
        Thread.detachNewThread { [shown] in
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(person, &bytes, bytes.count)
                guard count > 0 else { return }
                let text = String(decoding: bytes[..<count], as: UTF8.self)
                shown.withLock { $0 += text }
            }
        }
        // Keys that come before may be lost.
        guard eventually({ shows("SELECT") }) else { throw NoTerminal() }
    }

    /// Whether a text was written to the screen, in one piece.
    func shows(_ text: String) -> Bool { shown.withLock { $0.contains(text) } }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(keys, bytes, bytes.count)
    }

    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Leaves by keys. Returns the exit code and what was said on standard error.
    func leave() -> (status: Int32, errors: String) {
        // Esc ends a text, unless it comes together with what is typed behind it; q leaves, and once more if edits wait.
        let isGone = eventually {
            type("\u{1B}")
            usleep(100_000)
            type("qq")
            usleep(100_000)
            return !process.isRunning
        }
        if !isGone { kill() }
        let text = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }

    deinit {
        if process.isRunning { kill() }
    }
}

/// What a client left in a folder, looked at without taking part.
func keptState(in folder: String, canvas: String, server: ServerAddress) -> (store: CanvasStore?, said: [String]) {
    let said = Locked<[String]>([])
    let copy = FileManager.default.temporaryDirectory.appendingPathComponent("easel-look-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: copy) }
    guard (try? FileManager.default.copyItem(atPath: folder, toPath: copy.path)) != nil,
        let state = try? KeptState(
            in: copy.path, server: server, canvas: CanvasID(canvas)!, name: "look", provisionalSite: SiteID(1)!,
            say: { sentence in said.withLock { $0.append(sentence) } })
    else { return (nil, []) }
    return (CanvasStore(keptIn: state), said.withLock { $0 })
}
