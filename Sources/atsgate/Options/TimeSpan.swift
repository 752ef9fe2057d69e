import Text

/// A duration as people write it: `500ms`, `5s`, `2m`, `1h`.
struct TimeSpan: Sendable, Hashable, CustomStringConvertible {
    let duration: Duration

    init(_ duration: Duration) {
        self.duration = duration
    }

    /// - Throws: ``ValueProblem`` with the expected form.
    init(_ text: some StringProtocol) throws(ValueProblem) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let name = text[digits.endIndex...]
        guard let count = Int64(digits), let unit = Self.milliseconds.first(where: { $0.name == name })?.count else {
            throw ValueProblem("a time is a whole number and a unit: 500ms, 5s, 2m or 1h")
        }
        let (total, overflow) = count.multipliedReportingOverflow(by: unit)
        guard !overflow, 1...Self.longestMilliseconds ~= total else {
            throw ValueProblem("a time must be from 1ms to 24h")
        }
        duration = .milliseconds(total)
    }

    /// In the largest unit without a remainder; drops fractions of a millisecond.
    var text: String {
        let (seconds, attoseconds) = duration.components
        let total = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        let unit = Self.milliseconds.last { total >= $0.count && total % $0.count == 0 } ?? Self.milliseconds[0]
        return "\(total / unit.count)\(unit.name)"
    }

    /// Shown as the default of an option.
    var description: String { text }

    /// For help.
    static let units = "times: 500ms, 5s, 2m, 1h"

    private static let milliseconds: [(name: String, count: Int64)] = [
        ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000),
    ]
    private static let longestMilliseconds: Int64 = 1_000 * Day.seconds
}

/// The problem with a value. Callers that know the option add its name.
struct ValueProblem: Error, Sendable, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
