import ATSPolicy
import Diagnosis
import Text

extension ExceptionReview {
    /// A table with a line for each entry, or for a key at the top.
    public var words: String {
        let rows = [("ENTRY", "NEEDED", "WHY")] + needs.map { ($0.entry, $0.needed.rawValue, $0.why) }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { entry, needed, why in
            "\(entry.padded(to: width))  \(needed.padded(to: 7))  \(why)\n"
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
