import ATSPolicy
import Text

extension LintedFile {
    /// Errors and warnings: mistakes that change the effect of the dictionary. Shown whenever a dictionary is loaded;
    /// notes appear only in `atsgate lint`.
    public var problems: [LintFinding] { findings.filter { $0.severity >= .warning } }

    /// True if ATS is off for every host without an entry.
    public var turnsATSOff: Bool { findings.contains { $0.rule == LintRule.arbitraryLoads.id } }

    /// The problems as lines that are safe to print on a terminal: `line 12: SENTENCE [RULE]`.
    public var remarks: [String] { problems.map(\.remark) }
}

extension LintFinding {
    public var remark: String {
        ([line.map { "line \($0)" }, "\(sentence) [\(rule)]"].compactMap(\.self).joined(separator: ": ")).printable
    }

    /// The sentence that follows a ruling.
    var note: String { "\(sentence) (\(rule))." }

    /// True if it concerns the key that decided: the entry, or for hosts without one a global key.
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
