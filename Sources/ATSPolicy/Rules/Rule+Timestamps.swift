/// Shared by both rules on Certificate Transparency: the requirement of an entry and the system's.
extension Rule {
    static let transparencyRemedy =
        "Get a certificate from a CA that submits it to public transparency logs, and serve its timestamps."

    /// Judges the number of timestamps.
    static func timestamps(in handshake: HandshakeCase) -> RuleAnswer {
        guard handshake.facts.anchor == .system else { return .notInForce }
        guard let leaf = handshake.leaf, !handshake.isLeafAnchored else { return .notApplicable }
        guard leaf.notAfter >= handshake.now else { return .notInForce }
        let need = TimestampNeed(of: leaf)
        let tally = TimestampCheck(handshake)
        switch tally.meets(need) {
        case .pass: return .pass
        // The policy text forbids it, but the client code does not enforce that (source;
        // docs/law/transparency.md#counting): warn only.
        case .crowded: return .warn(expected: need.words, observed: "\(tally.words), too many from one operator")
        case .fail:
            return switch handshake.transparency {
            case .counted: .warn(expected: need.words, observed: tally.words)
            case .verified: .fail(expected: need.words, observed: tally.words)
            }
        }
    }
}
