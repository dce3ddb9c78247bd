public import EaselCore

/// A change of the versions of a canvas.
public enum VersionChange: Equatable, Sendable {
    /// Names a revision.
    case add(NamedVersion)
    /// Takes a name away. The revision is then kept no longer than others.
    case remove(name: String)
}

/// What a store has of a canvas, without its records.
public struct CanvasOutline: Equatable, Sendable {
    /// Its epoch; see `LoadedCanvas.epoch`.
    public let epoch: UInt64
    /// Its newest durable revision.
    public let head: Revision
    /// The entries after this revision are kept: 0 if nothing was ever trimmed.
    public let base: Revision
    /// Its named versions, by revision.
    public let versions: [NamedVersion]

    /// An outline with these values.
    public init(epoch: UInt64, head: Revision, base: Revision, versions: [NamedVersion]) {
        self.epoch = epoch
        self.head = head
        self.base = base
        self.versions = versions
    }
}
