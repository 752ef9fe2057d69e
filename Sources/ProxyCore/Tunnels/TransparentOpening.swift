import ATSPolicy
import HTTPWire

/// A client whose connection was redirected here, handled as a CONNECT to its original address, but without an answer.
/// It starts immediately, because the origin may be the side that sends first.
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
    /// Continues with the bytes that the client has sent.
    func compared() -> Transition { clientSent(UnsafeRawBufferPointer(start: nil, count: 0)) }
}

extension HTTP1Client {
    /// Holds a redirected client's request until the address of its host's name is known.
    ///
    /// - Returns: true if the request waits.
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
