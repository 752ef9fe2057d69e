import ATSPolicy
import Records
import Text

extension DeviceAgreement {
    /// The number of agreements, then a line for each difference, then what is unknown and why.
    public var lines: [String] {
        let more = differences.count - Self.mostLines
        var lines = ["witness: \(isEmpty ? "no load came through" : "\(scope): \(answers)")"]
        lines += differences.prefix(Self.mostLines).map { difference in
            "  \(difference.answer.rawValue): \(difference.origin) predicted \(difference.prediction), "
                + "\(difference.device) \(difference.did.outcome.rawValue) (\(difference.did.how ?? "unknown"), "
                + "\(difference.did.confidence.rawValue)) \(difference.share)"
        }
        if more > 0 { lines.append("  and \(more) more: see atsgate report --format json") }
        if let reasonWords { lines.append("  cannot tell: \(reasonWords)") }
        if let uncountedWords { lines.append("  \(uncountedWords)") }
        return lines
    }

    /// For example `82 origins of 1 device, 82 connections`.
    var scope: String {
        "\(Self.number(of: origins, "origin")) of \(Self.number(of: devices, "device")), "
            + Self.number(of: connections, "connection")
    }

    /// For example `50 agree, 2 gate laxer`.
    var answers: String {
        let counts = counts
        return Answer.allCases.compactMap { answer in counts[answer].map { "\($0) \(answer.rawValue)" } }
            .joined(separator: ", ")
    }

    /// For example `5 no-hello, 4 outside ATS`; nil if nothing is unknown.
    var reasonWords: String? {
        let words = reasons.map { "\($0.origins) \($0.why)" }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    /// The connections that were not counted for lack of room; nil if there are none.
    var uncountedWords: String? {
        uncounted > 0 ? "\(Self.number(of: uncounted, "connection")) of further origins: not counted" : nil
    }

    private static func number(of count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// The most differences that a text lists.
    static let mostLines = 200
}

extension DeviceAgreement.Difference {
    /// For example `wouldBlock (ats.forward-secrecy)`.
    var prediction: String { predicted.rawValue + (rule.map { " (\($0))" } ?? "") }

    /// For example `1 of 2` connections.
    var share: String { "\(connections) of \(ofConnections)" }
}
