import EaselCore
import Foundation

/// A canvas as `easel show --json` prints it: for scripts and for comparing.
struct CanvasDescription: Encodable {
    let canvas: String
    let revision: UInt64
    /// 16 hexadecimal digits; equal on equal replicas.
    let digest: String
    /// The visible shapes in drawing order.
    let shapes: [ShapeDescription]

    struct ShapeDescription: Encodable {
        let id: String
        let kind: String
        let parent: String?
        let order: String
        let properties: [String: ValueDescription]
        let text: String
    }

    /// A property's value as JSON.
    struct ValueDescription: Encodable {
        let value: Value

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch value {
            case .bool(let value): try container.encode(value)
            case .integer(let value): try container.encode(value)
            case .double(let value): try container.encode(value)
            case .string(let value): try container.encode(value)
            case .list(let values): try container.encode(values.map { ValueDescription(value: $0) })
            case .map(let properties): try container.encode(properties.described)
            }
        }
    }

    /// Describes the visible part of a canvas.
    init(_ canvas: Canvas, name: CanvasID) {
        self.canvas = name.rawValue
        revision = canvas.revision
        digest = StatusLine.hexDigits(canvas.digest)
        shapes = canvas.visibleShapes().map { shape in
            ShapeDescription(
                id: shape.id.rawValue, kind: shape.kind, parent: shape.parent?.rawValue, order: shape.order.rawValue,
                properties: shape.properties.described, text: shape.text.string)
        }
    }

    /// The description as JSON with sorted keys, so that equal canvases print the same bytes.
    func json() -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        } catch {
            preconditionFailure("canonical values can be written as JSON: \(error)")
        }
    }
}

extension Properties {
    fileprivate var described: [String: CanvasDescription.ValueDescription] {
        var result: [String: CanvasDescription.ValueDescription] = [:]
        for entry in self { result[entry.key.rawValue] = CanvasDescription.ValueDescription(value: entry.value) }
        return result
    }
}
