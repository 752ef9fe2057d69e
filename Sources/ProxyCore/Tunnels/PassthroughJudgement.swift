import ATSPolicy
import Bytes
import OriginHandshake
import Records
import TLSEngine

/// Judges a passthrough host by a handshake of our own, or by a remembered verdict, while the client's bytes wait.
final class PassthroughJudgement {
    enum Outcome {
        case going
        /// The client's bytes may use this link; nil if its origin has closed it.
        case passed(OriginLink?, Judged)
        case refused(LoadFailure, RecordedDiagnosis, Judged)
        case faulted(GateFault)
    }

    /// The result of the handshake.
    struct Judged {
        let verdict: RememberedVerdict.Verdict
        let origin: RecordedOrigin
        /// Microseconds; nil if no handshake was needed.
        let handshakeTicks: Int64?
    }

    /// The client's hello, kept for a refusal.
    let hello: HeldClient
    private let context: SessionContext
    private let tunnel: Tunnel
    /// The link for the client's bytes.
    private var link: OriginLink?
    private var acquisition: LinkAcquisition

    init(_ context: SessionContext, _ tunnel: Tunnel, hello: HeldClient, keeping link: OriginLink?) {
        self.context = context
        self.tunnel = tunnel
        self.hello = hello
        self.link = link
        acquisition = Self.acquisition(context, tunnel)
    }

    private static func acquisition(_ context: SessionContext, _ tunnel: Tunnel) -> LinkAcquisition {
        LinkAcquisition(context, in: tunnel, under: tunnel.ruled, dialing: tunnel.dialed, for: .verdict)
    }

    func begin() -> Outcome {
        if let known = context.loop.recall(judgedOrigin, for: tunnel.ruled, at: context.now.unixSeconds) {
            return settle(known.verdict, origin: known.origin)
        }
        context.arm(.handshake)
        // In witness mode the client gets a new connection, as without a gate; some origins serve only one at a time.
        if tunnel.passthrough == .witnessed, let link {
            self.link = nil
            return settle(acquisition.reuse(link))
        }
        acquisition.order(mayReuse: false)
        return .going
    }

    func connected(_ link: OriginLink) -> Outcome { settle(acquisition.connected(link)) }

    func dialFailed(_ failure: NetworkFailure) -> Outcome {
        settle(acquisition.dialFailed(failure))
    }

    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) -> Outcome {
        guard link === self.link else { return settle(acquisition.originSent(bytes, on: link)) }
        link.plaintext.append(bytes)
        if link.plaintext.count > context.highWaterBytes { context.hold(link, .undecided) }
        return .going
    }

    func originEnded(_ link: OriginLink, reset: Bool) -> Outcome {
        guard link === self.link else { return settle(acquisition.originEnded(link, reset: reset)) }
        releaseLinks()
        return .going
    }

    func timedOut() -> Outcome { settle(acquisition.timedOut()) }

    func cancel() {
        acquisition.cancel()
        releaseLinks()
    }

    private func settle(_ outcome: LinkAcquisition.Outcome) -> Outcome {
        switch outcome {
        case .going, .ready: return .going
        case .faulted(let fault): return .faulted(fault)
        case .outdated:
            context.renew(tunnel)
            acquisition = Self.acquisition(context, tunnel)
            return begin()
        case .unreachable(let failure):
            let diagnosis = context.diagnosis(failure, of: tunnel.ruled, path: "/")
            return settle(.refused(.network(failure), diagnosis, of: tunnel.target), origin: tunnel.origin.recorded)
        case .judged(let origin):
            let verdict = RememberedVerdict.Verdict.passed(remark: origin.remark)
            remember(verdict, origin.recorded)
            return settle(verdict, origin: origin.recorded, handshakeTicks: origin.handshakeTicks)
        case .refused(let origin):
            let meant = context.ruled(on: origin.target, like: tunnel.ruled)
            let diagnosis = context.diagnosis(origin.verdict, of: meant, path: "/", facts: origin.facts)
            let verdict = RememberedVerdict.Verdict.refused(origin.failure, diagnosis, of: origin.target)
            if origin.facts != nil { remember(verdict, origin.recorded) }
            return settle(verdict, origin: origin.recorded, handshakeTicks: origin.handshakeTicks)
        }
    }

    private func settle(
        _ verdict: RememberedVerdict.Verdict, origin: RecordedOrigin?, handshakeTicks: Int64? = nil
    ) -> Outcome {
        let judged = Judged(
            verdict: verdict, origin: origin ?? RecordedOrigin(address: nil, facts: nil), handshakeTicks: handshakeTicks
        )
        // The client sees the origin's own certificate; if ATS does not govern the client, it decides itself.
        if case .refused(let failure, let diagnosis, _) = verdict, context.loop.policy.rules.mode == .enforce,
            !tunnel.ruled.isOutside
        {
            releaseLinks()
            return .refused(failure, diagnosis, judged)
        }
        defer { link = nil }
        return .passed(link, judged)
    }

    private func remember(_ verdict: RememberedVerdict.Verdict, _ origin: RecordedOrigin) {
        context.loop.remember(
            RememberedVerdict(
                origin: origin, verdict: verdict, unixSeconds: context.now.unixSeconds, ruled: tunnel.ruled),
            for: judgedOrigin)
    }

    private var judgedOrigin: JudgedOrigin {
        JudgedOrigin(
            dialed: OriginLink.Key(tunnel.dialed, at: tunnel.ruled.place), judged: tunnel.ruled.key,
            alsoJudged: tunnel.alsoAsked(beside: tunnel.ruled, context).map {
                OriginLink.Key($0, at: tunnel.ruled.place)
            },
            serverName: hello.hello.serverName)
    }

    private func releaseLinks() {
        if let link { context.drop(link) }
        link = nil
    }
}
