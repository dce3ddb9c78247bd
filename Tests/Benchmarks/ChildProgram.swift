import EaselSupport
import Foundation

/// A program that runs beside the benchmarks. It ends with this value, and with the benchmarks however they end.
final class ChildProgram {
    private let process = Process()
    private let output = Pipe()

    /// How long it may take to end when it is asked to, milliseconds.
    private static let patience = 5_000

    /// Starts it.
    ///
    /// - Parameters:
    ///   - processor: Where all its threads run; nil for anywhere.
    ///   - urgency: Who goes first of those that share a processor.
    ///   - hidesErrors: Whether what it says about its progress and its errors is left out.
    init(
        _ program: URL, _ arguments: [String], on processor: Int? = nil, urgency: Urgency = .usual,
        hidesErrors: Bool = false
    ) throws(NotMeasured) {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["setpriv", "--pdeathsig", "KILL"] + urgency.command + [program.path] + arguments
        process.standardOutput = output
        if hidesErrors { process.standardError = FileHandle.nullDevice }
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw NotMeasured("there is no \(program.path); build it first")
        }
        do {
            try Processors.on(processor) { [process] in try process.run() }
        } catch {
            throw NotMeasured("\(program.path) does not run: \(error)")
        }
    }

    deinit { stop() }

    /// The number of its process.
    var processNumber: Int32 { process.processIdentifier }

    /// What it writes until that is enough or all, but not for longer than so many seconds.
    func read(forAtMost seconds: Int, until isEnough: (String) -> Bool = { _ in false }) -> String {
        let end = MonotonicClock.now.advanced(byMilliseconds: UInt64(seconds) * 1_000)
        let descriptor = output.fileHandleForReading.fileDescriptor
        var (text, buffer) = ("", [UInt8](repeating: 0, count: 65_536))
        while !isEnough(text) {
            let now = MonotonicClock.now
            guard now < end else { break }
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, Int32(end.milliseconds(since: now)) + 1) > 0 else { continue }
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return text
    }

    /// Waits for its end, but not for longer than so many seconds. Returns whether it has ended.
    func waitForEnd(forAtMost seconds: Int) -> Bool {
        for _ in 0..<seconds * 1_000 where process.isRunning { usleep(1_000) }
        return !process.isRunning
    }

    /// Whether it was killed; to be asked when it has ended.
    var wasKilled: Bool { process.terminationReason == .uncaughtSignal }

    /// Ends it.
    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        for _ in 0..<Self.patience where process.isRunning { usleep(1_000) }
        if process.isRunning { kill(processNumber, SIGKILL) }
        process.waitUntilExit()
    }
}

/// Who goes first of programs on one processor.
enum Urgency {
    case usual
    /// Behind the others.
    case last
    /// In front of the others, always, if the system lets it; else as usual.
    case first

    /// What a command line begins with for it.
    var command: [String] {
        switch self {
        case .usual: []
        case .last: ["nice", "-n", "10"]
        case .first: Self.mayBeFirst ? Self.realTime : []
        }
    }

    private static let realTime = ["chrt", "--fifo", "10"]

    private static let mayBeFirst: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = realTime + ["true"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}
