/// Returns the candidate that `word` is most likely a misspelling of, or nil where none is near.
///
/// Near means: at most a third of the letters, and at least one, have to be changed, added, left out or swapped with their
/// neighbour (optimal string alignment distance). Of two equally near ones the first wins. O(candidates x letters^2).
func closest(to word: String, among candidates: [String]) -> String? {
    let distances = candidates.map { alignmentDistance(Array(word), Array($0)) }
    guard let best = distances.indices.min(by: { distances[$0] < distances[$1] }) else { return nil }
    return distances[best] <= max(1, word.count / 3) ? candidates[best] : nil
}

private func alignmentDistance(_ left: [Character], _ right: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for i in left.indices {
        var row = [i + 1]
        for j in right.indices {
            let substitution = last[j] + (left[i] == right[j] ? 0 : 1)
            var distance = min(substitution, last[j + 1] + 1, row[j] + 1)
            if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                distance = min(distance, beforeLast[j - 1] + 1)
            }
            row.append(distance)
        }
        beforeLast = last
        last = row
    }
    return last[right.count]
}
