/// Why bytes are not what they should be.
public enum DecodingError: Error, Sendable, Equatable {
    // The CBOR itself.

    /// The bytes end within an item, or a count promises more items than bytes are left.
    case truncated
    /// Bytes are left behind the last item.
    case trailingBytes
    /// A head with additional information 28 to 31: reserved, or of indefinite length.
    case indefiniteOrReserved
    /// An argument or a float that a shorter form could hold.
    case notShortest
    /// A text string that is not UTF-8.
    case invalidUTF8
    /// Map keys that do not rise: out of order or repeated.
    case keyOrder
    /// NaN or an infinity.
    case notFinite
    /// A tag, or a simple value other than false, true and null.
    case unsupportedItem
    /// Nested deeper than ``CBORDecoder/nesting`` levels, or a value deeper than ``Limits/valueDepth``.
    case tooDeep

    // What the items mean.

    /// An item of another kind than the place asks for.
    case unexpectedItem
    /// An array with fewer elements than its kind needs.
    case missingField
    /// An operation or transaction with more elements than it has fields.
    case surplusField
    /// A number, an id, a key or a length outside its range.
    case outOfRange
    /// A float in a property value that an integer could hold.
    case notCanonical
    /// A message type that clients do not send.
    case unknownMessage
    /// An operation kind that does not exist.
    case unknownOperation
    /// A message without any item.
    case empty
    /// A committed or logged transaction that no server would have accepted.
    case flawed(Flaw)
}
