extension UndoStack {
    /// What others did to the shapes that a history speaks of, so that it can say whose work a press would touch.
    ///
    /// Shapes are watched by the hash of their id: eight bytes each, and a shape taken for another only costs a record that nobody
    /// asks for.
    struct Touches: Sendable {
        /// What was done to a shape.
        enum Aspect: Sendable, Equatable {
            case key(PropertyKey)
            case placed
            case hidden
            case shown
            case textInserted
            case textHidden
            case textShown

            /// Whether it is work on the shape, that somebody would miss if the shape disappeared.
            var isWork: Bool {
                switch self {
                case .key, .placed, .textInserted: return true
                case .hidden, .shown, .textHidden, .textShown: return false
                }
            }
        }

        /// The last time a site did one thing to a shape.
        struct Touch: Sendable {
            /// Nil if it is not known.
            let site: SiteID?
            let aspect: Aspect
            let revision: Revision
        }

        /// Touches kept of one shape; the oldest go first. More than a shape has registers.
        private static let touchesPerShape = 1_024
        /// Sites kept for one thing done to a shape: enough to name, and one is enough to know.
        private static let sitesPerAspect = 4
        /// Watched shapes from which on it is looked whether they still are in the history.
        static let shapesBeforeForgetting = 1_024
        /// The same where memory is short.
        static let shapesBeforeSaving = 16

        private var watched = Set<UInt64>()
        private var touches: [ShapeID: [Touch]] = [:]
        /// Shapes that were watched after the last forgetting.
        private var shapesLeft = 0

        /// What was committed up to here may have been missed, with nothing to tell what it was.
        var unseenUntil: Revision = 0

        /// Whether nobody touched anything.
        var isEmpty: Bool { touches.isEmpty }

        /// Memory it takes, bytes.
        var heapBytes: Int {
            let watchedBytes = Memory.table(watched.count, of: 8)
            if touches.isEmpty { return watchedBytes }
            let stride = MemoryLayout<ShapeID>.stride + MemoryLayout<[Touch]>.stride
            let average = Memory.array(2, of: MemoryLayout<Touch>.stride)
            return watchedBytes + Memory.table(touches.count, of: stride) + touches.count * average
        }

        mutating func watch(_ operation: Operation) {
            operation.forEachShape { watched.insert(XXH64.hash($0.rawValue)) }
        }

        /// Notes a commit of somebody else. O(what it names).
        mutating func note(_ operations: [Operation], by site: SiteID?, at revision: Revision) {
            if watched.isEmpty { return }
            for operation in operations {
                operation.forEachShape { id in
                    guard watched.contains(XXH64.hash(id.rawValue)) else { return }
                    for aspect in operation.aspects {
                        add(Touch(site: site, aspect: aspect, revision: revision), to: id)
                    }
                }
            }
        }

        /// Takes a touch of a shape.
        mutating func add(_ touch: Touch, to id: ShapeID) {
            var list = touches[id] ?? []
            list.removeAll { $0.site == touch.site && $0.aspect == touch.aspect }
            let same = list.indices.filter { list[$0].aspect == touch.aspect }
            if same.count == Self.sitesPerAspect { list.remove(at: same[0]) }
            if list.count == Self.touchesPerShape { list.removeFirst() }
            list.append(touch)
            touches[id] = list
        }

        /// All touches by shape, each shape's in the order they came.
        var sorted: [(shape: ShapeID, touch: Touch)] {
            touches.keys.sorted().flatMap { id in (touches[id] ?? []).map { (id, $0) } }
        }

        /// The sites that did something to a shape behind a revision, rising, as far as they are known; nil if nobody did.
        func sites(_ id: ShapeID, after revision: Revision = 0, where isMeant: (Aspect) -> Bool) -> [SiteID]? {
            let found = (touches[id] ?? []).filter { $0.revision > revision && isMeant($0.aspect) }
            return found.isEmpty ? nil : Set(found.compactMap { $0.site }).sorted()
        }

        /// Forgets everything if nothing is left in a history, and nothing can come back into it.
        mutating func forgetIfUnused(by stack: UndoStack) {
            if stack.undoEntries.isEmpty && stack.redoUnits.isEmpty && stack.cleared.isEmpty { self = Touches() }
        }

        /// Forgets shapes that a history does not speak of any more, once there are more than `least` and twice as many as were
        /// left the last time. O(1) a watched shape on average.
        mutating func forgetDropped(from stack: UndoStack, above least: Int = shapesBeforeForgetting) {
            guard watched.count > max(least, 2 * shapesLeft) else { return }
            watched = []
            for entry in stack.undoEntries { watch(entry) }
            for entry in stack.redoUnits.joined() { watch(entry) }
            for entry in stack.cleared { watch(entry) }
            touches = touches.filter { watched.contains(XXH64.hash($0.key.rawValue)) }
            shapesLeft = watched.count
        }

        mutating func watch(_ entry: Entry) {
            for share in entry.open.layers.lazy.flatMap({ $0.shares }) {
                for inverse in share.inverses { watch(inverse.operation) }
            }
        }
    }
}

extension Operation {
    fileprivate func forEachShape(_ body: (ShapeID) -> Void) {
        switch self {
        case .create(let creation): body(creation.id)
        case .set(let id, _), .place(let id, _), .insertText(let id, _): body(id)
        case .hide(_, .shapes(let ids)), .show(_, .shapes(let ids)):
            for id in ids { body(id) }
        case .hide(_, .characters(let id, _)), .show(_, .characters(let id, _)): body(id)
        // What is purged nobody worked on.
        case .purge: break
        }
    }

    fileprivate var aspects: [UndoStack.Touches.Aspect] {
        switch self {
        case .create, .purge: return []
        case .set(_, let changes): return changes.map { .key($0.key) }
        case .place: return [.placed]
        case .hide(_, .shapes): return [.hidden]
        case .show(_, .shapes): return [.shown]
        case .hide(_, .characters): return [.textHidden]
        case .show(_, .characters): return [.textShown]
        case .insertText: return [.textInserted]
        }
    }
}
