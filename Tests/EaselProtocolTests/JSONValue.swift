import EaselCore
import Foundation

/// A JSON value as the vectors hold it.
enum JSONValue: Decodable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case list([JSONValue])
    case object([String: JSONValue])

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
            self = .list(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// The value as CBOR, in canonical form.
    var cbor: [UInt8] {
        var encoder = CBOREncoder()
        write(&encoder)
        return encoder.bytes
    }

    private func write(_ encoder: inout CBOREncoder) {
        switch self {
        case .null: encoder.null()
        case .bool(let value): encoder.bool(value)
        case .integer(let value): encoder.integer(value)
        case .double(let value): encoder.double(value)
        case .string(let value): encoder.text(value)
        case .list(let values):
            encoder.array(values.count)
            for value in values { value.write(&encoder) }
        case .object(let values):
            encoder.map(values.count)
            for (key, value) in values.sorted(by: { ($0.key.utf8.count, $0.key) < ($1.key.utf8.count, $1.key) }) {
                encoder.text(key)
                value.write(&encoder)
            }
        }
    }
}

/// Files of the protocol's folder, beside the tests in the repository.
enum ProtocolFiles {
    private static var folder: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("protocol")
    }

    static func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
    }

    /// The cases of a file of vectors.
    static func cases<Case: Decodable>(_ name: String, of type: Case.Type) throws -> [Case] {
        let data = try Data(contentsOf: folder.appendingPathComponent("vectors/\(name).json"))
        return try JSONDecoder().decode(VectorFile<Case>.self, from: data).cases
    }
}

/// A file of vectors.
private struct VectorFile<Case: Decodable>: Decodable {
    let about: String
    let cases: [Case]
}

/// What a case's author says of it.
enum Verdict: String, Decodable {
    case valid
    case invalid
}
