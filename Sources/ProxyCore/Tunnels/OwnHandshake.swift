import ATSPolicy
import OriginHandshake
import Records
import TLSEngine

/// Judges a client's own handshake with its origin by the facts that were visible in passing. Witness mode only records
/// the result.
struct OwnHandshake {
    enum Judgement {
        /// The client may continue: the handshake passed, or the failure is only recorded.
        case passed
        case refused(LoadFailure, RecordedDiagnosis)
        /// One of its certificates cannot be read.
        case unreadable
    }

    let context: SessionContext
    let tunnel: Tunnel
    /// The client's hello.
    let hello: HeldClient

    /// Judges the handshake, and adds a finding to the record if it differs from the gate's own.
    ///
    /// - Parameter chain: in DER, leaf first; nil if it was not visible.
    func judge(_ version: TLSVersion, suite: UInt16, chain: [[UInt8]]?) -> Judgement {
        let known = tunnel.met?.facts
        // Missing facts are taken from the gate's handshake; without it there is nothing to judge.
        guard known != nil || chain != nil else { return .passed }
        let isJudged = context.isInForce(tunnel.ruled)
        context.renew(tunnel)
        let suite = hello.suite(suite)
        var facts =
            known?.seen(version, suite)
            ?? HandshakeFacts(
                version: version, suite: suite, group: nil, alpn: nil, served: [], path: [], anchor: .broken)
        if let chain, !context.loop.policy.trust.put(chain, into: &facts, for: [tunnel.target.host]) {
            return .unreadable
        }
        let isSame =
            known?.version == facts.version && known?.suite == facts.suite
            && known?.hasServed(facts.served) == true
        if isSame, isJudged { return .passed }
        return hold(facts, isSame: isSame)
    }

    private func hold(_ facts: HandshakeFacts, isSame: Bool) -> Judgement {
        let question = context.question(by: tunnel.ruled)
        let verdict = question.verdict(on: facts, now: context.now.unixSeconds)
        let met = MetOrigin(
            RecordedOrigin(address: tunnel.met?.recorded.address, facts: facts, offer: question.offer), verdict,
            failure: verdict.failure)
        let lifted = verdict.failure == nil ? tunnel.diagnosis?.findings.first : nil
        if !isSame, tunnel.met?.facts != nil || lifted != nil {
            tunnel.add(RecordedDiagnosis(.ownHandshake(facts, judged: tunnel.met?.facts, lifting: lifted)))
        }
        guard let failure = verdict.failure else {
            tunnel.cleared(by: met)
            return .passed
        }
        let diagnosis = context.diagnosis(of: met, under: tunnel.ruled, path: "/")
        tunnel.judged(met, diagnosis: diagnosis)
        guard isEnforced, !tunnel.ruled.isOutside else { return .passed }
        tunnel.refuse(failure, diagnosis)
        return .refused(failure, diagnosis)
    }

    private var isEnforced: Bool { Self.isEnforced(in: tunnel, context) }

    private static func isEnforced(in tunnel: Tunnel, _ context: SessionContext) -> Bool {
        tunnel.passthrough != .witnessed && context.loop.policy.rules.mode == .enforce
    }

    /// Handles a handshake that cannot be read, and so not judged: fails the tunnel, or only records the finding.
    ///
    /// - Returns: true if the tunnel may continue.
    func tolerates(_ finding: Finding) -> Bool { Self.tolerates(finding, in: tunnel, context) }

    /// Handles unreadable data after the handshake in the same way.
    static func tolerates(_ finding: Finding, in tunnel: Tunnel, _ context: SessionContext) -> Bool {
        let isEnforced = isEnforced(in: tunnel, context)
        if isEnforced { tunnel.fail(RecordedDiagnosis(finding)) } else { tunnel.add(RecordedDiagnosis(finding)) }
        return !isEnforced
    }

    /// Notes that the origin rejected the client's hello.
    func noteRefusal(alert: UInt8) {
        let diagnosis = RecordedDiagnosis(.refusedHello(alert: alert))
        if tunnel.passthrough == .witnessed { tunnel.add(diagnosis) } else { tunnel.fail(diagnosis) }
    }

    /// Notes that the handshake ended before it showed anything.
    func ended(by diagnosis: RecordedDiagnosis) { tunnel.fail(diagnosis) }

    /// Notes the parts of the handshake that were hidden.
    func noteUnseen(_ hidden: Finding.UnseenReason?) {
        let isEncrypted = hello.hello.isEncrypted
        guard hidden != nil || isEncrypted else { return }
        tunnel.add(RecordedDiagnosis(.unseen(hidden, in: tunnel.target.host, isHelloEncrypted: isEncrypted)))
    }
}
