import Glibc

/// Where a program tells its operator what happens: one line of text for each event.
///
/// A line is `time level message key=value key=value`. Values that hold spaces, quotes, equals signs or control characters are
/// quoted, so a line stays one line and can be taken apart again. A log is a value and is passed to whoever shall write to it.
public struct Log: Sendable {
    /// How much an event matters.
    public enum Level: Int, CaseIterable, Comparable, Sendable {
        /// For finding faults in the program itself.
        case debug
        /// What an operator wants to see in normal operation.
        case info
        /// Something is wrong that the program can live with.
        case warning
        /// Something failed, and somebody notices.
        case error

        /// Levels are ordered by how much they matter.
        public static func < (left: Level, right: Level) -> Bool {
            left.rawValue < right.rawValue
        }

        /// The level's name in a line and in flags.
        public var name: String {
            switch self {
            case .debug: "debug"
            case .info: "info"
            case .warning: "warning"
            case .error: "error"
            }
        }

        /// Creates the level with the given name, or nil where there is none.
        public init?(name: String) {
            guard let level = Level.allCases.first(where: { $0.name == name }) else { return nil }
            self = level
        }
    }

    /// The names and values of one event, in the order in which they are written.
    public typealias Fields = KeyValuePairs<String, any CustomStringConvertible>

    /// Events below this level are dropped.
    public let threshold: Level
    private let time: @Sendable () -> WallTime
    private let write: @Sendable (String) -> Void
    private let context: String

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - threshold: Events below this level are dropped.
    ///   - time: What a line is stamped with.
    ///   - write: Takes each finished line, without its line end; may be called from any thread. Standard error by default.
    public init(
        threshold: Level = .info,
        time: @escaping @Sendable () -> WallTime = { WallTime.now },
        write: @escaping @Sendable (String) -> Void = Log.writeToStandardError
    ) {
        self.init(threshold: threshold, time: time, write: write, context: "")
    }

    private init(
        threshold: Level, time: @escaping @Sendable () -> WallTime, write: @escaping @Sendable (String) -> Void,
        context: String
    ) {
        self.threshold = threshold
        self.time = time
        self.write = write
        self.context = context
    }

    /// Returns a log that writes the same way, with `fields` before those of each event.
    public func with(_ fields: Fields) -> Log {
        Log(threshold: threshold, time: time, write: write, context: context + Log.text(of: fields))
    }

    /// Writes an event of the given level. Neither argument is evaluated when the level is below the threshold.
    public func record(_ level: Level, _ message: @autoclosure () -> String, _ fields: @autoclosure () -> Fields = [:])
    {
        guard level >= threshold else { return }
        write("\(time()) \(level.name) \(Log.escaped(message()))\(context)\(Log.text(of: fields()))")
    }

    /// Writes an event that helps finding faults in the program itself.
    public func debug(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> Fields = [:]) {
        record(.debug, message(), fields())
    }

    /// Writes an event of normal operation.
    public func info(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> Fields = [:]) {
        record(.info, message(), fields())
    }

    /// Writes an event that is wrong but can be lived with.
    public func warning(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> Fields = [:]) {
        record(.warning, message(), fields())
    }

    /// Writes a failure that somebody notices.
    public func error(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> Fields = [:]) {
        record(.error, message(), fields())
    }

    /// Writes `line` and a line end to standard error in one piece, so that lines of several threads do not mix.
    public static func writeToStandardError(_ line: String) {
        var bytes = Array(line.utf8)
        bytes.append(UInt8(ascii: "\n"))
        // There is nobody left to tell when standard error itself fails.
        _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    private static func text(of fields: Fields) -> String {
        var text = ""
        for (key, value) in fields {
            text += " \(key)=\(quotedWhereNeeded(value.description))"
        }
        return text
    }

    private static func quotedWhereNeeded(_ value: String) -> String {
        let isPlain =
            !value.isEmpty
            && value.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F && $0 != "\"" && $0 != "=" }
        return isPlain ? value : "\"\(escaped(value, alsoQuotes: true))\""
    }

    /// Control characters are written out, because a peer's text must not be able to forge a line.
    private static func escaped(_ text: String, alsoQuotes: Bool = false) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\"" where alsoQuotes: result += "\\\""
            case "\\" where alsoQuotes: result += "\\\\"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
