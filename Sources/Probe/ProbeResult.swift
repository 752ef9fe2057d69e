public import ATSPolicy
public import Diagnosis
public import Records

/// The result of a probe for one target on one release.
public struct ProbeResult: Sendable {
    /// Raw values are shown in JSON.
    public enum Verdict: String, Sendable, Hashable, CaseIterable {
        case pass, fail
        /// The origin was not reached, or a proxy hid it, so the result is unknown.
        case error
    }

    /// The verdict in text for people. Raw values are the words.
    public enum Word: String, Sendable, Hashable, CaseIterable {
        case allowed, blocked
        /// The handshake broke for a reason that is not a rule of ATS or of trust.
        case failed
        /// As for ``Verdict/error``.
        case unknown
    }

    public let target: ProbeTarget
    /// As the user named it.
    public let system: OSProfile
    public let ruling: Ruling
    public let verdict: Verdict
    /// One for each address that was tried; empty for a cleartext load, whose ruling needs no connection.
    public let answers: [ProbeAnswer]
    /// The findings, and the error that a device would report; nil for a plain pass.
    public let diagnosis: RecordedDiagnosis?
    /// The smallest exception that allows the load.
    public let exception: ExceptionFix?
    /// ``exception`` in the forms to paste into the dictionary that was used.
    public let toPaste: EntryToPaste?
    /// The proof for the exception, or the reason why the one that was tried does not help.
    public let proof: String?
    /// The answer to a hello without the host name; nil if that was not tried.
    public var nameless: NamelessAnswer?

    /// The deciding rule.
    public var rule: RuleID? { verdict == .pass ? nil : diagnosis?.findings.first?.rule ?? .gateFault }

    public var word: Word {
        switch verdict {
        case .pass: return .allowed
        case .error: return .unknown
        case .fail:
            let isRule = rule.map { [.ats, .trust, .app].contains($0.category) } ?? false
            return isRule ? .blocked : .failed
        }
    }

    /// True if the result is unknown because a proxy decrypts the connection.
    public var isDecrypted: Bool { rule == .netDecrypted }

    /// The address that decided.
    public var decisive: ProbeAnswer? { Self.decisive(of: answers) }

    /// A failing address takes precedence over a passing one, because a device may connect to either. An unreachable
    /// one decides only if all are unreachable, because a device tries the next.
    static func decisive(of answers: [ProbeAnswer]) -> ProbeAnswer? {
        answers.first { !$0.isPassed && !$0.isError } ?? answers.first(where: \.isPassed) ?? answers.first
    }
}

/// The answer of an origin to a hello without a name, which devices never send.
public enum NamelessAnswer: Sendable, Hashable {
    case sameCertificate
    /// Subject of its leaf.
    case otherCertificate(String)
    case refuses
}
