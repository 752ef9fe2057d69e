/// The effects of breaking a rule, declared by the rule itself.
public struct Consequence: Sendable {
    /// The part of the handshake that a device rejects.
    enum Breach: Sendable, Hashable {
        /// The negotiated parameters, before any certificate is checked. A device would have offered less than the gate
        /// did, so its own handshake ends with this failure (docs/law/errors.md#by-failure).
        case handshake(HandshakeFailure)
        /// A certificate, which the app's own code may accept if ATS does not insist on trust
        /// (docs/law/rulings.md#demands, docs/law/addresses.md#https-to-local-hosts).
        case certificate
        /// A certificate that no code of the app can accept (documented; docs/law/pinning.md).
        case identity
    }

    /// Apple's private error code for the breach.
    typealias Violation = @Sendable (HandshakeFacts?) -> ATSViolation
    /// The fix on the server, in one sentence.
    typealias Sentence = @Sendable (HandshakeCase, Finding) -> String
    /// The setting of an exception entry that would waive the rule; nil if no setting does.
    typealias Waiver = @Sendable (HandshakeCase) -> ExceptionFix.Setting?

    let breach: Breach
    /// True if the anchor is missing. An app's own trust code can supply one.
    let isAboutAnchor: Bool
    let violation: Violation
    /// The status that an app sees with -1202, if ATS does not insist.
    let laxStatus: @Sendable (AppleDevice) -> StreamStatus
    /// The certificate and the check that the unified log names, for example `leaf SSLHostname`; nil if no log or
    /// source shows both (docs/console-lines.md#variants).
    var loggedCheck: String?
    /// The certainty that strict ATS answers with -9802 (docs/law/errors.md#by-failure).
    let strictConfidence: Confidence
    let waiver: Waiver
    /// The rule's own reason why no key helps, if it has one; ends a sentence of ``Advice``.
    let whyNoKeyHelps: String?
    let remedy: Sentence
    /// The flaw that a leaf of the gate imitates so that a client rejects it for this rule; nil if the flaw is not in
    /// the leaf.
    public let mirrored: MirroredFlaw?

    /// Returns the failure that the app would see.
    func failure(of rule: RuleID, in handshake: HandshakeCase) -> LoadFailure {
        switch breach {
        case .handshake where handshake.requiresUnknownVersion: .handshake(.nothingToOffer, rule: .tlsVersion)
        case .handshake(let failure): .handshake(failure, rule: rule)
        case .certificate: .trust(rule, isStrict: handshake.demands?.strictTrust ?? false)
        case .identity: .trust(rule, isStrict: true)
        }
    }

    /// A breach in the negotiated parameters.
    static func handshake(
        _ failure: HandshakeFailure, _ violation: ATSViolation, waiver: @escaping Waiver = { _ in nil },
        remedy: @escaping Sentence
    ) -> Consequence {
        Consequence(
            breach: .handshake(failure), isAboutAnchor: false, violation: { _ in violation },
            laxStatus: { _ in .otherTrust },
            strictConfidence: .inferred, waiver: waiver, whyNoKeyHelps: nil, remedy: remedy, mirrored: nil)
    }

    /// A certificate that does not meet the rule.
    ///
    /// - Parameters:
    ///   - strict: the certainty of the answer of a strict evaluation.
    ///   - logged: the name of the check in the unified log.
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

    /// A certificate that does not meet the rule, with a fixed error code.
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

/// Apple's private error codes for ATS violations. No app log ever showed one, so they are never part of a log line.
/// Source: Apple, Security, SecBase.h, errSSLATSViolation and after; docs/law/errors.md#stream-codes.
enum ATSViolation: Int, Sendable {
    case violation = -9880
    case minimumVersion = -9881
    case cipherSuite = -9882
    case keySize = -9883
    case leafHash = -9884
    case chainHash = -9885
    case trust = -9886
}

/// A flaw of an origin's certificate that a leaf of the gate can imitate, so that an app sees the origin's error.
public enum MirroredFlaw: Sendable, Hashable, CaseIterable {
    /// Issued by an untrusted CA.
    case untrustedIssuer
    case selfSigned
    /// Expired; with the origin's own dates if those are over.
    case expired
    /// Not valid yet; with the origin's own dates if those lie in the future.
    case notYetValid
    /// Valid as long as the origin's certificate.
    case validityPeriod
    /// With the names of the origin's certificate.
    case hostName
    case noSubjectAltName
    /// An extended key usage without serverAuth.
    case clientAuthOnly
    /// A key as short as the origin's.
    case weakKey
    /// Signed with the hash of the origin's certificate.
    case weakHash
}

extension RuleID {
    /// The flaw that `--refuse mirror` imitates for this rule, as the rule declares it; nil if no leaf can show the
    /// defect.
    public var mirrored: MirroredFlaw? { consequence?.mirrored }

    /// nil for an id that is not a handshake rule.
    var consequence: Consequence? { RuleBook.standard.rule(self)?.consequence }
}

extension LoadFailure {
    /// The category of the failure, for the verdict on the load.
    public var category: RuleCategory {
        switch self {
        case .cleartext: RuleID.cleartextLoad.category
        case .trust(let rule, _): rule.category
        case .handshake(_, let rule): rule?.category ?? .tls
        case .network, .lost: .network
        case .malformedAnswer: .http
        }
    }

    /// True if ATS, the system's trust evaluation or the app's own code blocks the load. Its verdict is then `blocked`,
    /// otherwise `failed`.
    public var isBlockedByRules: Bool { category.isBlocking }
}
