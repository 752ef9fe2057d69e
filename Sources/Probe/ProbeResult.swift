public import ATSPolicy
public import Records

/// What a probe found of one target on one system.
public struct ProbeResult: Sendable {
    /// Raw values are shown in JSON.
    public enum Verdict: String, Sendable, Hashable, CaseIterable {
        case pass, fail
        /// The origin was not reached, so nobody knows.
        case error
    }

    public let target: ProbeTarget
    /// As it was named.
    public let system: OSProfile
    public let ruling: Ruling
    public let verdict: Verdict
    /// One for each address that was tried; none for a cleartext load, which is ruled on without asking.
    public let answers: [ProbeAnswer]
    /// What the law says, and how a device would report it; nil for a plain pass.
    public let diagnosis: RecordedDiagnosis?
    /// The smallest exception under which the load passes.
    public let exception: ExceptionFix?
    /// How that is known; or why there is none although one was tried.
    public let proof: String?
    /// What the origin shows to a hello that does not name it; nil where that was not asked.
    public var nameless: NamelessAnswer?

    /// The deciding rule.
    public var rule: RuleID? { verdict == .pass ? nil : diagnosis?.findings.first?.rule ?? .gateFault }

    /// The address that decided.
    public var decisive: ProbeAnswer? { Self.decisive(of: answers) }

    /// One that fails goes before one that passes, as a device may come to either; what was not reached decides only
    /// where nothing was, because a device tries the next.
    static func decisive(of answers: [ProbeAnswer]) -> ProbeAnswer? {
        answers.first { !$0.isPassed && !$0.isError } ?? answers.first(where: \.isPassed) ?? answers.first
    }
}

/// What an origin does with a hello without a name, which devices never send.
public enum NamelessAnswer: Sendable, Hashable {
    case sameCertificate
    /// Subject of its leaf.
    case otherCertificate(String)
    case refuses
}
