import ATSPolicy
import Records
import TLSEngine

/// Shakes hands with a tunnel's origin and judges it, while the client's hello is held by the client's TLS.
final class OriginMeeting: AcquiringMachine {
    let context: SessionContext
    private let opened: Tunnel
    /// The link to begin with; nil to dial one.
    private var link: OriginLink?
    private(set) var acquisition: LinkAcquisition

    init(_ context: SessionContext, in tunnel: Tunnel, over link: OriginLink?) {
        self.context = context
        opened = tunnel
        self.link = link
        acquisition = Self.acquisition(context, tunnel)
    }

    private static func acquisition(_ context: SessionContext, _ tunnel: Tunnel) -> LinkAcquisition {
        LinkAcquisition(context, in: tunnel, under: tunnel.ruled, dialing: tunnel.dialed)
    }

    var tunnel: Tunnel? { opened }
    private var client: ClientStream { context.client }

    func begin() -> Transition {
        if let link {
            self.link = nil
            return settle(acquisition.reuse(link))
        }
        acquisition.order(mayReuse: false)
        return .stay
    }

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        client.receive(bytes)
        switch client.tls?.state {
        case .closed, .failed: return clientLost()
        case .handshaking, .helloHeld, .established, nil: break
        }
        context.boundInbox()
        return .stay
    }

    func clientEnded() -> Transition {
        client.hasEnded = true
        return clientLost()
    }

    func settle(_ outcome: LinkAcquisition.Outcome) -> Transition {
        switch outcome {
        case .going: return .stay
        case .ready(let link):
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
            acquisition = Self.acquisition(context, opened)
            return begin()
        }
    }

    func end(_ reason: EndReason) {
        acquisition.cancel()
        LoadRecorder(context: context, tunnel: opened).fileTunnel(ended: reason)
    }
}
