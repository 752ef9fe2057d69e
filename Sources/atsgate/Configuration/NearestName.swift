extension String {
    /// The name that was probably meant; nil when none comes close.
    func nearest(among names: [String]) -> String? {
        let best = names.map { (distance: editDistance(self, $0), name: $0) }.min { $0.distance < $1.distance }
        guard let best, best.distance <= max(2, count / 3) else { return nil }
        return best.name
    }
}

/// Insertions, deletions and replacements that lead from one text to the other (Levenshtein).
private func editDistance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (line, character) in left.enumerated() {
        var diagonal = line
        row[0] = line + 1
        for column in right.indices {
            let replaced = diagonal + (right[column] == character ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
        }
    }
    return row[right.count]
}
