import TLSEngine

/// All output was sent. Waits for the client to read it before closing, so that a TCP reset does not discard it.
final class LingeringClose: SessionMachine {
    let tunnel: Tunnel?
    let context: SessionContext

    init(_ context: SessionContext, in tunnel: Tunnel?) {
        self.context = context
        self.tunnel = tunnel
    }

    func begin() -> Transition {
        context.client.tls?.sendClose()
        context.arm(.linger)
        // Reads and discards further data, to see its end.
        context.releaseClient()
        context.effect(.finishClientWriting)
        return context.client.hasEnded ? .close(.settled) : .stay
    }

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition { .stay }
    func clientEnded() -> Transition { .close(.settled) }
    func clientLost() -> Transition { .close(.settled) }
    func deadlinePassed(_ deadline: Deadline) -> Transition { .close(.settled) }

    var onlyWaits: Bool { true }

    func end(_ reason: EndReason) { LoadRecorder(context: context, tunnel: tunnel).fileTunnel() }
}
