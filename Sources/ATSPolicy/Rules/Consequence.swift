/// What follows where a handshake breaks a rule: declared by the rule itself, beside what it checks.
public struct Consequence: Sendable {
    /// Over what a device stumbles.
    enum Breach: Sendable, Hashable {
        /// Over what was negotiated, before any certificate is looked at. A device would have offered less than what
        /// was agreed here, so its handshake ends in the way that is named (docs/law/errors.md#by-failure).
        case handshake(HandshakeFailure)
        /// Over a certificate, which the app's own code may accept where ATS does not insist
        /// (docs/law/rulings.md#demands, docs/law/addresses.md#https-to-local-hosts).
        case certificate
        /// Over a certificate that no code of the app can accept (documented; docs/law/pinning.md).
        case identity
    }

    /// Apple's private number for the breach.
    typealias Violation = @Sendable (HandshakeFacts?) -> ATSViolation
    /// What to do about it on the server, in one sentence.
    typealias Sentence = @Sendable (HandshakeCase, Finding) -> String
    /// The setting of an exception entry that would waive the rule; nil where none does.
    typealias Waiver = @Sendable (HandshakeCase) -> ExceptionFix.Setting?

    let breach: Breach
    /// What is missing is an anchor, which an app's own trust code can bring along.
    let isAboutAnchor: Bool
    let violation: Violation
    /// What an app is shown under -1202, where ATS does not insist.
    let laxStatus: @Sendable (AppleDevice) -> StreamStatus
    /// The certificate and the check that the unified log names, for example `leaf SSLHostname`; nil where no log or
    /// source tells both (docs/console-lines.md#variants).
    var loggedCheck: String?
    /// How well it is known that ATS answers with -9802 where it insists (docs/law/errors.md#by-failure).
    let strictConfidence: Confidence
    let waiver: Waiver
    /// Where the rule has its own reason why no key helps; ends a sentence of ``Advice``.
    let whyNoKeyHelps: String?
    let remedy: Sentence
    /// What a leaf of the gate's own has to imitate for a client to refuse it for this rule; nil where none can,
    /// since the defect is not in the leaf.
    public let mirrored: MirroredFlaw?

    /// What the app would meet.
    func failure(of rule: RuleID, in handshake: HandshakeCase) -> LoadFailure {
        switch breach {
        case .handshake(let failure): .handshake(failure, rule: rule)
        case .certificate: .trust(rule, isStrict: handshake.demands?.strictTrust ?? false)
        case .identity: .trust(rule, isStrict: true)
        }
    }

    /// A breach of what was negotiated.
    static func handshake(
        _ failure: HandshakeFailure, _ violation: ATSViolation, waiver: @escaping Waiver = { _ in nil },
        remedy: @escaping Sentence
    ) -> Consequence {
        Consequence(
            breach: .handshake(failure), isAboutAnchor: false, violation: { _ in violation },
            laxStatus: { _ in .otherTrust },
            strictConfidence: .inferred, waiver: waiver, whyNoKeyHelps: nil, remedy: remedy, mirrored: nil)
    }

    /// A certificate that is not good enough.
    ///
    /// - Parameters:
    ///   - strict: how well the answer of a strict evaluation is known.
    ///   - logged: what the unified log calls it.
    static func certificate(
        _ violation: @escaping Violation, strict: Confidence = .inferred, mirrored: MirroredFlaw? = nil,
        isAboutAnchor: Bool = false, logged: String? = nil,
        lax: @escaping @Sendable (AppleDevice) -> StreamStatus = { _ in .otherTrust },
        waiver: @escaping Waiver = { _ in nil }, remedy: @escaping Sentence
    ) -> Consequence {
        Consequence(
            breach: .certificate, isAboutAnchor: isAboutAnchor, violation: violation, laxStatus: lax,
            loggedCheck: logged, strictConfidence: strict, waiver: waiver,
            whyNoKeyHelps: nil, remedy: remedy, mirrored: mirrored)
    }

    /// The same, with one number whatever the certificates.
    static func certificate(
        _ violation: ATSViolation, strict: Confidence = .inferred, mirrored: MirroredFlaw? = nil,
        isAboutAnchor: Bool = false, logged: String? = nil,
        lax: @escaping @Sendable (AppleDevice) -> StreamStatus = { _ in .otherTrust },
        waiver: @escaping Waiver = { _ in nil }, remedy: @escaping Sentence
    ) -> Consequence {
        certificate(
            { _ in violation }, strict: strict, mirrored: mirrored, isAboutAnchor: isAboutAnchor, logged: logged,
            lax: lax, waiver: waiver, remedy: remedy)
    }

    /// An identity that is not the pinned one.
    static func identity(
        _ violation: ATSViolation, whyNoKeyHelps: String, remedy: @escaping Sentence
    ) -> Consequence {
        Consequence(
            breach: .identity, isAboutAnchor: false, violation: { _ in violation }, laxStatus: { _ in .otherTrust },
            strictConfidence: .observed, waiver: { _ in nil }, whyNoKeyHelps: whyNoKeyHelps, remedy: remedy,
            mirrored: nil)
    }
}

/// The private numbers that Apple keeps for breaches of ATS. No app log ever showed one, so they are never part of a
/// log line. Source: Apple, Security, SecBase.h, errSSLATSViolation and after; docs/law/errors.md#stream-codes.
enum ATSViolation: Int, Sendable {
    case violation = -9880
    case minimumVersion = -9881
    case cipherSuite = -9882
    case keySize = -9883
    case leafHash = -9884
    case chainHash = -9885
    case trust = -9886
}

/// A defect of an origin's certificate that a leaf of the gate's own can show, so that an app meets what it would have
/// met at the origin.
public enum MirroredFlaw: Sendable, Hashable, CaseIterable {
    /// Issued by a CA that nobody trusts.
    case untrustedIssuer
    case selfSigned
    /// Its time is over; the origin's own dates where they are over, too.
    case expired
    /// Its time has not begun; the origin's own dates where they have not, either.
    case notYetValid
    /// Valid for as long as the origin's.
    case validityPeriod
    /// The names of the origin's.
    case hostName
    case noSubjectAltName
    /// An extended key usage without serverAuth.
    case clientAuthOnly
    /// A key that is as short as the origin's.
    case weakKey
    /// Signed with the hash of the origin's.
    case weakHash
}

extension RuleID {
    /// What `--refuse mirror` imitates for this rule; nil where no leaf can show the defect. Found in the rule's own
    /// declaration.
    public var mirrored: MirroredFlaw? { consequence?.mirrored }

    /// nil for what is no rule on handshakes.
    var consequence: Consequence? { RuleBook.standard.rule(self)?.consequence }
}

extension LoadFailure {
    /// The kind of reason, for the verdict on the load.
    public var category: RuleCategory {
        switch self {
        case .cleartext: RuleID.cleartextLoad.category
        case .trust(let rule, _): rule.category
        case .handshake(_, let rule): rule?.category ?? .tls
        case .network, .lost: .network
        case .malformedAnswer: .http
        }
    }

    /// ATS, the system's trust or the app's own code refuses the load: its verdict is `blocked`, else `failed`.
    public var isBlockedByLaw: Bool { category.isBlocking }
}
