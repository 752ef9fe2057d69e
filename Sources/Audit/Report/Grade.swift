import ATSPolicy
import Diagnosis

/// The transport security of an app in one letter: that of its weakest program. The scale is ours, and `docs/audit.md`
/// lists it; Apple has none.
public enum Grade: String, Sendable, Hashable, CaseIterable, Comparable {
    case a = "A"
    case b = "B"
    case c = "C"
    case d = "D"
    case f = "F"

    public static func < (left: Grade, right: Grade) -> Bool { left.rawValue < right.rawValue }

    /// The grade of one dictionary, with the reason.
    init(of declaration: Declaration, findings: [LintFinding], on profile: OSProfile, reason: inout String) {
        let keys = declaration.interpreted(for: profile)
        let loosening = keys.exceptions.filter { $0.value.isLoosening }
        if DictionaryWords(declaration, on: profile).isOff {
            (self, reason) = (.f, "NSAllowsArbitraryLoads turns ATS off for every host without an entry")
        } else if let error = findings.first(where: { $0.severity == .error }) {
            (self, reason) = (.d, "a setting of the dictionary has no effect (\(error.rule))")
        } else if let wide = findings.first(where: { Self.wideRules.contains($0.rule) }) {
            (self, reason) = (.d, "an entry covers hosts of other owners (\(wide.rule))")
        } else if keys.allowsArbitraryLoadsInWebContent == true {
            (self, reason) = (.c, "NSAllowsArbitraryLoadsInWebContent turns ATS off in web views")
        } else if keys.allowsArbitraryLoadsForMedia == true {
            (self, reason) = (.c, "NSAllowsArbitraryLoadsForMedia turns ATS off for media")
        } else if loosening.contains(where: {
            $0.value.includesSubdomains == true && $0.value.allowsInsecureHTTPLoads == true
        }) {
            (self, reason) = (.c, "an entry allows http to a domain and its subdomains")
        } else if !loosening.isEmpty {
            (self, reason) = (
                .b, "\(DictionaryWords.count(loosening.count, "entry weakens", "entries weaken")) ATS for named hosts"
            )
        } else {
            (self, reason) = (.a, "no key weakens ATS for a host on the internet")
        }
    }

    private static let wideRules: Set = [
        "lint.shared-parent", "lint.top-level-domain", "lint.catch-all-range", "lint.tunnel-host",
    ]
}
