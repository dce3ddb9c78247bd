/// A name that somebody gave to a revision of a canvas.
public struct NamedVersion: Equatable, Sendable {
    /// The name, 1 to `Limits.versionNameBytes` bytes without control characters; one canvas has no name twice.
    public let name: String
    /// The revision it names, from 1.
    public let revision: Revision
    /// When it was named, in milliseconds since 1970-01-01T00:00Z.
    public let time: UInt64
    /// The name of who named it.
    public let author: String

    /// A version with these values.
    public init(name: String, revision: Revision, time: UInt64, author: String) {
        self.name = name
        self.revision = revision
        self.time = time
        self.author = author
    }

    /// Whether a text can be the name of a version.
    public static func isName(_ text: String) -> Bool {
        (1...Limits.versionNameBytes).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }

    /// Whether this version stands in front of another in a list: by revision, those of one revision by the bytes of their names.
    public func isListed(before other: NamedVersion) -> Bool {
        revision == other.revision
            ? name.bytesPrecede(other.name) : revision < other.revision
    }
}

extension Limits {
    /// The name of a version, bytes.
    public static let versionNameBytes = 128
    /// Named versions of one canvas.
    public static let versionsPerCanvas = 1_000
}
