import Text

/// How long or how much a store keeps: `30d`, `12h`, `2w`, `500MB`, `2GB`.
public enum Retention: Sendable, Hashable {
    /// Loads that began longer ago are deleted.
    case age(Duration)
    /// The oldest loads are deleted until the store is no larger.
    case bytes(Int64)

    /// Reads a whole number above 0 and a unit: `h`, `d`, `w` for hours, days and weeks; `MB`, `GB` for a million and a
    /// thousand million bytes.
    ///
    /// - Returns: nil for any other text, and for numbers that are out of range.
    public init?(_ text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), (1...1_000_000).contains(number) else { return nil }
        switch text.dropFirst(digits.count) {
        case "h": self = .age(.seconds(number * 3600))
        case "d": self = .age(.seconds(number * Day.seconds))
        case "w": self = .age(.seconds(number * 7 * Day.seconds))
        case "MB": self = .bytes(number * 1_000_000)
        case "GB": self = .bytes(number * 1_000_000_000)
        default: return nil
        }
    }
}
