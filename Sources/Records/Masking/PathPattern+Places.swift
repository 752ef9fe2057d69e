extension [PathPattern] {
    /// Returns the indexes of the segments to mask. Patterns apply to the path after its dot segments are resolved (RFC
    /// 3986 section 5.2.4), and to every path that a `..` segment leaves.
    ///
    /// - Parameter segments: empty ones are skipped.
    func maskedPlaces(of segments: [String]) -> Set<Int> {
        var masked: Set<Int> = []
        var way: [Int] = []
        var hasGrown = true
        func look() {
            guard hasGrown else { return }
            hasGrown = false
            let names = way.map { segments[$0] }
            for pattern in self where pattern.covers(names) {
                masked.formUnion(way.indices.filter { pattern.masks(segment: $0) }.map { way[$0] })
            }
        }
        for (place, segment) in segments.enumerated() where !segment.isEmpty {
            switch segment.percentDecoded {
            case ".": continue
            case "..":
                look()
                _ = way.popLast()
            default:
                way.append(place)
                hasGrown = true
            }
        }
        hasGrown = true
        look()
        return masked
    }
}
