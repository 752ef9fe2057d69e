extension String {
    /// Returns the most similar of the names, ignoring case; nil if none is similar enough.
    ///
    /// - Parameter limit: the largest edit distance; by default a third of the length, but at least 2.
    public func nearest(among names: some Sequence<String>, within limit: Int? = nil) -> String? {
        let wanted = Array(lowercased().utf8)
        let limit = limit ?? max(2, wanted.count / 3)
        var best: (name: String, distance: Int)?
        for name in names {
            let letters = Array(name.lowercased().utf8)
            // The distance is at least the difference in length, so a long text is skipped cheaply.
            guard abs(letters.count - wanted.count) <= limit else { continue }
            let distance = editDistance(wanted, letters)
            if distance <= limit, distance < best?.distance ?? .max { best = (name, distance) }
        }
        return best?.name
    }
}

/// Returns the number of insertions, deletions and replacements between two texts (Levenshtein), computed row by row.
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (line, letter) in left.enumerated() {
        var diagonal = line
        row[0] = line + 1
        for (column, other) in right.enumerated() {
            let replaced = letter == other ? diagonal : diagonal + 1
            diagonal = row[column + 1]
            row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
        }
    }
    return row[right.count]
}
