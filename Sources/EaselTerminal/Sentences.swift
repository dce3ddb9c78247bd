import EaselClientEngine
import EaselCore
import EaselProtocol

/// What the editor says in words.
enum Sentences {
    static let shapeRemoved = "shape was removed"

    static func of(_ error: EditError) -> String {
        switch error {
        case .readOnly: return "you may look at this canvas but not change it"
        case .malformed, .tooLarge: return "that edit is too large to be sent"
        case .stale: return "the canvas has changed since"
        case .insideEdit: return "that cannot be done while an edit is being made"
        }
    }

    static func of(_ code: RefusalCode) -> String {
        switch code {
        case .readOnly: return "you may only look at this canvas"
        case .malformed: return "the server could not read it"
        case .tooLarge: return "it is larger than the server takes"
        case .storageUnavailable: return "the server cannot store it at the moment"
        }
    }

    static func of(_ problem: Problem) -> String {
        switch problem {
        case .unknownShape, .notPurged: return shapeRemoved
        case .shapeExists: return "the shape exists already"
        case .cycle: return "a shape cannot lie inside itself"
        case .tooDeep: return "shapes are nested too deeply"
        case .tooManyProperties: return "the shape has too many properties"
        case .textFull: return "the text is full"
        case .neighbours, .charactersExist: return "the text has changed too much"
        case .charactersPurged: return "the text was deleted for good"
        }
    }
}
