import ATSPolicy
import Diagnosis
import Text

extension ExceptionReview {
    /// A line for each entry.
    public var words: String {
        let width = needs.map(\.entry.count).max() ?? 0
        return needs.map { need in
            "\(need.entry.padded(to: width))  \(need.needed.rawValue.padded(to: 7))  \(need.why)\n"
        }.joined().printableLines
    }

    /// The dictionary without entries and keys that are not needed, with the evidence as comments.
    public var propertyList: String {
        PropertyListText.document(cleaned.members, comments: needs.map { "\($0.entry): \(remark($0))" })
    }

    /// One object on one line, with the same members as for a target.
    public var json: String {
        let verdict: ProbeResult.Verdict = canBeReduced ? .fail : isUncertain ? .error : .pass
        return JSONValue.object([
            ("url", .null), ("os", .string(system.name)), ("verdict", .string(verdict.rawValue)), ("rule", .null),
            ("findings", .array([])), ("apple", .null), ("origin", .null), ("remedy", .null),
            ("smallestException", .null), ("matrix", .null), ("exceptions", .array(needs.map(\.jsonValue))),
        ]).text
    }

    private func remark(_ need: ExceptionNeed) -> String {
        switch need.needed {
        case .yes: "kept, \(need.why)"
        case .no: "removed, \(need.why)"
        case .partly: "shortened, \(need.why)"
        case .unknown: "kept, could not be tested: \(need.why)"
        }
    }
}
