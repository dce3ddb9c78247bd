/// Every bound of the model, in one place. The specification (`protocol/SPEC.md`) states the same numbers.
public enum Limits {
    /// Longest shape id, bytes.
    public static let shapeIDBytes = 32
    /// Longest shape kind, bytes.
    public static let kindBytes = 32
    /// Longest property key, bytes.
    public static let propertyKeyBytes = 64
    /// Longest order key, bytes. About 600 inserts at exactly one place before siblings must be spread again.
    public static let orderKeyBytes = 128
    /// Properties of one shape, and entries of one map value.
    public static let propertiesPerShape = 256
    /// Levels of a nested value; a scalar has one.
    public static let valueDepth = 4
    /// Bytes of one canonically encoded value.
    public static let valueBytes = 256 * 1024
    /// Operations of one transaction.
    public static let operationsPerTransaction = 65_536
    /// Ids or character ranges named by one `hide`, `show` or `purge`.
    public static let targetsPerOperation = 65_536
    /// Characters inserted by one operation.
    public static let charactersPerInsertion = 65_536
    /// Insertions of one transaction, those of creations not counted. Each may have to pass a whole text, chunk by
    /// chunk: about half a millisecond in the worst one, so this many cost one to two seconds.
    public static let insertionsPerTransaction = 4_096
    /// Characters of one shape's text, hidden ones included, purged ones not; also characters that a transaction hides, shows and
    /// purges. Naming more
    /// than a text can hold means naming some again and again, which would cost without end.
    public static let charactersPerText = 1_000_000
    /// Purged characters of one shape's text. With those that are not purged their number fits into 31 bits, which is what counts
    /// have in WebAssembly.
    public static let purgedCharactersPerText = 1 << 30
    /// Longest transaction label, bytes.
    public static let labelBytes = 256
    /// Depth of the parent a shape may be put under; it bounds the walk that looks for cycles. A transaction may have
    /// 65,536 placements, and each walks that far.
    public static let nesting = 100
    /// The largest character counter and sequence number, 2^53 - 1: exact in JavaScript.
    public static let counter: UInt64 = (1 << 53) - 1
}
