import EaselClient
public import EaselSupport
import EaselTransport
import Foundation

/// `easel load`: many virtual clients against a server.
public enum LoadCommand {
    /// What may be written after `easel load`.
    public static let syntax = CommandSyntax(
        name: "load",
        summary: "Puts a server under load with virtual clients, and checks that all of them end up equal.",
        positionals: [
            CommandSyntax.Positional(
                "url", help: "the server (ws://127.0.0.1:8787); with --compare, not needed", isRequired: false)
        ],
        flags: [
            CommandSyntax.Flag("canvases", value: "N", help: "canvases, new ones (1)"),
            CommandSyntax.Flag("editors", value: "N", help: "clients of each canvas that edit (10)"),
            CommandSyntax.Flag("viewers", value: "N", help: "clients of each canvas that only watch (40)"),
            CommandSyntax.Flag("engines", value: "N", help: "editors of each canvas with the whole client engine (2)"),
            CommandSyntax.Flag("rate", value: "R", help: "actions of one editor a second (20)"),
            CommandSyntax.Flag("seconds", value: "S", help: "how long to measure (10)"),
            CommandSyntax.Flag("warm-up", value: "S", help: "how long to run before (2)"),
            CommandSyntax.Flag("typing", value: "%", help: "actions that type a character (10)"),
            CommandSyntax.Flag(
                "undo", value: "%", help: "actions of editors with an engine that are undo or redo (10)"),
            CommandSyntax.Flag("shapes", value: "N", help: "shapes each canvas begins with (0)"),
            CommandSyntax.Flag("connects", value: "N", help: "connections made a second (500)"),
            CommandSyntax.Flag(switch: "find-max", help: "raise the rate step by step while p99 stays under the limit"),
            CommandSyntax.Flag(
                "limit", value: "MS",
                help: "most p99 of edit to seen, milliseconds; else exit code 1 (with --find-max 50)"),
            CommandSyntax.Flag(
                "server-process", value: "PID", help: "the server's process, to count its processor time"),
            ServerTarget.authorityFlag,
            CommandSyntax.Flag(switch: "json", help: "print the result as JSON"),
            CommandSyntax.Flag("save", value: "FILE", help: "write the result as JSON"),
            CommandSyntax.Flag(
                "compare", value: "FILE",
                help: "compare with a result that was saved, instead of running if --with is given"),
            CommandSyntax.Flag("with", value: "FILE", help: "the second result to compare"),
        ])

    /// Runs it. Returns the exit code: 0, or 1 if states differ, a limit is not met, or there is no server.
    ///
    /// - Throws: `ArgumentError` for an argument that is not what it must be.
    public static func run(_ arguments: Arguments) throws(ArgumentError) -> Int32 {
        var old: LoadSummary?
        if let path = arguments.text("compare") {
            guard let summary = read(path) else {
                throw arguments.badValue("compare", expected: "a file that --save wrote")
            }
            old = summary
        }
        if let old, let path = arguments.text("with") {
            guard let new = read(path) else { throw arguments.badValue("with", expected: "a file that --save wrote") }
            return say(LoadReport.comparison(old, new)) ? 0 : 1
        }
        let target = try ServerTarget(arguments, addressIn: "url") ?? ServerTarget(.local)
        var plan = try plan(arguments)
        plan.server = target.address
        let (isJSON, isSearch) = (try arguments.isOn("json"), try arguments.isOn("find-max"))
        var limit: Int?
        if arguments.text("limit") != nil {
            limit = try arguments.integer("limit", in: 1...1_000_000, default: defaultLimit)
        }
        DescriptorLimit.apply()
        let summary: LoadSummary
        do throws(TransportError) {
            plan.trust = try target.trust()
            summary =
                try isSearch
                ? findMaximum(plan, limit: Double(limit ?? defaultLimit)) : LoadSummary(once(plan))
        } catch {
            Log.writeToStandardError("easel: cannot start: \(error)")
            return 1
        }
        return finish(summary, old, limit, isJSON, arguments.text("save"))
    }

    private static let defaultLimit = 50

    private static func finish(
        _ summary: LoadSummary, _ old: LoadSummary?, _ limit: Int?, _ isJSON: Bool, _ path: String?
    ) -> Int32 {
        guard let json = try? summary.json() else { return 1 }
        if let path {
            do {
                try Data((json + "\n").utf8).write(to: URL(fileURLWithPath: path))
            } catch {
                Log.writeToStandardError("easel: \(path) cannot be written: \(error.localizedDescription)")
                return 1
            }
        }
        var lines = isJSON ? [json] : LoadReport.lines(summary)
        if let old, !isJSON { lines += LoadReport.comparison(old, summary) }
        guard say(lines) else { return 1 }
        if let limit, summary.p99 > Double(limit) {
            Log.writeToStandardError("easel: p99 is above the limit of \(limit) ms")
            return 1
        }
        return summary.isRight ? 0 : 1
    }

    /// One run.
    private static func once(_ plan: LoadPlan) throws(TransportError) -> LoadResult {
        try LoadRun.run(plan, log: Log(threshold: .error))
    }

    /// Doubles the rate until p99 is above the limit, then halves the distance a few times. Gives the best run that kept it.
    private static func findMaximum(_ plan: LoadPlan, limit: Double) throws(TransportError) -> LoadSummary {
        var plan = plan
        var best: LoadSummary?
        var (good, bad): (Double, Double?) = (0, nil)
        for _ in 0..<steps {
            let summary = LoadSummary(try once(plan))
            // The load did not fall behind: what was meant was ordered in the same time.
            let isKept =
                summary.isRight && summary.p99 <= limit && summary.orderedPerSecond >= 0.95 * summary.actionsPerSecond
            Log.writeToStandardError(
                "rate \(plan.rate) x \(plan.editors * plan.canvases): p99 \(summary.p99) ms, \(Int(summary.orderedPerSecond)) ordered/s"
                    + ", \(Int(summary.deliveriesPerSecond)) deliveries/s\(isKept ? "" : " (above the limit)")")
            if isKept {
                good = plan.rate
                best = summary
            } else {
                bad = plan.rate
                if best == nil { best = summary }
            }
            if let bad, bad < good * 1.1 { break }
            plan.rate = bad.map { (good + $0) / 2 } ?? plan.rate * 2
        }
        return best ?? LoadSummary(LoadResult())
    }

    /// Most runs of a search.
    private static let steps = 14

    // MARK: Arguments

    private static func plan(_ arguments: Arguments) throws(ArgumentError) -> LoadPlan {
        var plan = LoadPlan()
        plan.canvases = try arguments.integer("canvases", in: 1...100_000, default: plan.canvases)
        plan.editors = try arguments.integer("editors", in: 1...100_000, default: plan.editors)
        plan.viewers = try arguments.integer("viewers", in: 0...100_000, default: plan.viewers)
        plan.engines = try arguments.integer("engines", in: 0...1_000, default: plan.engines)
        plan.seconds = try arguments.integer("seconds", in: 1...86_400, default: plan.seconds)
        plan.warmUpSeconds = try arguments.integer("warm-up", in: 0...3_600, default: plan.warmUpSeconds)
        plan.typing = try arguments.integer("typing", in: 0...100, default: plan.typing)
        plan.undo = try arguments.integer("undo", in: 0...100, default: plan.undo)
        plan.shapes = try arguments.integer("shapes", in: 0...1_000_000, default: plan.shapes)
        plan.connectsPerSecond = try arguments.integer("connects", in: 1...100_000, default: plan.connectsPerSecond)
        if let text = arguments.text("rate") {
            guard let rate = Double(text), rate >= 0.001, rate <= 1_000_000 else {
                throw arguments.badValue("rate", expected: "a number from 0.001 to 1000000")
            }
            plan.rate = rate
        }
        if arguments.text("server-process") != nil {
            plan.serverProcess = Int32(try arguments.integer("server-process", in: 1...Int(Int32.max), default: 1))
            guard plan.serverProcess.flatMap(ProcessTimes.processorSeconds) != nil else {
                throw arguments.badValue("server-process", expected: "a running process")
            }
        }
        if plan.shapes > 0 { plan.engines = max(1, plan.engines) }
        return plan
    }

    private static func read(_ path: String) -> LoadSummary? {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else { return nil }
        return try? LoadSummary(json: data)
    }

    private static func say(_ lines: [String]) -> Bool {
        do {
            try Output.standard.line(lines.joined(separator: "\n"))
            return true
        } catch {
            Log.writeToStandardError("easel: \(error)")
            return false
        }
    }
}
