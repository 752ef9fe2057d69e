import ATSPolicy
import Bytes
import OriginHandshake
import Records
import TLSEngine

/// Judges a passthrough host by a handshake of our own, or by a remembered verdict, while the client's bytes wait.
final class PassthroughJudgement: AcquiringMachine {
    let context: SessionContext
    private let opened: Tunnel
    /// The client's hello, kept for a refusal.
    private let hello: HeldClient
    /// The link for the client's bytes.
    private var link: OriginLink?
    private(set) var acquisition: LinkAcquisition

    init(_ context: SessionContext, in tunnel: Tunnel, hello: HeldClient, keeping link: OriginLink?) {
        self.context = context
        opened = tunnel
        self.hello = hello
        self.link = link
        acquisition = Self.acquisition(context, tunnel)
    }

    private static func acquisition(_ context: SessionContext, _ tunnel: Tunnel) -> LinkAcquisition {
        LinkAcquisition(context, in: tunnel, under: tunnel.ruled, dialing: tunnel.dialed, for: .verdict)
    }

    var tunnel: Tunnel? { opened }
    private var client: ClientStream { context.client }

    func begin() -> Transition {
        if let known = context.loop.recall(judgedOrigin, for: opened.ruled, at: context.now.unixSeconds) {
            return decide(by: known)
        }
        context.arm(.handshake)
        // In witness mode the client gets a new connection, as without a gate; some origins serve only one at a time.
        if opened.isWitnessed, let link {
            self.link = nil
            return settle(acquisition.reuse(link))
        }
        acquisition.order(mayReuse: false)
        return .stay
    }

    // MARK: Events

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        client.receive(bytes)
        context.boundInbox()
        return .stay
    }

    func clientEnded() -> Transition {
        client.hasEnded = true
        return clientLost()
    }

    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) -> Transition {
        guard link === self.link else { return settle(acquisition.originSent(bytes, on: link)) }
        link.plaintext.append(bytes)
        if link.plaintext.count > context.highWaterBytes { context.hold(link, .undecided) }
        return .stay
    }

    func originEnded(_ link: OriginLink, reset: Bool) -> Transition {
        guard link === self.link else { return settle(acquisition.originEnded(link, reset: reset)) }
        releaseLink()
        return .stay
    }

    // MARK: The verdict

    func settle(_ outcome: LinkAcquisition.Outcome) -> Transition {
        switch outcome {
        case .going: return .stay
        case .faulted(let fault): return .close(.gate(.fault(fault)))
        case .outdated:
            context.renew(opened)
            acquisition = Self.acquisition(context, opened)
            return begin()
        case .unreachable(let failure):
            let recorded = opened.met?.recorded ?? RecordedOrigin(address: nil, facts: nil)
            return decide(
                by: MetOrigin(
                    recorded, RuleBook.standard.judge(failure, target: opened.target), failure: .network(failure)))
        case .ready(let link):
            // The client's own bytes use another connection.
            context.drop(link)
            remember(link.met)
            return decide(by: link.met)
        case .refused(let met, _):
            if met.facts != nil { remember(met) }
            return decide(by: met)
        }
    }

    private func decide(by met: MetOrigin) -> Transition {
        // The client sees the origin's own certificate; if ATS does not govern the client, it decides itself.
        if let failure = met.failure, context.loop.policy.rules.mode == .enforce, !opened.ruled.isOutside {
            releaseLink()
            let diagnosis = context.refuse(opened, with: met, failure)
            client.inbox.removeAll()
            return client.startTLS(with: hello)
                ?? .become(ClientRefusal(context, in: opened, for: failure, diagnosis))
        }
        context.judged(met, in: opened)
        let isWitnessed = opened.isWitnessed
        if isWitnessed, met.failure?.verdict == .failed, let diagnosis = opened.diagnosis { opened.fail(diagnosis) }
        guard let link else {
            return isWitnessed
                ? .become(TunnelOpening(context, redialing: opened, for: hello))
                : .close(.origin(.left(reset: false)))
        }
        return isWitnessed ? witness(over: link) : passHello(over: link)
    }

    private var own: OwnHandshake { OwnHandshake(context: context, tunnel: opened, hello: hello) }

    private func witness(over link: OriginLink) -> Transition {
        .become(Relay(context, .tunnel(opened), over: link, watchedBy: WitnessWatch(own)))
    }

    /// Sends the judged hello. Later bytes wait, including early data: they may contain another hello.
    private func passHello(over link: OriginLink) -> Transition {
        guard let length = SecondHello.lengthOfFirst(in: client.inbox.bytes) else {
            guard own.tolerates(.changedHello) else { return .close(.settled) }
            return .become(Relay(context, .tunnel(opened), over: link))
        }
        link.send(ByteView(client.inbox.bytes).slice(upTo: length))
        client.relayed.sent += Int64(length)
        client.inbox.consume(length)
        if link.outbox.count > context.highWaterBytes { context.holdClient(.originFull) }
        return .become(
            Relay(context, .tunnel(opened), over: link, watchedBy: OwnHandshakeWatch(own)))
    }

    private func remember(_ met: MetOrigin) {
        context.loop.remember(met, for: judgedOrigin, by: opened.ruled, at: context.now.unixSeconds)
    }

    private var judgedOrigin: JudgedOrigin {
        JudgedOrigin(
            dialed: OriginLink.Key(opened.dialed, at: opened.ruled.place), judged: opened.ruled.key,
            serverName: hello.hello.serverName)
    }

    private func releaseLink() {
        if let link { context.drop(link) }
        link = nil
    }

    func end(_ reason: EndReason) {
        acquisition.cancel()
        releaseLink()
        LoadRecorder(context: context, tunnel: opened).fileTunnel(ended: reason)
    }
}
