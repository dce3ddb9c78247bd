import EaselClient
import EaselCore
import EaselProtocol
public import EaselSupport
import Glibc

/// `easel edit CANVAS`: the editor in a terminal.
public enum EditCommand {
    /// What may be written after `easel edit`.
    public static let syntax = CommandSyntax(
        name: "edit", summary: "Edits a canvas in the terminal, together with everybody who has it open.",
        positionals: [CommandSyntax.Positional("canvas", help: "the canvas's name; one that is new starts empty")],
        flags: CanvasTarget.flags + [
            CommandSyntax.Flag("name", value: "NAME", help: "the name others see (your login name)"),
            CommandSyntax.Flag(
                "state", value: "DIR",
                help: "where edits are kept until the server has them, or none (~/.local/state/easel)"),
            CommandSyntax.Flag("color", value: "HOW", help: "auto, truecolor, 256, 16 or none (auto)"),
            CommandSyntax.Flag(switch: "ascii", help: "draw with ASCII characters only"),
            CommandSyntax.Flag(switch: "no-mouse", help: "leave the mouse to the terminal"),
        ])

    /// Runs the editor until the person leaves. Returns the exit code: 0, or 1 if there is no terminal, it is lost, or edits
    /// were left behind, with the reason on standard error.
    ///
    /// - Throws: `ArgumentError` for an argument that is not what it must be.
    public static func run(_ arguments: Arguments) throws(ArgumentError) -> Int32 {
        let target = try CanvasTarget(arguments)
        let environment = ProcessEnvironment.variables
        let color = try arguments.choice("color", of: ["auto"] + ColourDepth.allCases.map(\.rawValue), default: "auto")
        let options = TerminalOptions(
            color: color, isASCII: try arguments.isOn("ascii"), hasMouse: !(try arguments.isOn("no-mouse")),
            environment: environment)
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            return fail("easel edit needs a terminal; 'easel show \(target.canvas)' prints the canvas")
        }
        let inbox = EventInbox()
        let log = Log(threshold: .warning, write: { inbox.put(.notice(Self.sentence(of: $0))) })
        var keeping = Keeping(inbox: inbox)
        let store = keeping.open(arguments.text("state"), environment, target)
        let observation = store.observe { inbox.put(.event($0)) }
        defer { observation.end() }
        let connection: CanvasConnection
        do {
            connection = try target.connection(of: store, log: log)
        } catch {
            return fail("cannot start: \(error)")
        }
        guard
            let screen = Screen(
                input: STDIN_FILENO, output: STDOUT_FILENO, options: options, environment: environment)
        else {
            return fail(
                "a terminal of type '\(environment["TERM"] ?? "")' is not known or cannot be drawn on; set TERM to what it is"
            )
        }
        connection.start()
        let session = EditSession(
            store: store, canvas: target.canvas, screen: screen, options: options, inbox: inbox)
        let code = session.run()
        screen.close()
        connection.stop()
        keeping.repeatNotices()
        let unsaved = store.status.pendingCount
        if unsaved > 0 {
            let edits = unsaved == 1 ? "1 edit" : "\(unsaved) edits"
            guard keeping.isWritten else { return fail("left with \(edits) that the server has not stored") }
            Log.writeToStandardError("easel: \(edits) kept; opening \(target.canvas) again sends what the server lacks")
        }
        return code
    }

    /// What a line of the log says, without time and level.
    static func sentence(of line: String) -> String {
        line.split(separator: " ", maxSplits: 2).last.map(String.init) ?? line
    }

    /// Says a sentence on standard error and returns the exit code.
    static func fail(_ sentence: String) -> Int32 {
        Log.writeToStandardError("easel: \(sentence)")
        return 1
    }
}

/// The folder in which the editor keeps what the server has not stored, and what it has to say of it.
struct Keeping {
    private let inbox: EventInbox
    private let said = Locked<[String]>([])
    private var state: KeptState?

    init(inbox: EventInbox) { self.inbox = inbox }

    /// Whether everything is in the folder.
    var isWritten: Bool { state?.isWritten ?? false }

    /// A store that keeps its state in a folder: the given one, or the one that is usual on this system. Where that cannot be
    /// done the editor goes without, and says so.
    mutating func open(_ folder: String?, _ environment: [String: String], _ target: CanvasTarget) -> CanvasStore {
        if folder == Self.none { return target.makeStore() }
        let say: @Sendable (String) -> Void = { [said, inbox] sentence in
            said.withLock { $0.append(sentence) }
            inbox.put(.notice(sentence))
        }
        guard let folder = folder ?? Self.usualFolder(environment) else {
            say("there is no home folder; edits are not kept on this computer")
            return target.makeStore()
        }
        do throws(KeptStateError) {
            let state = try KeptState(
                in: folder, server: target.server, canvas: target.canvas, name: target.name,
                provisionalSite: CanvasTarget.randomSite(), say: say)
            self.state = state
            return CanvasStore(keptIn: state)
        } catch {
            say("\(error); edits are not kept on this computer")
            return target.makeStore()
        }
    }

    /// Says on standard error what was said on the screen, which is gone.
    func repeatNotices() {
        for sentence in said.withLock({ $0 }) { Log.writeToStandardError("easel: \(sentence)") }
    }

    private static let none = "none"

    /// The folder for state as the XDG base directory specification has it; nil if there is no home.
    private static func usualFolder(_ environment: [String: String]) -> String? {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/easel" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return home + "/.local/state/easel"
    }
}

/// Which canvas on which server, and as whom: what `edit` and `show` have in common.
struct CanvasTarget: Sendable {
    let canvas: CanvasID
    let name: String
    private let target: ServerTarget

    /// The flags that say which server.
    static let flags = [ServerTarget.addressFlag, ServerTarget.authorityFlag]

    /// Longest name, bytes, as the protocol has it.
    private static let nameBytes = 64

    init(_ arguments: Arguments, hasName: Bool = true) throws(ArgumentError) {
        let text = arguments.text("canvas") ?? ""
        guard let canvas = CanvasID(text) else {
            throw arguments.badValue("canvas", expected: "1 to 128 letters, digits or . _ ~ -")
        }
        self.canvas = canvas
        target = try ServerTarget(arguments) ?? ServerTarget(.local)
        if !hasName {
            name = "easel show"
        } else if let given = arguments.text("name") {
            guard Self.isName(given) else { throw arguments.badValue("name", expected: "1 to 64 bytes long") }
            name = given
        } else {
            name = Self.loginName.flatMap { Self.isName($0) ? $0 : nil } ?? "someone"
        }
    }

    var server: ServerAddress { target.address }

    private static func isName(_ text: String) -> Bool { (1...nameBytes).contains(text.utf8.count) }

    /// Who runs the program: by the environment, or by the system's list where the environment does not say, as in containers.
    private static var loginName: String? {
        let variables = ProcessEnvironment.variables
        if let name = variables["USER"] ?? variables["LOGNAME"], !name.isEmpty { return name }
        return getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) }
    }

    /// A connection with the server, not started yet.
    ///
    /// - Throws: `TransportError` where there is no room for one, or the file of authorities cannot be read.
    func connection(of store: CanvasStore, log: Log) throws -> CanvasConnection {
        try CanvasConnection(store: store, server: server, authorityFile: target.authorityFile, log: log)
    }

    /// A store of the canvas, without a connection; one that only looks at a revision, if that is given.
    func makeStore(lookingAt point: StillPoint? = nil) -> CanvasStore {
        let site = Self.randomSite()
        guard let point else { return CanvasStore(canvas: canvas, name: name, provisionalSite: site) }
        return CanvasStore(canvas: canvas, name: name, provisionalSite: site, lookingAt: point)
    }

    static func randomSite() -> SiteID { SiteID(random: SystemRandom.value()) }
}

/// The variables of the process's environment.
enum ProcessEnvironment {
    static var variables: [String: String] {
        var result: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { result[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return result
    }
}
