import EaselSupport
import Testing

struct ArgumentTests {
    private let commands = CommandSet(
        program: "easel", summary: "Paint together.",
        commands: [
            CommandSyntax(
                name: "serve", summary: "Serve canvases.",
                positionals: [
                    .init("directory", help: "where canvases live"), .init("note", help: "a note", isRequired: false),
                ],
                flags: [
                    .init("port", value: "PORT", help: "port to listen on"),
                    .init("data-dir", value: "PATH", help: "storage"),
                    .init(switch: "verbose", help: "say more"),
                ]), CommandSyntax(name: "edit", summary: "Edit a canvas."),
        ])

    private func serve(_ words: String..., environment: [String: String] = [:]) throws(ArgumentError) -> Arguments {
        guard
            case .run(command: "serve", let arguments) = try commands.choose(
                ["serve"] + words, environment: environment)
        else { preconditionFailure("not the command") }
        return arguments
    }

    @Test("flags take their value from the next word or after an equals sign, and switches take none")
    func forms() throws {
        let arguments = try serve("--port", "80", "here", "--data-dir=/a=b", "--verbose")
        #expect(try arguments.integer("port", in: 0...65_535, default: 1) == 80)
        #expect(arguments.text("data-dir") == "/a=b")
        #expect(try arguments.isOn("verbose"))
        #expect(arguments.text("directory") == "here")
        #expect(arguments.text("note") == nil)
        #expect(try serve("--", "--port").text("directory") == "--port")
        #expect(try serve("--", "-x").text("directory") == "-x")
        #expect(try serve("-").text("directory") == "-")
        #expect(try serve("here", "--port", "-1").text("port") == "-1")
    }

    @Test("a flag is typed only where it stands in the command line itself")
    func typed() throws {
        let arguments = try serve("here", "--port=1", environment: ["EASEL_DATA_DIR": "x"])
        #expect(arguments.isTyped("port"))
        #expect(!arguments.isTyped("data-dir"))
        #expect(!arguments.isTyped("verbose"))
    }

    @Test("a flag that is not given comes from the environment, then from its default")
    func environment() throws {
        let environment = ["EASEL_PORT": "90", "EASEL_DATA_DIR": "", "EASEL_VERBOSE": "no"]
        let arguments = try serve("here", environment: environment)
        #expect(try arguments.integer("port", in: 0...65_535, default: 1) == 90)
        #expect(arguments.text("data-dir") == nil)
        #expect(try !arguments.isOn("verbose"))
        #expect(try serve("here", "--port=1", environment: environment).text("port") == "1")
        #expect(try serve("here").integer("port", in: 0...65_535, default: 7) == 7)
    }

    @Test("mistakes are told in a sentence that helps")
    func mistakes() {
        let cases: [([String], String)] = [
            (["--prot", "1"], "there is no flag '--prot'; did you mean '--port'?"),
            (["--zzzzzz"], "there is no flag '--zzzzzz'"), (["--"], "the argument <directory> is missing"),
            (["-x"], "there is no flag '-x'"), (["-port=1"], "there is no flag '-port'; did you mean '--port'?"),
            (["--port"], "the flag '--port' needs a value"),
            (["--verbose=1"], "the flag '--verbose' takes no value"),
            (["--port=1", "--port=2"], "the flag '--port' is given twice"),
            ([], "the argument <directory> is missing"), (["a", "b", "c"], "the argument 'c' is one too many"),
        ]
        for (words, sentence) in cases {
            #expect(throws: ArgumentError.self) { try commands.choose(["serve"] + words, environment: [:]) }
            do {
                _ = try commands.choose(["serve"] + words, environment: [:])
            } catch {
                #expect(error.description == sentence)
            }
        }
        #expect(throws: ArgumentError.unknownCommand("srve", suggestion: "serve")) {
            try commands.choose(["srve"], environment: [:])
        }
        #expect(throws: ArgumentError.missingCommand(program: "easel")) { try commands.choose([], environment: [:]) }
    }

    @Test("a value that is no number in range names the place it came from")
    func badValues() throws {
        let arguments = try serve("here", environment: ["EASEL_PORT": "70000", "EASEL_VERBOSE": "perhaps"])
        #expect(
            throws: ArgumentError.badValue(
                name: "EASEL_PORT", value: "70000", expected: "a whole number from 0 to 65535")
        ) { try arguments.integer("port", in: 0...65_535, default: 1) }
        #expect(throws: ArgumentError.self) { try arguments.isOn("verbose") }
        let expected = "good"
        #expect(arguments.badValue("port", expected: expected).description == "EASEL_PORT must be good, not '70000'")
        #expect(
            arguments.badValue("directory", expected: expected).description == "<directory> must be good, not 'here'")
        let typed = try serve("here", "--port", "70000", environment: ["EASEL_PORT": "1"])
        #expect(typed.badValue("port", expected: expected).description == "--port must be good, not '70000'")
    }

    @Test("help wins over mistakes and lists every flag with its variable")
    func help() throws {
        guard case .help(let text) = try commands.choose(["serve", "--bogus", "--help"], environment: [:]) else {
            Issue.record("no help")
            return
        }
        #expect(text.contains("usage: easel serve <directory> [note] [flags]"))
        #expect(text.contains("  --data-dir PATH  storage [EASEL_DATA_DIR]"))
        guard case .help(let overview) = try commands.choose(["--help"], environment: [:]) else {
            Issue.record("no help")
            return
        }
        #expect(overview.contains("  serve  Serve canvases.\n  edit   Edit a canvas."))
    }
}

struct LogTests {
    private func lines(_ body: (Log) -> Void) -> [String] {
        let lines = Locked([String]())
        body(
            Log(
                threshold: .info, time: { WallTime(millisecondsSince1970: 1_936_076_889_010) },
                write: { line in lines.withLock { $0.append(line) } }))
        return lines.withLock { $0 }
    }

    @Test("a line holds time, level, message and fields, those of the context first")
    func shape() {
        let lines = lines { log in
            log.with(["loop": 3]).info("listening", ["host": "a b", "port": 80])
            log.error("ended")
        }
        #expect(
            lines == [
                "2031-05-09T07:08:09.010Z info listening loop=3 host=\"a b\" port=80",
                "2031-05-09T07:08:09.010Z error ended",
            ])
    }

    @Test("events below the threshold are not even evaluated")
    func threshold() {
        let lines = lines { log in
            log.debug(
                {
                    Issue.record("evaluated")
                    return ""
                }())
            log.warning("seen")
        }
        #expect(lines.count == 1)
    }

    @Test("text from outside cannot break out of its line or its field")
    func forging() {
        let lines = lines { $0.warning("bad\nline", ["name": "x\" y=\n\u{1B}[2J"]) }
        #expect(lines == ["2031-05-09T07:08:09.010Z warning bad\\nline name=\"x\\\" y=\\n\\u{1b}[2J\""])
    }

    @Test("times of day are right across leap days and before 1970")
    func times() {
        #expect(WallTime(millisecondsSince1970: 0).description == "1970-01-01T00:00:00.000Z")
        #expect(WallTime(millisecondsSince1970: 951_782_400_000).description == "2000-02-29T00:00:00.000Z")
        #expect(WallTime(millisecondsSince1970: -1).description == "1969-12-31T23:59:59.999Z")
        #expect(WallTime(millisecondsSince1970: 4_107_542_400_000).description == "2100-03-01T00:00:00.000Z")
    }
}

struct InstantTests {
    @Test("spans are never negative and instants never wrap")
    func spans() {
        let early = Instant(nanoseconds: 1_500_000)
        let late = early.advanced(byMilliseconds: 3)
        #expect(late.milliseconds(since: early) == 3)
        #expect(early.milliseconds(since: late) == 0)
        #expect(early.milliseconds == 1)
        #expect(early.advanced(byMilliseconds: .max) == Instant(nanoseconds: .max))
        #expect(MonotonicClock.now <= MonotonicClock.now)
    }

    @Test("random numbers of the system differ, in any quantity")
    func random() {
        #expect(Set(SystemRandom.values(100)).count == 100)
        #expect(SystemRandom.values(0).isEmpty)
    }
}

struct QueueTests {
    @Test("a queue that is never empty keeps its order and frees what leaves")
    func order() {
        final class Element: Sendable {
            let number: Int
            init(_ number: Int) { self.number = number }
        }
        var queue = EaselSupport.Queue<Element>()
        weak var dropped: Element?
        for number in 0..<10 { queue.append(Element(number)) }
        for number in 10..<100_000 {
            queue.append(Element(number))
            let first = queue.popFirst()
            #expect(first?.number == number - 10)
            #expect(dropped == nil, "what left is freed")
            dropped = first
        }
        #expect(queue.count == 10 && queue.first?.number == 99_990)
    }
}
