import ATSPolicy
import Diagnosis
import Records

extension ReplayVerdict {
    /// One character for a table cell.
    var sign: String {
        switch self {
        case .allowed: "✓"
        case .blocked: "✗"
        case .failed: "!"
        case .outside: "–"
        case .undecidable: "?"
        }
    }
}

extension SystemMatrix.Cell {
    /// For example `blocked by ats.tls-version`.
    var words: String {
        switch verdict {
        case .allowed: "allowed"
        case .blocked: "blocked" + (rule.map { " by \($0.rawValue)" } ?? "")
        case .failed: "failed" + (rule.map { " by \($0.rawValue)" } ?? "")
        case .outside: "outside ATS"
        case .undecidable: "unknown" + (why.map { ": \($0)" } ?? "")
        }
    }
}

extension DictionaryUse.Part {
    /// Why the key is needed, or can be removed.
    var useWords: String {
        if let why { return "Unused: \(why)" }
        var parts: [String] = []
        if needed > 0 {
            let rules = rules.isEmpty ? "" : " because of " + rules.map(\.rawValue).joined(separator: ", ")
            let more = hosts.count > 3 ? " and \(hosts.count - 3) more" : ""
            parts.append("Needed for \(hosts.prefix(3).joined(separator: ", "))\(more)\(rules)")
        }
        if undecided > 0 { parts.append("unknown for \(undecided) \(undecided == 1 ? "load" : "loads")") }
        return parts.joined(separator: "; ")
    }
}

extension PropertyNode {
    /// The value in one line; for a dictionary, its keys and their values.
    var words: String {
        switch value {
        case .boolean(let flag): String(flag)
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .string(let text): text
        case .data, .date: value.kind
        case .array(let nodes): nodes.map(\.words).joined(separator: ", ")
        case .dictionary(let members):
            members.map { "\($0.key) = \($0.node.words)" }.joined(separator: ", ")
        }
    }
}
