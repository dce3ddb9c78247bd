import EaselCore
import EaselStorage
import EaselSupport
import Foundation

/// A log record as `easel log --json` prints it: one object on one line.
struct LogDescription: Encodable {
    let revision: UInt64
    /// RFC 3339 in UTC, with milliseconds.
    let time: String
    let site: UInt64
    let sequence: UInt64
    /// edit, undo or redo.
    let cause: String
    let label: String
    let operations: [OperationDescription]

    init(_ entry: LogEntry, _ transaction: Transaction) {
        revision = entry.revision
        time = LogDescription.time(of: entry)
        site = entry.site.rawValue
        sequence = entry.sequence
        cause = LogDescription.word(for: transaction.cause)
        label = entry.label
        operations = transaction.operations.map(OperationDescription.init)
    }

    static func time(of entry: LogEntry) -> String {
        WallTime(millisecondsSince1970: Int64(clamping: entry.time)).description
    }

    static func word(for cause: Transaction.Cause) -> String {
        switch cause {
        case .edit: "edit"
        case .undo: "undo"
        case .redo: "redo"
        }
    }

    /// The description with sorted keys.
    func json() -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        } catch {
            preconditionFailure("canonical values can be written as JSON: \(error)")
        }
    }
}

/// An operation as JSON: what it does under `do`, and what it does that with. Absent members do not apply.
struct OperationDescription: Encodable {
    private enum CodingKeys: String, CodingKey {
        case action = "do"
        case shape, kind, parent, order, properties, text, cause, shapes, characters, first, left, right
    }

    private let operation: EaselCore.Operation

    init(_ operation: EaselCore.Operation) {
        self.operation = operation
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        switch operation {
        case .create(let creation):
            try fields.encode("create", forKey: .action)
            try fields.encode(creation.id.rawValue, forKey: .shape)
            try fields.encode(creation.kind, forKey: .kind)
            try fields.encode(creation.parent?.rawValue, forKey: .parent)
            try fields.encode(creation.order.rawValue, forKey: .order)
            try fields.encode(JSONProperties(creation.properties), forKey: .properties)
            try fields.encodeIfPresent(creation.text?.characters, forKey: .text)
        case .set(let shape, let changes):
            try fields.encode("set", forKey: .action)
            try fields.encode(shape.rawValue, forKey: .shape)
            try fields.encode(JSONProperties(changes), forKey: .properties)
        case .place(let shape, let placement):
            try fields.encode("place", forKey: .action)
            try fields.encode(shape.rawValue, forKey: .shape)
            if let parent = placement.parent { try fields.encode(parent.id?.rawValue, forKey: .parent) }
            try fields.encodeIfPresent(placement.order?.rawValue, forKey: .order)
        case .hide(let cause, let targets):
            try fields.encode("hide", forKey: .action)
            try encode(cause, targets, into: &fields)
        case .show(let cause, let targets):
            try fields.encode("show", forKey: .action)
            try encode(cause, targets, into: &fields)
        case .insertText(let shape, let insertion):
            try fields.encode("insertText", forKey: .action)
            try fields.encode(shape.rawValue, forKey: .shape)
            try fields.encode(insertion.characters, forKey: .text)
            try fields.encode(pair(insertion.first), forKey: .first)
            try fields.encode(insertion.left.map(pair), forKey: .left)
            try fields.encode(insertion.right.map(pair), forKey: .right)
        case .purge(let targets):
            try fields.encode("purge", forKey: .action)
            try encode(targets, into: &fields)
        }
    }

    private func encode(
        _ cause: HiddenCause, _ targets: Targets, into fields: inout KeyedEncodingContainer<CodingKeys>
    ) throws {
        try fields.encode(cause == .deleted ? "deleted" : "retracted", forKey: .cause)
        try encode(targets, into: &fields)
    }

    private func encode(_ targets: Targets, into fields: inout KeyedEncodingContainer<CodingKeys>) throws {
        switch targets {
        case .shapes(let shapes): try fields.encode(shapes.map(\.rawValue), forKey: .shapes)
        case .characters(let shape, let ranges):
            try fields.encode(shape.rawValue, forKey: .shape)
            try fields.encode(ranges.map { pair($0.first) + [UInt64($0.count)] }, forKey: .characters)
        }
    }

    private func pair(_ id: CharacterID) -> [UInt64] { [id.site.rawValue, id.counter] }
}

/// Properties as a JSON object; a property that is taken away is null.
private struct JSONProperties: Encodable {
    private let members: [(key: String, value: Value?)]

    init(_ properties: Properties) { members = properties.map { ($0.key.rawValue, $0.value) } }

    init(_ changes: [PropertyChange]) { members = changes.map { ($0.key.rawValue, $0.value) } }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        for member in members { try fields.encode(member.value.map(JSONProperty.init), forKey: Key(member.key)) }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

/// A property's value as JSON.
private struct JSONProperty: Encodable {
    let value: Value

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .list(let values): try container.encode(values.map { JSONProperty(value: $0) })
        case .map(let properties): try container.encode(JSONProperties(properties))
        }
    }
}
