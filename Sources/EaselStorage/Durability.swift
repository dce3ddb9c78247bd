/// What an append survives once it is reported.
public enum Durability: String, CaseIterable, Sendable {
    /// Every commit is synced to the disk: survives a kill of the process, a crash of the system, and loss of power.
    case full
    /// Only checkpoints are synced: survives a kill of the process. After a crash of the system or loss of power the newest
    /// appends may be gone, from the end backwards; the file stays sound.
    case normal
}
