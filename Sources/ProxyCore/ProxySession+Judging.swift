import ATSPolicy
import Records

/// Verdicts on handshakes: the system's, then that of the app's own code.
extension ProxySession {
    func judge(_ handshake: HandshakeCase) -> HandshakeVerdict {
        loop.policy.appTrust.judge(RuleBook.standard.judge(handshake), of: handshake)
    }

    /// What a record says of a handshake that passed although the system would have refused it; nil where there is
    /// nothing to say.
    func remark(on verdict: HandshakeVerdict) -> DiagnosisCard? {
        guard verdict.failure == nil, !verdict.findings.isEmpty else { return nil }
        return DiagnosisCard(findings: verdict.findings, apple: nil, remedy: nil)
    }

    func handshakeCase(_ facts: HandshakeFacts, scope: TunnelScope) -> HandshakeCase {
        HandshakeCase(
            facts: facts, host: scope.target.host, demands: scope.permit.demands,
            offer: scope.permit.offer ?? .diagnostic, profile: system.profile, now: now.unixSeconds,
            basis: scope.permit.basis)
    }
}
