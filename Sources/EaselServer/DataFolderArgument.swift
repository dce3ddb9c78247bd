import EaselStorage
import EaselSupport
import Foundation

/// What the commands that work on a data folder without a server have in common.
enum DataFolderArgument {
    /// The flag that names the folder; the same as that of `easel serve`.
    static let flag = CommandSyntax.Flag(
        "data", value: "DIR", help: "the folder canvases are kept in (\(defaultFolder))")

    /// The server's secret key lies beside the database, and belongs to it.
    static let companions = ["site.key"]

    private static let defaultFolder = "./easel-data"

    /// The folder that is named, or the default one.
    static func folder(_ arguments: Arguments) throws(ArgumentError) -> String {
        let folder = arguments.text("data") ?? defaultFolder
        guard !folder.isEmpty else { throw arguments.badValue("data", expected: "a folder") }
        return folder
    }

    /// Says on standard error what went wrong, and gives the exit code.
    static func fail(_ sentence: String) -> Int32 {
        Log.writeToStandardError("easel: \(sentence)")
        return 1
    }

    /// The sentence for what stopped a command.
    static func sentence(for error: any Error) -> String {
        switch error {
        case let error as StorageError where error.kind == .inUse:
            "\(error.sentence) A backup can be made meanwhile and looked at instead: easel backup DIR."
        case let error as StorageError: error.description
        case let error as Output.Failure: error.description
        case let error as CocoaError: error.localizedDescription
        default: "\(error)"
        }
    }
}
