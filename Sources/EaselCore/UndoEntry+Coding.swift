extension UndoStack.Entry.Open {
    /// The bytes that ``init(packed:)`` reads.
    func pack() -> [UInt8] {
        var encoder = CBOREncoder()
        encoder.undoContents(self)
        return encoder.bytes.withoutSpareRoom
    }

    /// What ``pack()`` packed.
    init(packed bytes: [UInt8]) {
        self = Self.read(bytes) { decoder throws(DecodingError) in try decoder.undoContents() }
    }

    /// The name in what ``pack()`` packed.
    static func label(packed bytes: [UInt8]) -> String {
        read(bytes) { decoder throws(DecodingError) in try decoder.text(0...Limits.labelBytes) }
    }

    private static func read<Result>(
        _ bytes: [UInt8], _ body: (inout CBORDecoder) throws(DecodingError) -> Result
    ) -> Result {
        var decoder = CBORDecoder(bytes)
        do throws(DecodingError) {
            return try body(&decoder)
        } catch {
            preconditionFailure("what was packed here can be read")
        }
    }
}

extension CBOREncoder {
    mutating func undoContents(_ contents: UndoStack.Entry.Open) {
        text(contents.label)
        layers(contents.layers)
        selectionChange(contents.selection)
    }

    private mutating func layers(_ layers: [UndoStack.Layer]) {
        array(layers.count)
        for layer in layers {
            array(2 + layer.shares.count)
            unsigned(UInt64(layer.cause.rawValue))
            unsigned(layer.epoch)
            for share in layer.shares { self.share(share) }
        }
    }

    private mutating func share(_ share: UndoStack.Share) {
        array(4 + share.inverses.count)
        unsigned(share.transaction)
        unsigned(UInt64(share.itemCount))
        if let revision = share.revision { unsigned(revision) } else { null() }
        bool(share.isLimited)
        for inverse in share.inverses {
            array(2 + inverse.written.count)
            unsigned(UInt64(inverse.item))
            operation(inverse.operation)
            for hash in inverse.written { unsigned(hash) }
        }
    }

    private mutating func selectionChange(_ change: SelectionChange?) {
        guard let change else { return null() }
        array(2)
        selection(change.before)
        selection(change.after)
    }

    private mutating func selection(_ selection: Selection?) {
        guard let selection else { return null() }
        array(2)
        array(selection.shapes.count)
        for id in selection.shapes { shapeID(id) }
        guard let text = selection.text else { return null() }
        array(3)
        shapeID(text.shape)
        anchor(text.anchor)
        anchor(text.head)
    }

    private mutating func anchor(_ anchor: TextAnchor) {
        switch anchor {
        case .start: bool(false)
        case .end: bool(true)
        case .before(let id):
            array(3)
            bareCharacterID(id)
            bool(false)
        case .behind(let id):
            array(3)
            bareCharacterID(id)
            bool(true)
        }
    }
}

extension CBORDecoder {
    mutating func undoContents() throws(DecodingError) -> UndoStack.Entry.Open {
        let label = try text(0...Limits.labelBytes)
        let layers = try list { decoder throws(DecodingError) in try decoder.layer() }
        return UndoStack.Entry.Open(label: label, layers: layers, selection: try selectionChange())
    }

    private mutating func layer() throws(DecodingError) -> UndoStack.Layer {
        let count = try array()
        guard count > 2 else { throw .missingField }
        guard let cause = Transaction.Cause(rawValue: UInt8(try unsigned(in: 0...2))) else { throw .outOfRange }
        let epoch = try exactNumber()
        var shares: [UndoStack.Share] = []
        for _ in 2..<count {
            let share = try share()
            if let last = shares.last, last.transaction >= share.transaction { throw .outOfRange }
            shares.append(share)
        }
        return UndoStack.Layer(cause: cause, shares: shares, epoch: epoch)
    }

    private mutating func share() throws(DecodingError) -> UndoStack.Share {
        let count = try array()
        guard count >= 4 else { throw .missingField }
        var share = UndoStack.Share(transaction: try exactNumber(), itemCount: Int(try unsigned(in: Self.itemRange)))
        share.revision = null() ? nil : try exactNumber()
        share.isLimited = try bool()
        share.inverses.reserveCapacity(min(count - 4, Self.trustedCount))
        for _ in 4..<count {
            let inverse = try inverse()
            if let last = share.inverses.last, last.item >= inverse.item { throw .outOfRange }
            share.inverses.append(inverse)
        }
        return share
    }

    private mutating func inverse() throws(DecodingError) -> UndoStack.Inverse {
        let count = try array()
        guard count >= 2 else { throw .missingField }
        let item = Int(try unsigned(in: Self.itemRange))
        let operation = try operation()
        if let flaw = operation.flaw { throw .flawed(flaw) }
        switch operation {
        case .set, .place, .hide, .show: break
        case .create, .insertText, .purge: throw .outOfRange
        }
        var written: [UInt64] = []
        for _ in 2..<count { written.append(try unsigned()) }
        return UndoStack.Inverse(item: item, operation: operation, written: written)
    }

    /// Numbers of items; a press may take those of many transactions.
    private static var itemRange: ClosedRange<UInt64> { 0...UInt64(Int32.max) }

    private mutating func selectionChange() throws(DecodingError) -> SelectionChange? {
        if null() { return nil }
        try fields(2)
        return SelectionChange(before: try selection(), after: try selection())
    }

    private mutating func selection() throws(DecodingError) -> Selection? {
        if null() { return nil }
        try fields(2)
        let shapes = try list { decoder throws(DecodingError) in try decoder.shapeID() }
        if null() { return Selection(shapes: shapes) }
        try fields(3)
        return Selection(
            shapes: shapes,
            text: Selection.TextRange(shape: try shapeID(), anchor: try anchor(), head: try anchor()))
    }

    private mutating func anchor() throws(DecodingError) -> TextAnchor {
        if let first = next, Self.boolean(first) != nil { return try bool() ? .end : .start }
        try fields(3)
        let id = try bareCharacterID()
        return try bool() ? .behind(id) : .before(id)
    }
}
