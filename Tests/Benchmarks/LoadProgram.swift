import EaselClient
import Foundation

/// `easel load` as a program of its own on the harness's processor.
final class LoadProgram {
    /// What it measured; as `easel load --json` prints it.
    struct Result: Decodable {
        let clients: Int
        let actionsPerSecond: Double
        let orderedPerSecond: Double
        let deliveriesPerSecond: Double
        /// Of edit to seen, milliseconds.
        let p50: Double
        let p99: Double
        /// How late the harness itself was, milliseconds.
        let lateP99: Double
        let unequalCanvases: Int
        let echoes: Int
        let serverSecondsPerMillionDeliveries: Double?
        /// Why it ended early; nil if it did not.
        let failure: String?

        /// Whether everybody stayed and saw the same.
        var isRight: Bool { failure == nil && unequalCanvases == 0 && echoes == 0 }
    }

    private let process = Process()
    private let output = Pipe()

    /// Starts it against a server. Nil, with a line printed, if there is no such program.
    ///
    /// - Parameter niceness: How much it leaves the processor to others.
    init?(_ server: ServerUnderTest, _ arguments: [String], niceness: Int = 0) {
        let program = ServerUnderTest.program("easel").path
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["nice", "-n", "\(niceness)", program, "load", "\(server.address)", "--json"] + arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do {
            try Processors.on(Processors.harness) { try process.run() }
        } catch {
            print("SKIPPED: \(program) does not run: \(error)")
            return nil
        }
    }

    /// Waits for its end.
    func result() -> Result? {
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try? JSONDecoder().decode(Result.self, from: data)
    }

    /// Ends it early.
    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
