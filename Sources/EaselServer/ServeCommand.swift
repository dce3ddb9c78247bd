import EaselServerEngine
import EaselStorage
public import EaselSupport
import EaselTransport
import Glibc

/// `easel serve`: the server as a program.
public enum ServeCommand {
    /// What may be written after `easel serve`.
    public static let syntax = CommandSyntax(
        name: "serve", summary: "Serves canvases to everybody who connects, until it is stopped.",
        flags: [
            CommandSyntax.Flag(
                "listen", value: "HOST:PORT", help: "where to listen; port 0 takes a free one (\(defaultAddress))"),
            CommandSyntax.Flag("data", value: "DIR", help: "the folder canvases are kept in (\(defaultFolder))"),
            CommandSyntax.Flag(
                "tls-cert", value: "FILE",
                help: "speak TLS with this certificate and its issuers', PEM; read again on SIGHUP"),
            CommandSyntax.Flag("tls-key", value: "FILE", help: "the certificate's private key, PEM"),
            CommandSyntax.Flag(
                "durability", value: "HOW",
                help: "full: survives loss of power; normal: survives a crash of easel (full)"),
            RetentionArgument.flag,
            CommandSyntax.Flag(
                switch: "purge", help: "with --keep-log: remove for good what was deleted before the log begins"),
            CommandSyntax.Flag(
                "loops", value: "N",
                help: "event loops, \(Server.loopCounts.lowerBound) to \(Server.loopCounts.upperBound) (a core each)"),
            CommandSyntax.Flag("log-level", value: "LEVEL", help: "debug, info, warning or error (info)"),
        ])

    private static let defaultAddress = "127.0.0.1:8787"
    private static let defaultPort = 8787
    private static let defaultFolder = "./easel-data"

    /// One a core that the process may use: who pins it to some means those.
    private static var defaultLoops: Int {
        min(max(ProcessorCount.available, Server.loopCounts.lowerBound), Server.loopCounts.upperBound)
    }

    /// Serves until SIGINT or SIGTERM, or the terminal it was started in is gone; reads the certificate again on any other SIGHUP.
    /// Returns the exit code: 0, or 1 if the server cannot run, with the reason on standard error.
    ///
    /// - Throws: `ArgumentError` for a flag that does not hold what it must.
    public static func run(_ arguments: Arguments) throws(ArgumentError) -> Int32 {
        let text = arguments.text("listen") ?? defaultAddress
        guard let address = ListenAddress(text) else {
            throw arguments.badValue("listen", expected: "HOST:PORT, for example \(defaultAddress)")
        }
        let folder = arguments.text("data") ?? defaultFolder
        guard !folder.isEmpty else { throw arguments.badValue("data", expected: "a folder") }
        let durability = Durability(
            rawValue: try arguments.choice(
                "durability", of: Durability.allCases.map(\.rawValue), default: Durability.full.rawValue))
        let level = Log.Level(
            name: try arguments.choice("log-level", of: Log.Level.allCases.map(\.name), default: Log.Level.info.name))
        guard let retention = RetentionArgument.retention(arguments.text("keep-log") ?? "all") else {
            throw arguments.badValue("keep-log", expected: RetentionArgument.expected)
        }
        let purges = try arguments.isOn("purge")
        guard !purges || retention != .all else {
            throw arguments.badValue("purge", expected: "together with --keep-log")
        }
        let loops = try arguments.integer("loops", in: Server.loopCounts, default: defaultLoops)
        let storing = Storing(
            folder: folder, durability: durability ?? .full, retention: retention, purges: purges)
        return serve(
            address, try CertificateFiles(arguments), storing, loops: loops, log: Log(threshold: level ?? .info))
    }

    /// Where and how canvases are kept.
    private struct Storing {
        let folder: String
        let durability: Durability
        let retention: Retention
        let purges: Bool
    }

    private static func serve(
        _ address: ListenAddress, _ files: CertificateFiles?, _ storing: Storing, loops: Int, log: Log
    ) -> Int32 {
        let terminal = StartTerminal()
        let signals = SignalWatch([.interrupt, .terminate, .hangUp])
        SignalWatch.ignoreBrokenPipes()
        DescriptorLimit.apply()
        // What is written is read by nobody else, also in a folder that others may look into.
        _ = umask(0o077)
        let server: Server
        let identity: TLSIdentity?
        do {
            try say("Easel server, opening the data folder \(storing.folder) ...")
            identity = try files?.read()
            try makeFolder(storing.folder)
            let storage = try SQLiteLog(folder: storing.folder, durability: storing.durability)
            do {
                let key = try SiteKeyFile.key(folder: storing.folder)
                server = try Server(
                    host: address.host, port: address.port, identity: identity, loops: loops, storage: storage,
                    retention: storing.retention, purges: storing.purges, key: key, log: log)
            } catch {
                storage.close()
                throw error
            }
        } catch {
            return fail(sentence(for: error, address))
        }
        do throws(Output.Failure) {
            try greet(
                ListenAddress(host: address.host, port: server.port), loops: loops, storing, files, identity)
        } catch {
            server.stop()
            return fail(error.description)
        }
        wait(for: signals, terminal) { reload(files, server) }
        // What was served is stored, whether or not that can still be said.
        try? say("Stopping ...")
        server.stop()
        try? say("Stopped. Everything acknowledged is stored.")
        return 0
    }

    // MARK: Before it runs

    /// Makes the folder and those above it, where they do not exist.
    private static func makeFolder(_ folder: String) throws(FolderFailure) {
        var path = folder.hasPrefix("/") ? "/" : ""
        for part in folder.split(separator: "/") {
            path += path.isEmpty || path == "/" ? String(part) : "/" + part
            guard mkdir(path, 0o700) != 0 else { continue }
            let reason =
                errno == EEXIST ? (isFolder(path) ? nil : "\(path) is a file") : String(cString: strerror(errno))
            guard let reason else { continue }
            throw FolderFailure(
                sentence: "The data folder \(folder) cannot be made: \(reason). Choose another with --data.")
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private struct FolderFailure: Error {
        let sentence: String
    }

    private static func sentence(for error: any Error, _ address: ListenAddress) -> String {
        switch error {
        case let error as StorageError: error.description
        case let error as FolderFailure: error.sentence
        case let error as SiteKeyFile.Failure: error.sentence
        case let error as Output.Failure: error.description
        case let error as TransportError where error.isOfCertificate: "\(error). Check --tls-cert and --tls-key."
        case let error as TransportError:
            "Cannot listen on \(address.authority): \(error). Choose another address with --listen HOST:PORT."
        default: "The server cannot start: \(error)."
        }
    }

    // MARK: While it runs

    private static func greet(
        _ address: ListenAddress, loops: Int, _ storing: Storing, _ files: CertificateFiles?, _ identity: TLSIdentity?
    ) throws(Output.Failure) {
        let scheme = identity == nil ? "ws" : "wss"
        try say("Listening on \(scheme)://\(address.authority)")
        if let files, let identity { try tell("Certificate:", files, identity) }
        try say("Data folder: \(storing.folder)")
        if storing.retention != .all {
            try say("Of each canvas's log is kept: \(RetentionArgument.words(storing.retention)), and named versions.")
            if storing.purges { try say("What was deleted before that, and not touched since, is removed for good.") }
        }
        switch storing.durability {
        case .full: try say("Durability: full. An edit shown as stored survives a crash and loss of power.")
        case .normal:
            try say(
                "Durability: normal. An edit shown as stored survives a crash of Easel; the newest may be lost with the power."
            )
        }
        try say("Event loops: \(loops)")
        if !address.isLoopback {
            Log.writeToStandardError(
                "WARNING: \(address.host) can be reached by other machines, and there is no sign-in yet: whoever reaches it\n"
                    + "         can see and change every canvas. Use 127.0.0.1, or a network you trust.")
        }
        let isUsual = address.port == defaultPort && identity == nil
        let server = isUsual ? "" : " --server \(scheme)://\(reachable(address).authority)"
        let program = CommandLine.arguments.first ?? "easel"
        try say("Next, in another terminal: \(program) edit welcome\(server)")
        try say("Stop with Control-C.")
    }

    /// Where a client on this machine reaches a server that listens everywhere.
    private static func reachable(_ address: ListenAddress) -> ListenAddress {
        switch address.host {
        case "0.0.0.0": ListenAddress(host: "127.0.0.1", port: address.port)
        case "::": ListenAddress(host: "::1", port: address.port)
        default: address
        }
    }

    /// Returns when one of the signals that end the server has come.
    private static func wait(for signals: SignalWatch, _ terminal: StartTerminal, reload: () -> Void) {
        var poller = pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let taken = signals.take()
            if taken.contains(where: { $0 != .hangUp }) || !taken.isEmpty && terminal.isLost { return }
            if !taken.isEmpty { reload() }
            _ = poll(&poller, 1, -1)
        }
    }

    /// Reads the certificate and its key again, and shows them if they can be used; else everything stays as it is. That much is
    /// true whether or not it can be said.
    private static func reload(_ files: CertificateFiles?, _ server: Server) {
        guard let files else {
            try? say("There is nothing to reload: the server speaks no TLS.")
            return
        }
        do throws(TransportError) {
            let identity = try files.read()
            server.show(identity)
            try? tell("Certificate reloaded:", files, identity)
        } catch {
            Log.writeToStandardError("easel: the certificate is not changed: \(error)")
        }
    }

    /// Says which certificate is shown, and warns if it is not the time for that.
    private static func tell(
        _ beginning: String, _ files: CertificateFiles, _ identity: TLSIdentity
    ) throws(Output.Failure) {
        if let warning = files.warning(identity, now: .now) { Log.writeToStandardError(warning) }
        try say("\(beginning) \(files.words(identity))")
    }

    /// Writes a line to standard output.
    private static func say(_ line: String) throws(Output.Failure) {
        do throws(Output.Failure) {
            try Output.standard.line(line)
        } catch  where error.code == EPIPE {
            // Somebody who closed the pipe does not want to know.
        }
    }

    private static func fail(_ sentence: String) -> Int32 {
        Log.writeToStandardError("easel: \(sentence)")
        return 1
    }
}
