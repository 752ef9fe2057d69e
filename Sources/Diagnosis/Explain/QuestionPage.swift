public import ATSPolicy

/// The page of `docs/questions` that helps with failures of a rule, beyond the rule's own fix.
public enum QuestionPage {
    /// The topic of the page, for `atsgate explain`; nil if there is none.
    public static func topic(for rule: RuleID) -> String? {
        switch rule {
        case .tlsClosed, .tlsTimeout, .netReset: "questions/retry"
        case .untrustedRoot, .selfSigned, .incompleteChain: "questions/own-ca"
        case .pinnedIdentity, .appPin, .clientPins: "questions/pins"
        case .netName, .netRefused, .netTimeout: "questions/is-it-ats"
        default: nil
        }
    }
}
