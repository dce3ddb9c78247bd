/// What is wrong with a scenario file.
struct ScenarioError: Error, Equatable, CustomStringConvertible {
    let file: String
    /// The line, from 1; nil where the file as a whole is meant.
    let line: Int?
    /// What is wrong, for the person who wrote the file.
    let sentence: String

    var description: String {
        line.map { "\(file):\($0): \(sentence)" } ?? "\(file): \(sentence)"
    }
}

/// The members of one JSON object on a line, taken out one by one; what is left over at the end is unknown.
struct ScenarioFields {
    private let file: String
    private let line: Int
    private var members: [String: JSONValue]
    /// Keys that were asked for, for the message about those that were not.
    private var known: [String] = []

    init(_ members: [String: JSONValue], file: String, line: Int) {
        self.members = members
        self.file = file
        self.line = line
    }

    /// The members of an object inside this one.
    func nested(_ members: [String: JSONValue]) -> ScenarioFields { ScenarioFields(members, file: file, line: line) }

    /// The keys not taken yet, sorted.
    var keys: [String] { members.keys.sorted() }

    func error(_ sentence: String) -> ScenarioError { ScenarioError(file: file, line: line, sentence: sentence) }

    private func wrong(_ key: String, _ expected: String, _ found: JSONValue) -> ScenarioError {
        error("'\(key)' must be \(expected), not \(found.kindName)")
    }

    /// Takes a member out; nil if it is not there.
    mutating func take(_ key: String) -> JSONValue? {
        known.append(key)
        return members.removeValue(forKey: key)
    }

    private mutating func require(_ key: String) throws(ScenarioError) -> JSONValue {
        guard let value = take(key) else { throw error("'\(key)' is missing") }
        return value
    }

    /// Fails if something is left that nothing asked for.
    func finish(_ subject: String) throws(ScenarioError) {
        guard let key = keys.first else { return }
        throw error("\(subject) has no '\(key)'; it has \(known.sorted().joined(separator: ", "))")
    }

    // MARK: Typed members

    mutating func string(_ key: String) throws(ScenarioError) -> String {
        try string(key, try require(key))
    }

    mutating func string(_ key: String, default fallback: String) throws(ScenarioError) -> String {
        guard let value = take(key) else { return fallback }
        return try string(key, value)
    }

    mutating func optionalString(_ key: String) throws(ScenarioError) -> String? {
        guard let value = take(key) else { return nil }
        return try string(key, value)
    }

    /// A string or null where the member is there; nil where it is not.
    mutating func stringOrNull(_ key: String) throws(ScenarioError) -> String?? {
        switch take(key) {
        case nil: return nil
        case .null: return .some(nil)
        case .string(let text): return .some(text)
        case .some(let value): throw wrong(key, "a string or null", value)
        }
    }

    private func string(_ key: String, _ value: JSONValue) throws(ScenarioError) -> String {
        guard case .string(let text) = value else { throw wrong(key, "a string", value) }
        return text
    }

    mutating func bool(_ key: String) throws(ScenarioError) -> Bool? {
        guard let value = take(key) else { return nil }
        guard case .bool(let result) = value else { throw wrong(key, "true or false", value) }
        return result
    }

    /// Nothing but true, for verbs that need no more said.
    mutating func isTrue(_ key: String) throws(ScenarioError) {
        let value = try require(key)
        guard value == .bool(true) else { throw wrong(key, "true", value) }
    }

    mutating func integer(_ key: String, in range: ClosedRange<Int64>) throws(ScenarioError) -> Int? {
        guard let value = take(key) else { return nil }
        guard case .integer(let number) = value, range.contains(number) else {
            let bounds =
                range.upperBound == .max ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
            throw error("'\(key)' must be a whole number, \(bounds)")
        }
        return Int(number)
    }

    mutating func requiredInteger(_ key: String, in range: ClosedRange<Int64>) throws(ScenarioError) -> Int {
        guard let number = try integer(key, in: range) else { throw error("'\(key)' is missing") }
        return number
    }

    /// A list of strings, or one string for a list of one.
    mutating func strings(_ key: String) throws(ScenarioError) -> [String] {
        let value = try require(key)
        if case .string(let text) = value { return [text] }
        return try strings(key, value, "a string or a list of strings")
    }

    mutating func optionalStrings(_ key: String) throws(ScenarioError) -> [String]? {
        guard let value = take(key) else { return nil }
        return try strings(key, value, "a list of strings")
    }

    private func strings(_ key: String, _ value: JSONValue, _ expected: String) throws(ScenarioError) -> [String] {
        guard case .array(let elements) = value else { throw wrong(key, expected, value) }
        var result: [String] = []
        for element in elements {
            guard case .string(let text) = element else { throw error("'\(key)' must be \(expected)") }
            result.append(text)
        }
        return result
    }

    /// The members of an object, by name in byte order; none where it is not there.
    mutating func object(_ key: String) throws(ScenarioError) -> [(key: String, value: JSONValue)] {
        (try optionalMembers(key) ?? [:]).sorted { $0.key < $1.key }
    }

    /// The members of an object.
    mutating func members(_ key: String) throws(ScenarioError) -> [String: JSONValue] {
        guard let members = try optionalMembers(key) else { throw error("'\(key)' is missing") }
        return members
    }

    /// The members of an object; nil where it is not there.
    mutating func optionalMembers(_ key: String) throws(ScenarioError) -> [String: JSONValue]? {
        guard let value = take(key) else { return nil }
        guard case .object(let members) = value else { throw wrong(key, "an object", value) }
        return members
    }
}
