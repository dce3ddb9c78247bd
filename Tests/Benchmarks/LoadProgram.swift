import EaselClient
import Foundation

/// `easel load` as a program of its own on the harness's processor. It ends with this value.
struct LoadProgram {
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

    private let program: ChildProgram

    /// How long it may take beside what it was told, seconds: it waits a minute itself for clients to come, and for edits to arrive.
    private static let patience = 150

    /// Starts it against a server.
    init(_ server: ServerUnderTest, _ arguments: [String], urgency: Urgency = .usual) throws(NotMeasured) {
        program = try ChildProgram(
            WorkFolder.program("easel"), ["load", "\(server.address)", "--json"] + arguments,
            on: Processors.harness, urgency: urgency, hidesErrors: true)
    }

    /// Waits for its end; so many seconds it was told to run.
    func result(seconds: Int) throws(NotMeasured) -> Result {
        let text = program.read(forAtMost: seconds + Self.patience)
        guard let result = try? JSONDecoder().decode(Result.self, from: Data(text.utf8)) else {
            throw NotMeasured("the load gives no result: \(text)")
        }
        return result
    }
}
