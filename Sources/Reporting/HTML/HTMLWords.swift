import ATSPolicy
import Diagnosis
import Records

extension ReplayVerdict {
    /// One character for a cell.
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
    /// For example `refused by ats.tls-version`.
    var words: String {
        switch verdict {
        case .allowed: "passes"
        case .blocked: "refused" + (rule.map { " by \($0.rawValue)" } ?? "")
        case .failed: "fails" + (rule.map { " by \($0.rawValue)" } ?? "")
        case .outside: "not governed by ATS"
        case .undecidable: "not known" + (why.map { ": \($0)" } ?? "")
        }
    }
}

extension DictionaryUse.Part {
    /// Why it is there, or may go.
    var useWords: String {
        if let why { return "Unused: \(why)" }
        var parts: [String] = []
        if needed > 0 {
            let rules = rules.isEmpty ? "" : " from " + rules.map(\.rawValue).joined(separator: ", ")
            let more = hosts.count > 3 ? " and \(hosts.count - 3) more" : ""
            parts.append("Keeps \(hosts.prefix(3).joined(separator: ", "))\(more)\(rules)")
        }
        if undecided > 0 { parts.append("for \(undecided) loads nobody knows") }
        return parts.joined(separator: "; ")
    }
}

extension PropertyNode {
    /// The value in a line: the keys of a dictionary with theirs.
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
