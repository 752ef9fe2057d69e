import ProxyCore
import ProxyServer
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

/// One `--timeout NAME=TIME[,NAME=TIME...]`.
struct TimeoutList: Sendable {
    let times: [(name: Name, span: TimeSpan)]

    /// The time limits. Raw values are written on the command line.
    enum Name: String, Sendable, CaseIterable {
        case connect, handshake, head, answer, idle
        case halfClosed = "half-closed"
        case keepOrigin = "keep-origin"

        /// The property in the settings of a gate.
        var target: WritableKeyPath<GateSettings, Duration> {
            switch self {
            case .connect: \.timeouts.connect
            case .handshake: \.rules.limits.handshake
            case .head: \.rules.limits.head
            case .answer: \.rules.limits.answer
            case .idle: \.rules.limits.idle
            case .halfClosed: \.rules.limits.halfClosed
            case .keepOrigin: \.timeouts.keepOrigin
            }
        }
    }

    /// The time limits of a gate.
    init(of settings: GateSettings) {
        times = Name.allCases.map { ($0, TimeSpan(settings[keyPath: $0.target])) }
    }

    /// - Throws: ``ValueProblem`` that names the invalid part.
    init(argument text: String) throws(ValueProblem) {
        var times: [(name: Name, span: TimeSpan)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, let name = Name(rawValue: String(sides[0])) else {
                let names = Name.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValueProblem("\"\(part)\" is not NAME=TIME, as in handshake=3s; the names are \(names)")
            }
            do {
                times.append((name, try TimeSpan(sides[1])))
            } catch {
                throw ValueProblem("\(name.rawValue): \(error)")
            }
        }
        self.times = times
    }

    /// The list in the form of the command line.
    var text: String { times.map { "\($0.name.rawValue)=\($0.span.text)" }.joined(separator: ",") }

    /// Sets the times in the settings of a gate.
    func apply(to settings: inout GateSettings) {
        for (name, span) in times { settings[keyPath: name.target] = span.duration }
    }
}
