/// A length of time as people write it: `500ms`, `5s`, `2m`, `1h`.
struct TimeSpan: Sendable, Hashable {
    let duration: Duration

    /// - Throws: ``ValueProblem`` that says what is expected.
    init(_ text: some StringProtocol) throws(ValueProblem) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int64(digits), let unit = Self.milliseconds[String(text[digits.endIndex...])] else {
            throw ValueProblem("a time is a whole number and a unit: 500ms, 5s, 2m or 1h")
        }
        let (total, overflow) = count.multipliedReportingOverflow(by: unit)
        guard !overflow, 1...Self.longestMilliseconds ~= total else {
            throw ValueProblem("a time must be from 1ms to 24h")
        }
        duration = .milliseconds(total)
    }

    private static let milliseconds: [String: Int64] = ["ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000]
    private static let longestMilliseconds: Int64 = 86_400_000
}

/// What is wrong with a value; the parser puts the option's name in front of it.
struct ValueProblem: Error, Sendable, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
