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
        case passed(OriginLink?, MetOrigin)
        case refused(MetOrigin, LoadFailure)
        case faulted(GateFault)
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
            return settle(known)
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
            let recorded = tunnel.met?.recorded ?? RecordedOrigin(address: nil, facts: nil)
            return settle(
                MetOrigin(
                    recorded, RuleBook.standard.judge(failure, target: tunnel.target), failure: .network(failure)))
        case .judged(let met):
            remember(met)
            return settle(met)
        case .refused(let met, _):
            if met.facts != nil { remember(met) }
            return settle(met)
        }
    }

    private func settle(_ met: MetOrigin) -> Outcome {
        // The client sees the origin's own certificate; if ATS does not govern the client, it decides itself.
        if let failure = met.failure, context.loop.policy.rules.mode == .enforce, !tunnel.ruled.isOutside {
            releaseLinks()
            return .refused(met, failure)
        }
        defer { link = nil }
        return .passed(link, met)
    }

    private func remember(_ met: MetOrigin) {
        context.loop.remember(met, for: judgedOrigin, by: tunnel.ruled, at: context.now.unixSeconds)
    }

    private var judgedOrigin: JudgedOrigin {
        JudgedOrigin(
            dialed: OriginLink.Key(tunnel.dialed, at: tunnel.ruled.place), judged: tunnel.ruled.key,
            serverName: hello.hello.serverName)
    }

    private func releaseLinks() {
        if let link { context.drop(link) }
        link = nil
    }
}
