/// What went wrong in a scenario, and on which line.
struct ScenarioFailure: Error, Equatable, CustomStringConvertible {
    let file: String
    /// The line, from 1; nil before the first step.
    let line: Int?
    /// At least one reason.
    let reasons: [Reason]

    /// One thing that is not as it should be.
    enum Reason: Equatable, CustomStringConvertible {
        /// Something has another value than it must have.
        case mismatch(subject: String, expected: String, found: String)
        /// Something could not be done.
        case impossible(String)

        var description: String {
            switch self {
            case .mismatch(let subject, let expected, let found): "\(subject): expected \(expected), found \(found)"
            case .impossible(let sentence): sentence
            }
        }
    }

    var description: String {
        let place = line.map { "\(file):\($0): " } ?? "\(file): "
        return reasons.map { place + $0.description }.joined(separator: "\n")
    }
}
