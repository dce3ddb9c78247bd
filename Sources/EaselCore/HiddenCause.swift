/// Why a shape or character is hidden. Two causes, kept apart, so that everyone undoing everything returns to
/// the start: with one flag, undoing a creation and undoing a deletion would fight over it.
public enum HiddenCause: UInt8, Sendable, Hashable {
    /// Somebody removed it.
    case deleted = 0
    /// Its creation was undone.
    case retracted = 1
}

/// The causes that hide a shape or character. It is visible when there is none. A purged character has one of its own.
public struct HiddenCauses: OptionSet, Hashable, Sendable {
    /// Bit 0 for `deleted`, bit 1 for `retracted`, bit 2, which no other goes with, for `purged`.
    public let rawValue: UInt8

    /// The set with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The set of one cause.
    public init(_ cause: HiddenCause) { rawValue = 1 << cause.rawValue }

    /// Somebody removed it.
    public static let deleted = HiddenCauses(.deleted)
    /// Its creation was undone.
    public static let retracted = HiddenCauses(.retracted)

    /// Its content is gone for good: see ``Operation/purge(_:)``. Of characters only, since a purged shape is no shape any more.
    public static let purged = HiddenCauses(rawValue: 4)

    /// The set with `cause` added or removed.
    func with(_ cause: HiddenCause, _ isHidden: Bool) -> HiddenCauses {
        isHidden ? union(HiddenCauses(cause)) : subtracting(HiddenCauses(cause))
    }
}
