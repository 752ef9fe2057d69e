import ATSPolicy
import Text

extension LintedFile {
    /// What does not do what its author meant: errors and warnings. Told wherever a dictionary is taken up; the notes are
    /// for those who ask.
    public var problems: [LintFinding] { findings.filter { $0.severity >= .warning } }

    /// Those as lines, fit for a terminal, whatever the file holds: `line 12: SENTENCE [RULE]`.
    public var remarks: [String] { problems.map(\.remark) }
}

extension LintFinding {
    public var remark: String {
        ([line.map { "line \($0)" }, "\(sentence) [\(rule)]"].compactMap(\.self).joined(separator: ": ")).printable
    }

    /// As a sentence under a ruling.
    var note: String { "\(sentence) (\(rule))." }

    /// Whether it is about what decided: the entry, or for hosts without one the keys for all.
    func isAbout(_ basis: RulingBasis) -> Bool {
        let path = keyPath + "."
        guard let entry = basis.entry else {
            return ![ATSKey.exceptionDomains, ATSKey.pinnedDomains, ATSKey.niapVersion].contains {
                path.hasPrefix("\(ATSKey.root).\($0).")
            }
        }
        return !basis.isBuiltIn && path.hasPrefix("\(ATSKey.root).\(ATSKey.exceptionDomains).\(entry).")
    }
}
