import ATSPolicy
import Bytes
import HTTPWire
import OriginHandshake
import Records
import TLSEngine

/// Dials a tunnel's origin and answers the client's request for the tunnel, or dials again for a tunnel whose first link
/// did not suit.
final class TunnelOpening: SessionMachine {
    private enum Purpose {
        /// The client waits for the answer to this request.
        case answer(RequestHead)
        /// The client's bytes are relayed over the link; in witness mode with the hello that is held.
        case relay(HeldClient?)
    }

    let context: SessionContext
    private let opened: Tunnel
    private let purpose: Purpose

    private init(_ context: SessionContext, _ tunnel: Tunnel, for purpose: Purpose) {
        self.context = context
        opened = tunnel
        self.purpose = purpose
    }

    convenience init(_ context: SessionContext, redialing tunnel: Tunnel, for hello: HeldClient?) {
        self.init(context, tunnel, for: .relay(hello))
    }

    var tunnel: Tunnel? { opened }
    private var client: ClientStream { context.client }
    private var recorder: LoadRecorder { LoadRecorder(context: context, tunnel: opened) }

    /// Returns the transition for a client that requests a tunnel.
    static func open(_ head: RequestHead, _ context: SessionContext) -> Transition {
        if context.asksForOwnPages(head) { return .become(OwnTunnel(context)) }
        do throws(TunnelRefusal) {
            return .become(TunnelOpening(context, try Tunnel(askedBy: head, context), for: .answer(head)))
        } catch {
            error.answer(head, context)
            return .linger
        }
    }

    func begin() -> Transition {
        context.disarm()
        guard case .answer = purpose else {
            context.effect(.connect(opened.dialed, mayReuse: false))
            return .stay
        }
        // The reader saw a CONNECT head; the bytes that follow are not an HTTP body.
        client.reader = MessageReader.requests(limits: WireLimits())
        context.effect(.connect(opened.dialed, mayReuse: opened.mayReuse))
        return .stay
    }

    func connected(_ link: OriginLink) -> Transition {
        opened.linkConnected(link)
        switch purpose {
        case .answer: return sort(over: link)
        case .relay(nil): return .become(Relay(context, inTunnelOfOtherTraffic: opened, over: link))
        case .relay(let hello?):
            let own = OwnHandshake(context: context, tunnel: opened, hello: hello)
            return .become(Relay(context, .tunnel(opened), over: link, watchedBy: WitnessWatch(own)))
        }
    }

    func dialFailed(_ failure: NetworkFailure) -> Transition {
        client.witnessed = .unknown(.notReached)
        if case .relay(_?) = purpose { return .close(.settled) }
        let diagnosis = context.diagnosis(failure, of: opened.ruled, path: "/")
        guard case .answer(let head) = purpose else {
            opened.fail(diagnosis)
            return .close(.settled)
        }
        // The first bytes of a redirected client decide, because it is connected already. Cleartext that came with the
        // CONNECT and is denied is refused before any dial on a device.
        if opened.isTransparent || !ruleOnEarlyCleartext() { return sort(over: nil, after: diagnosis) }
        opened.fail(diagnosis)
        context.place.entrance.refuse(to: client, failure, answering: head, diagnosis)
        recorder.fileTunnel(context.place.entrance.refusedEnding, status: failure.gatewayStatus)
        return .linger
    }

    /// - Parameter trouble: the reason why no link exists, if the client's first bytes are read anyway.
    private func sort(over link: OriginLink?, after trouble: RecordedDiagnosis? = nil) -> Transition {
        context.place.entrance.confirm(to: client)
        return .become(FirstWords(context, opened, over: link, after: trouble))
    }

    /// Rules on cleartext that the client sent before its tunnel was open.
    ///
    /// - Returns: true if it may continue.
    @discardableResult
    private func ruleOnEarlyCleartext() -> Bool {
        switch FirstBytes(client.inbox.bytes) {
        case .http, .http2: context.judgeAsCleartext(opened)
        case .undecided, .tls, .other: true
        }
    }

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        client.receive(bytes)
        context.boundInbox()
        return .stay
    }

    func clientEnded() -> Transition {
        client.hasEnded = true
        // A request that came with the CONNECT is still ruled on and answered.
        if case .answer = purpose, case .http = FirstBytes(client.inbox.bytes) { return .stay }
        return clientLost()
    }

    func deadlinePassed(_ deadline: Deadline) -> Transition {
        .close(.client(.stalled(context.loop.policy.rules.limits.duration(of: deadline))))
    }

    func end(_ reason: EndReason) {
        context.effect(.abandonConnect)
        ruleOnEarlyCleartext()
        recorder.fileTunnel(ended: reason)
    }
}
