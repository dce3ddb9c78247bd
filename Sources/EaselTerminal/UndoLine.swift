import EaselClientEngine

/// What undo and redo would do if they were pressed now.
struct Offers: Sendable {
    let undo: PressResult
    let redo: PressResult
}

/// The right part of the message line: what undo and redo would do, by name, and whether a press does less than its action
/// did or touches what others did since.
///
/// Where there is not room for all of it, redo goes before what there is to say of undo: the next key is likely that one, and
/// what it would do to others matters more than a name.
struct UndoLine: Sendable {
    let offers: Offers
    /// The key of undo in the mode: `u` types itself into a text.
    let undoKey: String
    let people: People

    /// The fewest columns that are worth writing into.
    static let leastColumns = 12

    /// The line in at most `width` columns; empty if there is nothing to say, or no room for it.
    func text(width: Int, isASCII: Bool) -> String {
        guard width >= Self.leastColumns else { return "" }
        let undo = Part(key: "\(undoKey) undo", offers.undo, people)
        let redo = Part(key: "^R redo", offers.redo, people)
        // Why a key would do nothing is said only where there is room for everything.
        let whole = [undo, redo].compactMap { $0?.full }.joined(separator: "  ")
        let actions = [undo, redo].compactMap { $0 }.filter { !$0.isIdle }
        guard let first = actions.first else { return CellWidth.columns(whole) <= width ? whole : "" }
        var candidates = [whole]
        if actions.count == 2 { candidates += [actions[1].plain, actions[1].key].map { "\(first.full)  \($0)" } }
        return candidates.first { CellWidth.columns($0) <= width }
            ?? CellWidth.shortened(first.full, to: width, isASCII: isASCII)
    }

    /// One press: its key, the name of the action, and what there is to say of it.
    private struct Part {
        let key: String
        let label: String
        let note: String?
        /// Whether a press would do nothing.
        let isIdle: Bool

        var plain: String { "\(key): \(label)" }
        var full: String { note.map { "\(plain) (\($0))" } ?? plain }

        /// Nil where there is no action, and no reason to speak of that.
        init?(key: String, _ result: PressResult, _ people: People) {
            self.key = key
            note = Sentences.note(on: result, people)
            isIdle = result.label == nil
            guard result.label != nil || note != nil else { return nil }
            label = result.label ?? "nothing"
        }
    }
}
