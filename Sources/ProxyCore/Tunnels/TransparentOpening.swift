import ATSPolicy
import HTTPWire

/// A client whose connection was redirected here: as if by a CONNECT to the address that it wanted, which nobody answers
/// in words. It begins at once, because the origin may be the one that speaks first.
final class TransparentOpening: SessionMachine {
    let context: SessionContext
    private let original: OriginalDestination

    init(_ context: SessionContext, to original: OriginalDestination) {
        self.context = context
        self.original = original
    }

    var tunnel: Tunnel? { nil }

    func begin() -> Transition {
        let head = RequestHead(method: .connect, target: .authority(host: original.host, port: original.port))
        return TunnelOpening.open(head, by: .transparent, context)
    }

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition { .close(.settled) }
    func clientEnded() -> Transition { .close(.client(.left)) }
    func deadlinePassed(_ deadline: Deadline) -> Transition { .close(.settled) }
    func end(_ reason: EndReason) {}
}

extension TunnelOpening {
    /// Goes on with what the client has said.
    func compared() -> Transition { clientSent(UnsafeRawBufferPointer(start: nil, count: 0)) }
}

extension HTTP1Client {
    /// Has a redirected client's request wait until it is known where the name that it asks for leads.
    ///
    /// - Returns: whether it waits.
    func hold(_ head: RequestHead) -> Bool {
        guard let tunnel, tunnel.isTransparent, tunnel.target.scheme == .http, let name = head.namedHost,
            context.awaitsAddress(of: name)
        else { return false }
        held = head
        return true
    }

    func compared() -> Transition {
        guard let head = held else { return .stay }
        held = nil
        let transition = begin(head)
        guard case .stay = transition, isWaiting else { return transition }
        return readRequests()
    }
}
