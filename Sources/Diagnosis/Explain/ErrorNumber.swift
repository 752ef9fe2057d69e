/// An error code of Apple's as people copy it from a log: `-9802`, `-1022`, `3:-9858`, `-1200 [3:-9802]`.
public struct ErrorNumber: Sendable, Hashable {
    public let number: Int
    /// Domain of the stream error, for example 3 for kCFStreamErrorDomainSSL; nil if the text contains none.
    public let domain: Int?
    /// The error's code, if the number is that of its stream error.
    public let code: Int?

    /// - Returns: nil for text that is not such a number.
    public init?(_ text: String) {
        let plain = String(text.map { Self.minusSigns.contains($0) ? "-" : $0 }).filter { $0 != " " }
        if let bracket = plain.firstIndex(of: "["), plain.last == "]" {
            guard let code = Int(plain[..<bracket]),
                let stream = Self.stream(plain[plain.index(after: bracket)...].dropLast())
            else { return nil }
            (self.code, domain, number) = (code, stream.domain, stream.number)
        } else if let stream = Self.stream(plain[...]) {
            (code, domain, number) = (nil, stream.domain, stream.number)
        } else if let number = Int(plain) {
            (code, domain, self.number) = (nil, nil, number)
        } else {
            return nil
        }
    }

    init(_ number: Int) {
        (code, domain, self.number) = (nil, nil, number)
    }

    /// Reads `DOMAIN:NUMBER` with a domain of one or two digits; any other text is a host and its port.
    private static func stream(_ text: Substring) -> (domain: Int, number: Int)? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let domain = Int(parts[0]), let number = Int(parts[1]), 1...99 ~= domain else {
            return nil
        }
        return (domain, number)
    }

    /// The number in the form of the console.
    public var text: String {
        let stream = domain.map { "\($0):\(number)" } ?? "\(number)"
        return code.map { "\($0) [\(stream)]" } ?? stream
    }

    /// The hyphen, and the characters that word processors replace it with: minus and en dash.
    static let minusSigns: Set<Character> = ["-", "\u{2212}", "\u{2013}"]
}
