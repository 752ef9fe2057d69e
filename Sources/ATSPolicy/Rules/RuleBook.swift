/// All handshake rules, in the order in which they decide.
///
/// The parameters of the handshake come first, because a device checks them first. A pinned identity is next, because
/// it is the only refusal that the app's code cannot override (docs/law/pinning.md#evaluation). Then come the chain,
/// its dates, its name and use, keys and hashes, and finally transparency. The order in which Apple reports several
/// trust failures is not known (docs/contradictions.md), so that part is inferred.
public struct RuleBook: Sendable {
    /// The rules that atsgate enforces.
    public static let standard = RuleBook(rules: [
        .osTLSFloor, .tlsVersion, .forwardSecrecy, .cipherSuite,
        .niap,
        .pinnedIdentity,
        .selfSigned, .incompleteChain, .untrustedRoot, .unknownRoot, .distrustedRoot, .invalidChain,
        .expired, .notYetValid, .revoked,
        .hostName, .noSAN, .serverAuthEKU, .validityPeriod,
        .keySize, .signatureHash, .trustKeySize, .trustSignatureHash, .rootKey,
        .atsTransparency, .certificateTransparency,
    ])

    public let rules: [Rule]
    private let byID: [RuleID: Rule]
    private let warning: [Rule]

    /// - Parameter rules: the deciding ones first.
    init(rules: [Rule]) {
        self.rules = rules
        byID = Dictionary(rules.map { ($0.id, $0) }) { first, _ in first }
        warning = rules.filter(\.reportsWarnings)
    }

    /// nil for an id that is not a handshake rule.
    public func rule(_ id: RuleID) -> Rule? { byID[id] }

    /// Returns a finding for each rule that a handshake breaks, the deciding one first. Does not allocate if there is
    /// none.
    public func findings(on handshake: HandshakeCase) -> [Finding] {
        var findings: [Finding] = []
        for rule in rules {
            if case .fail(let expected, let observed) = rule.answer(on: handshake) {
                findings.append(rule.finding(on: handshake, expected: expected, observed: observed))
            }
        }
        return findings
    }

    /// Returns the warnings about a handshake that breaks no rule, of the rules that report them.
    func warnings(on handshake: HandshakeCase) -> [Finding] {
        var findings: [Finding] = []
        for rule in warning {
            if case .warn(let expected, let observed) = rule.answer(on: handshake) {
                findings.append(rule.finding(on: handshake, expected: expected, observed: observed))
            }
        }
        return findings
    }
}

extension RuleID {
    /// True for a rule on negotiated parameters, which breaks a handshake before any certificate is checked.
    var isHandshakeParameter: Bool {
        switch consequence?.breach {
        case .handshake: true
        case .certificate, .identity, nil: false
        }
    }
}
