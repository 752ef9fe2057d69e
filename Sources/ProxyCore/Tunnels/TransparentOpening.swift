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
