import Seeded

/// Accidental damage to a store.
public enum StoreDamage {
    /// A store's bytes after an accident: flipped bits, a page of zeros, a cut end, a misplaced page, or wrong numbers
    /// in a page's header.
    ///
    /// - Parameter bytes: The bytes of a whole store.
    public static func damaged(_ bytes: [UInt8], seed: UInt64) -> [UInt8] {
        var bytes = bytes
        var dice = SeededGenerator(seed: seed)
        func below(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &dice) }
        func page() -> Int { below(bytes.count / pageBytes) * pageBytes }
        switch below(6) {
        case 0, 1:
            for _ in 0...below(20) { bytes[below(bytes.count)] ^= 1 << below(8) }
        case 2:
            let place = page()
            bytes.replaceSubrange(place..<place + pageBytes, with: [UInt8](repeating: 0, count: pageBytes))
        case 3: bytes.removeLast(below(bytes.count))
        case 4:
            let (from, to) = (page(), page())
            bytes.replaceSubrange(to..<to + pageBytes, with: Array(bytes[from..<from + pageBytes]))
        default:
            let place = page()
            for _ in 0...below(8) { bytes[place + below(120)] = UInt8(below(256)) }
        }
        return bytes
    }

    /// SQLite's usual page size.
    private static let pageBytes = 4_096
}
