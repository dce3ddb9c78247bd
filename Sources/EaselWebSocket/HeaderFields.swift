/// One header field of an HTTP head.
public struct HeaderField: Equatable, Sendable {
    /// The name as written; names are equal whatever their case.
    public let name: String
    /// The value without the spaces around it, each byte as the character of the same number (ISO 8859-1).
    public let value: String

    /// A field to send; `name` is a token (RFC 9110 section 5.6.2) the program chose, anything else is our mistake.
    ///
    /// Whatever of `value` can't stand in a field, such as a line end, becomes a space (RFC 9110 section 5.5), so
    /// no value can add a field or a second head.
    public init(_ name: String, _ value: String) {
        precondition(HTTPBytes.isToken(name.utf8), "a field name is a token")
        self.name = name
        var safe = ""
        for scalar in value.unicodeScalars {
            let byte = UInt8(exactly: scalar.value) ?? 0
            safe.unicodeScalars.append(HTTPBytes.isField(byte) ? scalar : " ")
        }
        self.value = safe
    }

    /// Reads a field line without its line end: `name ":" OWS value OWS` (RFC 9112 section 5).
    init?(line: [UInt8]) {
        guard let colon = line.firstIndex(of: HTTPBytes.colon), HTTPBytes.isToken(line[..<colon]) else { return nil }
        name = HTTPBytes.string(line[..<colon])
        value = HTTPBytes.string(HTTPBytes.trimmed(line[(colon + 1)...]))
    }

    /// Appends the field line with its line end.
    func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: name.utf8)
        bytes.append(HTTPBytes.colon)
        bytes.append(HTTPBytes.space)
        for scalar in value.unicodeScalars { bytes.append(UInt8(truncatingIfNeeded: scalar.value)) }
        bytes.append(HTTPBytes.carriageReturn)
        bytes.append(HTTPBytes.lineFeed)
    }
}

/// The fields of a head in the order they came; look-ups ignore the case of names and are linear in the count.
public struct HeaderFields: Equatable, Sendable {
    /// All fields, in the order they came.
    public private(set) var all: [HeaderField] = []

    mutating func append(_ field: HeaderField) { all.append(field) }

    /// The first value under `name`, nil when there is none.
    public func first(_ name: String) -> String? {
        for field in all where HTTPBytes.equalIgnoringCase(field.name, name) { return field.value }
        return nil
    }

    /// Every value under `name`, in the order they came.
    public func values(_ name: String) -> [String] {
        var found: [String] = []
        for field in all where HTTPBytes.equalIgnoringCase(field.name, name) { found.append(field.value) }
        return found
    }

    /// The elements of the comma-separated lists under `name`, empty ones left out (RFC 9110 section 5.6.1).
    public func elements(_ name: String) -> [String] {
        var found: [String] = []
        for value in values(name) {
            for part in Array(value.utf8).split(separator: HTTPBytes.comma) {
                let element = HTTPBytes.trimmed(part)
                if !element.isEmpty { found.append(String(decoding: element, as: UTF8.self)) }
            }
        }
        return found
    }

    /// Whether the lists under `name` hold `element`, in any case of letters.
    public func contains(_ name: String, element: String) -> Bool {
        elements(name).contains { HTTPBytes.equalIgnoringCase($0, element) }
    }
}
