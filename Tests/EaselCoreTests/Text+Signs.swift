@testable import EaselCore

extension Text {
    /// Every character with its identity, left origin and causes, in order.
    var signs: [Contents.Sign] {
        var result: [Contents.Sign] = []
        result.reserveCapacity(count)
        forEachRun { run, scalars in
            var origin = run.origin
            let values = run.isPurged ? Array(repeating: 0, count: run.count) : Array(scalars)
            for (offset, scalar) in values.enumerated() {
                let id = run.first.advanced(by: offset)
                result.append(Contents.Sign(id: id, scalar: scalar, origin: origin, causes: run.causes))
                origin = id
            }
        }
        return result
    }

    /// The identities of all characters, in order.
    var ids: [CharacterID] { signs.map(\.id) }
}

extension String {
    /// The string after edits made in order.
    func applying(_ edits: [TextEdit]) -> String {
        var scalars = Array(unicodeScalars)
        for edit in edits {
            scalars.replaceSubrange(edit.offset..<edit.offset + edit.removed, with: edit.inserted.unicodeScalars)
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
