/// Cuts a head into lines as its bytes come in, refusing bad bytes and exceeded bounds at the byte that shows them.
///
/// Each byte is looked at once, however the input is split, and memory is the line being read.
struct HeadReader {
    enum Step {
        case needMore
        case startLine([UInt8])
        case field(HeaderField)
        /// The empty line: the head is complete.
        case end
        case failure(HeadFailure)
    }

    private let limits: HeadLimits
    private var line: [UInt8] = []
    private var bytesRead = 0
    private var fieldsRead = 0
    private var startLineIsRead = false
    private var lastWasReturn = false

    init(limits: HeadLimits) { self.limits = limits }

    /// Reads on in `bytes` from `position`, which it moves past what it used.
    mutating func next(in bytes: Span<UInt8>, from position: inout Int) -> Step {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            bytesRead += 1
            guard bytesRead <= limits.blockBytes else { return .failure(.headTooLarge) }
            if lastWasReturn {
                guard byte == HTTPBytes.lineFeed else { return .failure(.bareLineEnd) }
                lastWasReturn = false
                return finishLine()
            }
            if byte == HTTPBytes.carriageReturn {
                lastWasReturn = true
            } else if let failure = failure(appending: byte) {
                return .failure(failure)
            } else {
                line.append(byte)
            }
        }
        return .needMore
    }

    private func failure(appending byte: UInt8) -> HeadFailure? {
        if byte == HTTPBytes.lineFeed { return .bareLineEnd }
        if startLineIsRead { return HTTPBytes.isField(byte) ? nil : .illegalByte }
        guard HTTPBytes.isStartLine(byte) else { return .illegalByte }
        return line.count < limits.startLineBytes ? nil : .startLineTooLong
    }

    private mutating func finishLine() -> Step {
        defer { line.removeAll(keepingCapacity: true) }
        guard startLineIsRead else {
            startLineIsRead = true
            return line.isEmpty ? .failure(.malformedStartLine) : .startLine(line)
        }
        guard let first = line.first else { return .end }
        guard first != HTTPBytes.space, first != HTTPBytes.tab else { return .failure(.foldedField) }
        fieldsRead += 1
        guard fieldsRead <= limits.fields else { return .failure(.tooManyFields) }
        guard let field = HeaderField(line: line) else { return .failure(.malformedField) }
        return .field(field)
    }
}
