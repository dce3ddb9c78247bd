extension UndoStack {
    /// The inverse of one item of a transaction.
    struct Inverse: Sendable {
        let item: Int
        let operation: Operation
        /// What the item left in the registers or the place that `operation` restores, as hashes in that order: tells whether
        /// somebody has overwritten it. Empty for flags.
        let written: [UInt64]
    }

    /// What an entry contributed to one transaction.
    struct Share: Sendable {
        let transaction: LocalNumber
        var inverses: [Inverse] = []
        /// How many items the entry contributed; 0 if it was only passed over.
        var itemCount: Int
        /// Where the transaction was committed; nil while it is under way.
        var revision: Revision?
        /// Whether values in `inverses` are only the last ones known.
        var isLimited = false

        var isFinal: Bool { revision != nil }
    }

    struct Layer: Sendable {
        let cause: Transaction.Cause
        var shares: [Share]
        /// The edits' epoch at the press; a refused redo does not come back after a newer edit.
        let epoch: UInt64

        /// Whether the entry was passed over without any operation.
        var isEmpty: Bool { shares.allSatisfy { $0.itemCount == 0 } }
        /// The last share is looked at first: they become final in order.
        var isFinal: Bool { shares.reversed().allSatisfy { $0.isFinal } }

        /// Index of the share in a transaction. O(log shares) in an edit, since there transactions rise; a press has few.
        func share(in transaction: LocalNumber) -> Int? {
            if cause != .edit { return shares.firstIndex { $0.transaction == transaction } }
            var (low, high) = (0, shares.count)
            while low < high {
                let middle = (low + high) / 2
                if shares[middle].transaction < transaction { low = middle + 1 } else { high = middle }
            }
            return low < shares.count && shares[low].transaction == transaction ? low : nil
        }
    }

    /// One action. Once nothing of it is under way it is kept packed: a moved shape then takes less than 200 bytes.
    struct Entry: Sendable {
        let number: UInt64
        private var contents: Contents

        /// Its name, the layers and the selections around the edit.
        struct Open: Sendable {
            let label: String
            var layers: [Layer]
            var selection: SelectionChange?
            /// Memory its parts take, bytes; kept while the entry is open, since measuring looks at everything.
            fileprivate(set) var heapBytes = 0

            init(label: String, layers: [Layer], selection: SelectionChange?) {
                self.label = label
                self.layers = layers
                self.selection = selection
            }
        }

        private enum Contents: Sendable {
            indirect case open(Open)
            case packed([UInt8])
        }

        init(number: UInt64, _ open: Open) {
            self.number = number
            contents = .packed([])
            close(open)
        }

        /// Whether it is an edit of several transactions, and nothing else.
        var isJoined: Bool {
            guard case .open(let open) = contents else { return false }
            return open.layers.count == 1 && open.layers[0].shares.count > 1
        }

        /// Packs it if nothing is under way.
        private mutating func close(_ open: Open) {
            if open.isSettled {
                contents = .packed(open.pack())
            } else {
                var open = open
                open.heapBytes = open.measuredBytes
                contents = .open(open)
            }
        }

        /// Packs it if nothing is under way and that has not been done.
        mutating func pack() {
            if case .open(let open) = contents, open.isSettled { contents = .packed(open.pack()) }
        }

        /// Takes it out to be changed in place; `contents` must be set again.
        private mutating func opened() -> Open {
            var open = open
            if case .packed = contents { open.heapBytes = open.measuredBytes }
            contents = .packed([])
            return open
        }

        /// Adds a share of a joined edit. O(1) on average while the entry is open.
        mutating func append(_ share: Share, selection: SelectionChange?) {
            var open = opened()
            let before = open.layers[0].listBytes
            open.layers[0].shares.append(share)
            open.heapBytes += open.layers[0].listBytes - before + share.heapBytes
            if let selection {
                open.selection = SelectionChange(
                    before: open.selection?.before ?? selection.before, after: selection.after)
                open.heapBytes = open.measuredBytes
            }
            contents = .open(open)
        }

        /// Changes the share in a transaction, if there is one, and settles it if `revision` says so. O(log shares) beside what
        /// is in the share, unless a layer becomes final.
        mutating func updateShare(
            in transaction: LocalNumber, at revision: Revision?, staysOpen: Bool, _ body: (inout Share) -> Void
        ) {
            var open = opened()
            if let place = open.place(of: transaction) {
                let layerCount = open.layers.count
                let before = open.layers[place.layer].shares[place.share].heapBytes
                body(&open.layers[place.layer].shares[place.share])
                open.heapBytes += open.layers[place.layer].shares[place.share].heapBytes - before
                if let revision { open.settle(place.layer, place.share, at: revision) }
                if open.layers.count != layerCount { open.heapBytes = open.measuredBytes }
            }
            contents = !staysOpen && open.isSettled ? .packed(open.pack()) : .open(open)
        }

        /// Its name for people.
        var label: String {
            switch contents {
            case .open(let open): return open.label
            case .packed(let bytes): return Open.label(packed: bytes)
            }
        }

        /// Whether no transaction of it is under way.
        var isSettled: Bool {
            switch contents {
            case .packed: return true
            case .open(let open): return open.isSettled
            }
        }

        var open: Open {
            switch contents {
            case .open(let open): return open
            case .packed(let bytes): return Open(packed: bytes)
            }
        }

        /// Changes what is in it, and packs it if nothing is under way then.
        mutating func update(_ body: (inout Open) -> Void) {
            var open = open
            // The array is let go of, so that it is changed in place.
            contents = .packed([])
            body(&open)
            close(open)
        }

        /// Memory it takes beside its own fields, bytes.
        var heapBytes: Int {
            switch contents {
            case .packed(let bytes): return Memory.array(bytes.count, of: 1)
            case .open(let open): return open.heapBytes
            }
        }
    }
}

extension UndoStack.Entry.Open {
    var isSettled: Bool { layers.reversed().allSatisfy { $0.isFinal } }

    /// Index of the layer whose inverses a press takes. An empty undo and an empty redo on top of it cancel out.
    var topIndex: Int {
        var index = layers.count - 1
        while index >= 2, layers[index].isEmpty, layers[index - 1].isEmpty { index -= 2 }
        return index
    }

    /// Marks a share final. What lies below a layer that is final throughout is settled; a layer that only passed the entry
    /// over settles nothing, since pressing the other way must find what lies below.
    mutating func settle(_ layer: Int, _ share: Int, at revision: Revision) {
        layers[layer].shares[share].revision = revision
        settle(layer)
    }

    /// Lets go of what a layer settles, if it is final.
    mutating func settle(_ layer: Int) {
        guard layers[layer].isFinal else { return }
        if !layers[layer].isEmpty {
            layers.removeSubrange(..<layer)
        } else if layer >= 2, layers[layer - 1].isEmpty, layers[layer - 1].isFinal {
            layers.removeSubrange(layer - 1...layer)
        }
    }

    /// The place of the share in a transaction.
    func place(of transaction: LocalNumber) -> (layer: Int, share: Int)? {
        for layer in layers.indices {
            if let share = layers[layer].share(in: transaction) { return (layer, share) }
        }
        return nil
    }
}
