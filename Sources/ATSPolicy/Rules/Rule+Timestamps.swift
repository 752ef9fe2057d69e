/// What both rules on Certificate Transparency share: an entry's own demand and the system's.
extension Rule {
    static let transparencyRemedy = "Get a certificate from a CA that logs it publicly, and serve its timestamps."

    /// Whether enough timestamps were seen, as an answer.
    static func timestamps(in handshake: HandshakeCase) -> RuleAnswer {
        guard handshake.facts.anchor == .system else { return .notInForce }
        guard let leaf = handshake.leaf, !handshake.isLeafAnchored else { return .notApplicable }
        guard leaf.notAfter >= handshake.now else { return .notInForce }
        let need = TimestampNeed(of: leaf)
        let tally = TimestampCheck(handshake)
        switch tally.meets(need) {
        case .pass: return .pass
        // Policy text that the client code does not enforce (source; docs/law/transparency.md#counting): worth a word,
        // never a refusal.
        case .crowded: return .warn(expected: need.words, observed: "\(tally.words), too many of one operator")
        case .fail:
            return switch handshake.transparency {
            case .counted: .warn(expected: need.words, observed: tally.words)
            case .verified: .fail(expected: need.words, observed: tally.words)
            }
        }
    }
}
