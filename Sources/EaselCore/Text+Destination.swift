extension Text {
    // What was inserted at one place may be all of a long text, and the search for the place of a new run passes it. It
    // passes whole chunks by the first of their left origins: where that does not stand before the left neighbour, none
    // does. Characters never swap, so the first origin of a chunk stays the first until runs come or go.

    /// The place of the character that a new run goes directly behind; nil for the start of the text.
    ///
    /// O(chunk size + number of chunks between the neighbours × log n); ``Limits/insertionsPerTransaction`` bounds how often
    /// that is paid at once.
    func destination(left: Place?, right: Place?) -> Place? {
        // No left origin stands before the start of the text.
        guard let left else { return right.map { place(before: $0) } ?? lastPlace }
        if let right, right.chunk == left.chunk, right.run == left.run { return place(before: right) }
        if let stop = stop(in: left.chunk, from: left.run + 1, left: left, right: right) { return place(before: stop) }
        var passed: CharacterID? = id(left)
        for index in chunks.indices[(left.chunk + 1)...] {
            let origin = chunks[index].firstOrigin
            // Chunks side by side often have the same first origin.
            if index != right?.chunk, origin == passed || !stands(origin, before: left) {
                passed = origin
            } else if let stop = stop(in: index, from: 0, left: left, right: right) {
                return place(before: stop)
            }
        }
        return lastPlace
    }

    /// Where the search stops within a chunk, from a run on: at a run whose left origin stands before the left neighbour, or
    /// at the right neighbour. Nil if it goes on behind the chunk.
    private func stop(in chunk: Int, from first: Int, left: Place, right: Place?) -> Place? {
        let runs = chunks[chunk].runs
        let leftID = id(left)
        var previous = place(before: Place(chunk: chunk, run: first, offset: 0)).map { id($0) }
        for index in first..<runs.count {
            let run = runs[index]
            // Only a run's first character can have an origin that is not the character in front of it.
            if run.origin != leftID, run.origin != previous, stands(run.origin, before: left) {
                return Place(chunk: chunk, run: index, offset: 0)
            }
            if let right, right.chunk == chunk, right.run == index { return right }
            previous = run.last
        }
        return nil
    }

    /// Whether a left origin stands before a place; none stands before every place.
    private func stands(_ origin: CharacterID?, before place: Place) -> Bool {
        guard let origin, let entry = chunkOfRun.floor(origin) else { return true }
        let chunk = chunkIndex(entry.value)
        guard chunk == place.chunk else { return chunk < place.chunk }
        return self.place(of: origin).map { $0 < place } ?? true
    }

    /// Takes note of the left origin of a run that was added to a chunk with runs.
    func addOrigin(_ origin: CharacterID?, to chunk: Chunk) {
        guard let first = chunk.firstOrigin, first != origin else { return }
        guard let origin, let entry = chunkOfRun.floor(origin) else {
            chunk.firstOrigin = nil
            return
        }
        // What is in the chunk stands behind the first run's origin.
        if entry.value == chunk.number { return }
        if let place = place(of: first), stands(origin, before: place) { chunk.firstOrigin = origin }
    }

    /// Of the left origins of a chunk's runs the one that stands first.
    func firstOrigin(of runs: [Run]) -> CharacterID? {
        var result = runs.first?.origin
        guard let origin = result, var first = place(of: origin) else { return nil }
        for (front, run) in zip(runs, runs.dropFirst()) where run.origin != front.last && run.origin != result {
            guard let origin = run.origin else { return nil }
            guard stands(origin, before: first), let place = place(of: origin) else { continue }
            first = place
            result = origin
        }
        return result
    }
}
