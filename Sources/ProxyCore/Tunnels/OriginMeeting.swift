import ATSPolicy
import Bytes
import OriginHandshake
import Records
import TLSEngine

/// Judges a tunnel's origin by a handshake of our own, while the client's hello waits. A host that is passed through may be
/// judged by a remembered verdict instead.
final class OriginMeeting: SessionMachine {
    let context: SessionContext
    private let opened: Tunnel
    /// The client's hello. If it is passed through, its bytes are in the inbox; otherwise the client's TLS holds it.
    private let hello: HeldClient
    /// The link for the client's bytes; nil to dial one.
    private var link: OriginLink?
    private var acquisition: LinkAcquisition

    init(_ context: SessionContext, in tunnel: Tunnel, hello: HeldClient, over link: OriginLink?) {
        self.context = context
        opened = tunnel
        self.hello = hello
        self.link = link
        acquisition = Self.acquisition(context, tunnel)
    }

    private static func acquisition(_ context: SessionContext, _ tunnel: Tunnel) -> LinkAcquisition {
        LinkAcquisition(
            context, in: tunnel, under: tunnel.ruled, dialing: tunnel.dialed,
            for: tunnel.passthrough == nil ? .loads : .verdict)
    }

    var tunnel: Tunnel? { opened }
    private var client: ClientStream { context.client }
    private var isDecrypted: Bool { opened.passthrough == nil }

    func begin() -> Transition {
        if !isDecrypted {
            if let known = context.loop.recall(judgedOrigin, for: opened.ruled, at: context.now.unixSeconds) {
                return decide(by: known)
            }
            context.arm(.handshake)
        }
        // In witness mode the client gets a new connection, as without a gate; some origins serve only one at a time.
        if let link, isDecrypted || opened.isWitnessed {
            self.link = nil
            return settle(acquisition.reuse(link))
        }
        acquisition.order(mayReuse: false)
        return .stay
    }

    // MARK: Events

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        client.receive(bytes)
        switch client.tls?.state {
        case .closed, .failed: return clientLost()
        case .handshaking, .helloHeld, .established, nil: break
        }
        context.boundInbox()
        return .stay
    }

    func connected(_ link: OriginLink) -> Transition { settle(acquisition.connected(link)) }

    func dialFailed(_ failure: NetworkFailure) -> Transition { settle(acquisition.dialFailed(failure)) }

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

    func deadlinePassed(_ deadline: Deadline) -> Transition { settle(acquisition.timedOut()) }

    // MARK: The verdict

    private func settle(_ outcome: LinkAcquisition.Outcome) -> Transition {
        switch outcome {
        case .going: return .stay
        case .faulted(let fault): return .close(.gate(.fault(fault)))
        case .outdated:
            context.renew(opened)
            acquisition = Self.acquisition(context, opened)
            return begin()
        case .unreachable(let failure):
            guard !isDecrypted else { return refuse(.network(failure), context.refuse(opened, for: failure)) }
            let recorded = opened.met?.recorded ?? RecordedOrigin(address: nil, facts: nil)
            return decide(
                by: MetOrigin(
                    recorded, RuleBook.standard.judge(failure, target: opened.target), failure: .network(failure)))
        case .ready(let judged):
            // Only the loads of a decrypted client may use the link of our own handshake.
            if isDecrypted { link = judged } else { context.drop(judged) }
            remember(judged.met)
            return decide(by: judged.met)
        case .refused(let met, _):
            remember(met)
            return decide(by: met)
        }
    }

    private func decide(by met: MetOrigin) -> Transition {
        if let failure = met.failure, isBinding { return refuse(failure, context.refuse(opened, with: met, failure)) }
        context.judged(met, in: opened)
        let isWitnessed = opened.isWitnessed
        if isWitnessed, met.failure?.verdict == .failed, let diagnosis = opened.diagnosis { opened.fail(diagnosis) }
        guard let link else {
            return isWitnessed
                ? .become(TunnelOpening(context, redialing: opened, for: hello))
                : .close(.origin(.left(reset: false)))
        }
        if isDecrypted { return .become(ClientAdmission(context, in: opened, over: link)) }
        return isWitnessed ? witness(over: link) : passHello(over: link)
    }

    /// True if the client is refused when its origin fails. A client that sees the origin's own certificate decides itself
    /// if ATS does not govern it.
    private var isBinding: Bool {
        isDecrypted || context.loop.policy.rules.mode == .enforce && !opened.ruled.isOutside
    }

    private func refuse(_ failure: LoadFailure, _ diagnosis: RecordedDiagnosis) -> Transition {
        releaseLink()
        return ClientRefusal.become(context, in: opened, to: hello, for: failure, diagnosis)
    }

    private var own: OwnHandshake { OwnHandshake(context: context, tunnel: opened, hello: hello) }

    private func witness(over link: OriginLink) -> Transition {
        .become(Relay(context, .tunnel(opened), over: link, watchedBy: WitnessWatch(own)))
    }

    /// Sends the judged hello. Later bytes wait, including early data: they may contain another hello.
    private func passHello(over link: OriginLink) -> Transition {
        guard let length = SecondHello.lengthOfFirst(in: client.inbox.bytes) else {
            guard context.tolerates(.changedHello, in: opened) else { return .close(.settled) }
            return .become(Relay(context, .tunnel(opened), over: link))
        }
        link.send(ByteView(client.inbox.bytes).slice(upTo: length))
        client.relayed.sent += Int64(length)
        client.inbox.consume(length)
        if link.outbox.count > context.highWaterBytes { context.holdClient(.originFull) }
        return .become(
            Relay(context, .tunnel(opened), over: link, watchedBy: OwnHandshakeWatch(own)))
    }

    /// Remembers the verdict for clients that are passed through later.
    private func remember(_ met: MetOrigin) {
        guard !isDecrypted, met.facts != nil else { return }
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
