import ATSPolicy
import OriginHandshake
import Records
import TLSEngine

/// What a client's own handshake with its origin showed in passing, held against the law in force. Where it is only
/// watched, nothing that it shows ends it.
struct OwnHandshake {
    enum Judgement {
        /// The client may go on: nothing stands against it, or only the record says so.
        case passed
        case refused(LoadFailure, RecordedDiagnosis)
        /// A certificate of it can not be read.
        case unreadable
    }

    let context: SessionContext
    let tunnel: Tunnel
    /// The client's.
    let hello: HeldClient

    /// The record tells of it, too, where it differs from what the gate's own handshake showed.
    ///
    /// - Parameter chain: in DER, leaf first; nil where none was shown.
    func judge(_ version: TLSVersion, suite: UInt16, chain: [[UInt8]]?) -> Judgement {
        let known = tunnel.origin.recorded?.facts
        // What was not shown is as the gate's own handshake had it; without one there is nothing to judge by.
        guard known != nil || chain != nil else { return .passed }
        let isJudged = context.isInForce(tunnel.ruled)
        context.renew(tunnel)
        var facts = HandshakeFacts(
            version: version, suite: hello.suite(suite), group: nil, alpn: nil, served: known?.served ?? [],
            path: known?.path ?? [], anchor: known?.anchor ?? .broken, scts: known?.scts ?? SCTCounts())
        facts.sctReview = known?.sctReview
        facts.staple = known?.staple
        facts.unkeptCertificates = known?.unkeptCertificates
        let hosts = [tunnel.target.host] + (tunnel.alsoNamed.map { [$0.host] } ?? [])
        if let chain, !context.loop.policy.trust.put(chain, into: &facts, for: hosts) { return .unreadable }
        let isSame =
            known?.version == facts.version && known?.suite == facts.suite
            && known?.hasServed(facts.served) == true
        if isSame, isJudged { return .passed }
        return hold(facts, isSame: isSame)
    }

    private func hold(_ facts: HandshakeFacts, isSame: Bool) -> Judgement {
        let also = tunnel.alsoAsked(beside: tunnel.ruled, context)
        let question = context.question(by: tunnel.ruled, also)
        let verdict = question.verdict(on: facts, now: context.now.unixSeconds)
        let origin = RecordedOrigin(address: tunnel.origin.recorded?.address, facts: facts, offer: question.offer)
        let lifted = verdict.law.failure == nil ? tunnel.diagnosis?.findings.first : nil
        if !isSame, tunnel.origin.recorded?.facts != nil || lifted != nil {
            tunnel.add(RecordedDiagnosis(.ownHandshake(facts, judged: tunnel.origin.recorded?.facts, lifting: lifted)))
        }
        guard let failure = verdict.law.failure else {
            tunnel.cleared(by: origin)
            return .passed
        }
        context.blame(verdict.target, in: tunnel)
        let diagnosis = context.diagnosis(verdict.law, of: tunnel.ruled, path: "/", facts: facts)
        tunnel.judged(origin, remark: nil, handshakeTicks: nil, diagnosis: diagnosis)
        guard isEnforced, !tunnel.ruled.isOutside else { return .passed }
        tunnel.refuse(failure, diagnosis)
        return .refused(failure, diagnosis)
    }

    private var isEnforced: Bool { Self.isEnforced(in: tunnel, context) }

    private static func isEnforced(in tunnel: Tunnel, _ context: SessionContext) -> Bool {
        tunnel.passthrough != .witnessed && context.loop.policy.rules.mode == .enforce
    }

    /// What can not be read can not be judged: it ends here, or only the record says so.
    ///
    /// - Returns: whether it goes on.
    func endures(_ finding: Finding) -> Bool { Self.endures(finding, in: tunnel, context) }

    /// The same when the handshake is over.
    static func endures(_ finding: Finding, in tunnel: Tunnel, _ context: SessionContext) -> Bool {
        let isEnforced = isEnforced(in: tunnel, context)
        if isEnforced { tunnel.fail(RecordedDiagnosis(finding)) } else { tunnel.add(RecordedDiagnosis(finding)) }
        return !isEnforced
    }

    /// The origin has turned the client down.
    func noteRefusal(alert: UInt8) {
        let diagnosis = RecordedDiagnosis(.refusedHello(alert: alert))
        if tunnel.passthrough == .witnessed { tunnel.add(diagnosis) } else { tunnel.fail(diagnosis) }
    }

    /// It ended before it had shown anything.
    func ended(by diagnosis: RecordedDiagnosis) { tunnel.fail(diagnosis) }

    /// What of it was hidden goes into the record.
    func noteUnseen(_ hidden: Finding.UnseenReason?) {
        let isEncrypted = hello.hello.isEncrypted
        guard hidden != nil || isEncrypted else { return }
        tunnel.add(RecordedDiagnosis(.unseen(hidden, in: tunnel.target.host, isHelloEncrypted: isEncrypted)))
    }
}
