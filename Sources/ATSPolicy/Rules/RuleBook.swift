/// All rules on handshakes, in the order in which they decide.
///
/// The parameters of the handshake come first, because a device meets them first. A pinned identity is next, because it
/// is the one refusal that no code of the app can lift (docs/law/pinning.md#evaluation). Then the chain, its dates, its
/// name and use, keys and hashes, and at last transparency. In which order Apple reports several trust failures at once
/// is not known (docs/contradictions.md), so that part of the order is inferred.
public struct RuleBook: Sendable {
    /// The rules of this generation of the tool.
    public static let standard = RuleBook(rules: [
        .osTLSFloor, .tlsVersion, .forwardSecrecy, .cipherSuite,
        .niap,
        .pinnedIdentity,
        .selfSigned, .incompleteChain, .untrustedRoot,
        .expired, .notYetValid, .revoked,
        .hostName, .noSAN, .serverAuthEKU, .validityPeriod,
        .keySize, .signatureHash, .trustKeySize, .trustSignatureHash,
        .atsTransparency, .certificateTransparency,
    ])

    public let rules: [Rule]
    private let byID: [RuleID: Rule]

    /// - Parameter rules: the deciding ones first.
    init(rules: [Rule]) {
        self.rules = rules
        byID = Dictionary(rules.map { ($0.id, $0) }) { first, _ in first }
    }

    /// nil for an id of something else than a rule on handshakes.
    public func rule(_ id: RuleID) -> Rule? { byID[id] }

    /// Every rule that a handshake breaks, the deciding one first; empty, without allocating, when there is none.
    public func findings(on handshake: HandshakeCase) -> [Finding] {
        var findings: [Finding] = []
        for rule in rules {
            if case .fail(let expected, let observed) = rule.answer(on: handshake) {
                findings.append(rule.finding(on: handshake, expected: expected, observed: observed))
            }
        }
        return findings
    }
}

extension RuleID {
    /// A rule on what was negotiated, which breaks a handshake before any certificate is looked at.
    var isHandshakeParameter: Bool {
        switch consequence?.breach {
        case .handshake: true
        case .certificate, .identity, nil: false
        }
    }
}
