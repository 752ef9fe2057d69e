extension String {
    /// The name that was probably meant; nil when none comes close. Case is no difference.
    ///
    /// - Parameter limit: how many letters may differ at most; by default a third of them, and two of a short name.
    public func nearest(among names: some Sequence<String>, within limit: Int? = nil) -> String? {
        let wanted = Array(lowercased().utf8)
        let limit = limit ?? max(2, wanted.count / 3)
        var best: (name: String, distance: Int)?
        for name in names {
            let letters = Array(name.lowercased().utf8)
            // No shorter way leads to another length; so a long text costs nothing.
            guard abs(letters.count - wanted.count) <= limit else { continue }
            let distance = editDistance(wanted, letters)
            if distance <= limit, distance < best?.distance ?? .max { best = (name, distance) }
        }
        return best?.name
    }
}

/// Insertions, deletions and replacements that lead from one text to the other (Levenshtein), one row at a time.
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
