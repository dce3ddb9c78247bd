import EaselCore
import Foundation

/// A value as JSON text has it, with truth values and numbers kept apart.
enum JSONValue: Decodable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads one line of JSON; nil if it is none.
    init?(line: String) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(line.utf8)) else { return nil }
        self = value
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// The value of a property that this stands for; nil for null, for what lies too deep and for bad keys.
    var propertyValue: Value? {
        guard let value = converted, value.isCanonical else { return nil }
        return value
    }

    private var converted: Value? {
        switch self {
        case .null: return nil
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value)
        case .double(let value): return Value.number(value)
        case .string(let value): return .string(value)
        case .array(let elements):
            let values = elements.compactMap(\.converted)
            return values.count == elements.count ? .list(values) : nil
        case .object(let members):
            var pairs: [(PropertyKey, Value)] = []
            for (name, member) in members {
                guard let key = PropertyKey(name), let value = member.converted else { return nil }
                pairs.append((key, value))
            }
            return .map(Properties(pairs))
        }
    }

    /// What people call this kind of value.
    var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .integer, .double: "a number"
        case .string: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

/// Writes values as JSON, for messages.
enum JSONText {
    /// A property's value; `null` for an absent one.
    static func of(_ value: Value?) -> String {
        switch value {
        case nil: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .double(let value): String(value)
        case .string(let value): of(value)
        case .list(let values): "[" + values.map { of($0) }.joined(separator: ",") + "]"
        case .map(let properties):
            "{" + properties.map { of($0.key.rawValue) + ":" + of($0.value) }.joined(separator: ",") + "}"
        }
    }

    /// A string in quotes; `null` for none.
    static func of(_ string: String?) -> String {
        guard let string else { return "null" }
        var result = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// A list of names.
    static func of(_ names: [String]) -> String {
        "[" + names.map { of($0) }.joined(separator: ",") + "]"
    }
}
