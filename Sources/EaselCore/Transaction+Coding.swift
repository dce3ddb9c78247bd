extension Transaction {
    /// The transaction alone, as the log keeps it: `[cause, view, label, [operations]]`.
    public func encode() -> [UInt8] {
        var encoder = CBOREncoder()
        encoder.reserve(64 * operations.count + 64)
        encoder.transaction(self)
        return encoder.bytes
    }

    /// The transaction in `bytes`, which must hold nothing else. It is without ``flaw``, or an error is thrown.
    public static func decode(_ bytes: [UInt8]) throws(DecodingError) -> Transaction {
        var decoder = CBORDecoder(bytes)
        let transaction = try decoder.committedTransaction()
        guard decoder.isAtEnd else { throw .trailingBytes }
        return transaction
    }
}

extension CBOREncoder {
    package mutating func transaction(_ transaction: Transaction) {
        array(4)
        unsigned(UInt64(transaction.cause.rawValue))
        unsigned(UInt64(transaction.view))
        word(transaction.label)
        array(transaction.operations.count)
        for operation in transaction.operations { self.operation(operation) }
    }
}

extension CBORDecoder {
    /// Reads a transaction that may be malformed: ``Transaction/flaw`` is left to the caller.
    package mutating func transaction() throws(DecodingError) -> Transaction {
        try fields(4)
        guard let cause = Transaction.Cause(rawValue: UInt8(try unsigned(in: 0...2))) else { throw .outOfRange }
        let view = UInt32(try unsigned(in: 0...UInt64(UInt32.max)))
        let label = try word(0...Int.max)
        let operations = try list { decoder throws(DecodingError) in try decoder.operation() }
        return Transaction(operations: operations, label: label, cause: cause, view: view)
    }

    /// Reads a transaction and refuses one that is malformed.
    package mutating func committedTransaction() throws(DecodingError) -> Transaction {
        let transaction = try transaction()
        if let flaw = transaction.flaw { throw .flawed(flaw) }
        return transaction
    }
}
