import ATSPolicy
import Bytes
import HTTPWire
import OriginHandshake
import Records
import TLSEngine
import Text

/// A CONNECT, from dialing to the recognition of the tunnel's content by the client's first bytes.
final class TunnelOpening: SessionMachine {
    private enum State {
        case dialing
        /// The client has its confirmation; its first bytes decide.
        case sorting(FirstWords)
        /// The ClientHello is held during the handshake with the origin.
        case meeting(LinkAcquisition)
        /// The client's own bytes will be relayed; a handshake of the gate judges the origin first.
        case judging(PassthroughJudgement)
        /// Dialing a second connection, because the first did not suit. A hello is set in witness mode.
        case redialing(HeldClient?)
    }

    let context: SessionContext
    let opened: Tunnel
    private let head: RequestHead
    private var state = State.dialing

    private init(_ context: SessionContext, _ tunnel: Tunnel, askedBy head: RequestHead) {
        self.context = context
        opened = tunnel
        self.head = head
    }

    var tunnel: Tunnel? { opened }
    private var client: ClientStream { context.client }
    private var recorder: LoadRecorder { LoadRecorder(context: context, tunnel: opened) }

    /// Returns the transition for a client that requests a tunnel.
    static func open(_ head: RequestHead, _ context: SessionContext) -> Transition {
        if context.asksForOwnPages(head) { return .become(OwnTunnel(context)) }
        do throws(TunnelRefusal) {
            return .become(TunnelOpening(context, try Tunnel(askedBy: head, context), askedBy: head))
        } catch {
            error.answer(head, context)
            return .linger
        }
    }

    func begin() -> Transition {
        // The reader saw a CONNECT head; the bytes that follow are not an HTTP body.
        client.reader = MessageReader.requests(limits: WireLimits())
        context.disarm()
        context.effect(.connect(opened.dialed, mayReuse: opened.mayReuse))
        return .stay
    }

    func connected(_ link: OriginLink) -> Transition {
        switch state {
        case .dialing:
            opened.linkConnected(link)
            return hear(over: link)
        case .redialing(let hello):
            opened.linkConnected(link)
            guard let hello else { return relay(over: link) }
            return .become(WitnessedConversation(context, in: opened, hello: hello, over: link))
        case .meeting(let acquisition): return acquisitionEnded(acquisition.connected(link))
        case .judging(let judgement): return judged(judgement.connected(link), judgement)
        case .sorting:
            context.giveBack(link)
            return .stay
        }
    }

    func dialFailed(_ failure: NetworkFailure) -> Transition {
        switch state {
        case .dialing, .redialing:
            client.witnessed = .unknown(.notReached)
            if case .redialing(_?) = state { return .close(.settled) }
            let diagnosis = context.diagnosis(failure, of: opened.ruled, path: "/")
            if case .dialing = state, FirstWords.decide(opened, context) { return hear(over: nil, after: diagnosis) }
            opened.fail(diagnosis)
            guard case .dialing = state else { return .close(.settled) }
            context.place.entrance.refuse(to: client, failure, answering: head, diagnosis)
            recorder.fileTunnel(context.place.entrance.refusedEnding, status: failure.gatewayStatus)
            return .linger
        case .meeting(let acquisition): return acquisitionEnded(acquisition.dialFailed(failure))
        case .judging(let judgement): return judged(judgement.dialFailed(failure), judgement)
        case .sorting: return .stay
        }
    }

    /// - Parameter trouble: the reason why no link exists, if the client's first bytes are read anyway.
    private func hear(over link: OriginLink?, after trouble: RecordedDiagnosis? = nil) -> Transition {
        context.place.entrance.confirm(to: client)
        let words = FirstWords(context, opened, over: link, after: trouble)
        state = .sorting(words)
        context.arm(link == nil ? .linger : .idle)
        return sorted(words.sort(), words)
    }

    // MARK: The client's first bytes

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        client.receive(bytes)
        switch state {
        case .sorting(let words): return sorted(words.sort(), words)
        case .judging: break
        case .dialing, .meeting, .redialing:
            switch client.tls?.state {
            case .closed, .failed: return clientLost()
            case .handshaking, .helloHeld, .established, nil: break
            }
        }
        context.boundInbox()
        return .stay
    }

    private func sorted(_ sort: FirstWords.Sort, _ words: FirstWords) -> Transition {
        switch sort {
        case .going: return .stay
        case .passedOn(let bytes):
            client.relayed.received += Int64(bytes)
            return .stay
        case .cleartext(let link):
            context.judgeAsCleartext(opened)
            return .become(HTTP1Client(context, in: opened, over: link))
        case .streams(let link):
            context.judgeAsCleartext(opened)
            return Multiplexer.become(context, in: opened, over: link)
        case .other(let kind, let link):
            opened.add(RecordedDiagnosis(.otherTraffic(kind)))
            context.markOutside(opened, after: words.gate)
            return link.map { relay(over: $0) } ?? redial(for: nil)
        case .refused(let diagnosis):
            opened.forbid(diagnosis)
            recorder.fileTunnel(.close)
            return .close(.settled)
        case .denied(let content):
            context.deny(content, in: opened)
            recorder.fileTunnel(.close)
            return .close(.settled)
        case .hello(let held, let link):
            context.note(held.hello, for: opened)
            return judge(link, for: held)
        case .unreadable(let finding):
            if opened.diagnosis == nil { opened.fail(RecordedDiagnosis(finding)) }
            if opened.passthrough == .witnessed, let link = words.takeLink() {
                client.witnessed = .unknown(.notTLS)
                return relay(over: link)
            }
            recorder.fileTunnel()
            return .close(.settled)
        case .ended(let reason): return .close(reason)
        }
    }

    private func relay(over link: OriginLink) -> Transition {
        let gate = RelayGate(isOpen: client.relayed.received > 0)
        return .become(Relay(context, .tunnel(opened), over: link, openedBy: gate))
    }

    private func redial(for hello: HeldClient?) -> Transition {
        state = .redialing(hello)
        context.disarm()
        context.effect(.connect(opened.dialed, mayReuse: false))
        return .stay
    }

    // MARK: The origin's handshake

    /// - Parameter hello: the client's hello, held.
    private func judge(_ link: OriginLink?, for hello: HeldClient) -> Transition {
        context.releaseClient()
        // The hello may come minutes after the CONNECT.
        context.renew(opened)
        guard opened.passthrough != nil else {
            client.inbox.removeAll()
            return client.startTLS(with: hello) ?? meet(link)
        }
        let judgement = PassthroughJudgement(context, opened, hello: hello, keeping: link)
        state = .judging(judgement)
        return judged(judgement.begin(), judgement)
    }

    /// Shakes hands with the origin while the client's hello is held.
    private func meet(_ link: OriginLink?) -> Transition {
        let acquisition = LinkAcquisition(context, in: opened, under: opened.ruled, dialing: opened.dialed)
        state = .meeting(acquisition)
        if let link { return acquisitionEnded(acquisition.reuse(link)) }
        acquisition.order(mayReuse: false)
        return .stay
    }

    private func acquisitionEnded(_ outcome: LinkAcquisition.Outcome) -> Transition {
        switch outcome {
        case .going, .judged: return .stay
        case .ready(let link, _):
            context.judged(link.met, in: opened)
            return .become(ClientAdmission(context, in: opened, over: link))
        case .unreachable(let why):
            return .become(ClientRefusal(context, in: opened, for: .network(why), context.refuse(opened, for: why)))
        case .refused(let met, let failure):
            let diagnosis = context.refuse(opened, with: met, failure)
            return .become(ClientRefusal(context, in: opened, for: failure, diagnosis))
        case .faulted(let fault): return .close(.gate(.fault(fault)))
        case .outdated:
            context.renew(opened)
            return meet(nil)
        }
    }

    private func judged(_ outcome: PassthroughJudgement.Outcome, _ judgement: PassthroughJudgement) -> Transition {
        switch outcome {
        case .going: return .stay
        case .passed(let link, let met):
            context.judged(met, in: opened)
            if opened.passthrough == .witnessed {
                if met.failure?.verdict == .failed, let diagnosis = opened.diagnosis { opened.fail(diagnosis) }
                guard let link else { return redial(for: judgement.hello) }
                return .become(WitnessedConversation(context, in: opened, hello: judgement.hello, over: link))
            }
            guard let link else { return .close(.origin(.left(reset: false))) }
            return .become(PassedHandshake(context, in: opened, hello: judgement.hello, over: link))
        case .refused(let met, let failure):
            let diagnosis = context.refuse(opened, with: met, failure)
            client.inbox.removeAll()
            return client.startTLS(with: judgement.hello)
                ?? .become(ClientRefusal(context, in: opened, for: failure, diagnosis))
        case .faulted(let fault): return .close(.gate(.fault(fault)))
        }
    }

    // MARK: Ends

    func clientEnded() -> Transition {
        client.hasEnded = true
        // A request that came with the CONNECT is still ruled on and answered.
        if case .dialing = state, case .http = FirstBytes(client.inbox.bytes) { return .stay }
        return clientLost()
    }

    func clientDrained() -> Transition {
        if case .sorting(let words) = state { words.clientDrained() }
        return .stay
    }

    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) -> Transition {
        switch state {
        case .sorting(let words): return sorted(words.originSent(bytes, on: link), words)
        case .meeting(let acquisition): return acquisitionEnded(acquisition.originSent(bytes, on: link))
        case .judging(let judgement): return judged(judgement.originSent(bytes, on: link), judgement)
        case .dialing, .redialing: return .stay
        }
    }

    func originEnded(_ link: OriginLink, reset: Bool) -> Transition {
        switch state {
        case .sorting(let words): return sorted(words.originEnded(link, reset: reset), words)
        case .meeting(let acquisition): return acquisitionEnded(acquisition.originEnded(link, reset: reset))
        case .judging(let judgement): return judged(judgement.originEnded(link, reset: reset), judgement)
        case .dialing, .redialing: return .stay
        }
    }

    func deadlinePassed(_ deadline: Deadline) -> Transition {
        switch state {
        case .sorting(let words): return sorted(words.deadlinePassed(deadline), words)
        case .meeting(let acquisition): return acquisitionEnded(acquisition.timedOut())
        case .judging(let judgement): return judged(judgement.timedOut(), judgement)
        case .dialing, .redialing:
            return .close(.client(.stalled(context.loop.policy.rules.limits.duration(of: deadline))))
        }
    }

    var awaitsClient: Bool {
        if case .sorting(let words) = state { words.awaitsClient } else { false }
    }

    /// True if the tunnel has carried nothing yet, or only the beginning of a hello.
    var onlyWaits: Bool {
        if case .sorting(let words) = state { !words.originHasSpoken } else { false }
    }

    func end(_ reason: EndReason) {
        switch state {
        case .dialing, .redialing: FirstWords.abandonDial(of: opened, context)
        case .meeting(let acquisition): acquisition.cancel()
        case .judging(let judgement): judgement.cancel()
        case .sorting(let words):
            if let trouble = words.trouble { opened.fail(trouble) }
            if words.originHasSpoken { context.markOutside(opened, after: words.gate) }
        }
        recorder.fileTunnel(ended: reason)
        if case .sorting(let words) = state { words.releaseLinks() }
    }
}
