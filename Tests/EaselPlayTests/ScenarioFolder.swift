import Foundation

@testable import EaselPlay

/// The scenarios of the specification.
enum ScenarioFolder {
    static let path: String = {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { url.deleteLastPathComponent() }
        return url.appendingPathComponent("protocol/vectors/scenarios").path
    }()

    /// The names of the files, without their ending.
    static let names: [String] = PlayCommand.files(at: path).map { file in
        let name = file.split(separator: "/").last.map(String.init) ?? file
        return String(name.dropLast(PlayCommand.fileSuffix.count))
    }

    /// Plays a file in process. Returns what is wrong, or nil.
    static func play(_ name: String) -> String? {
        do {
            try ScenarioRunner.play(try ScenarioParser.read(path: "\(path)/\(name).jsonl"))
            return nil
        } catch {
            return "\(error)"
        }
    }
}
