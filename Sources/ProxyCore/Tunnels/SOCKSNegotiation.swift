import Bytes
import HTTPWire

/// A client of a SOCKS listener until it has named its target; then it continues like a CONNECT.
final class SOCKSNegotiation: SessionMachine {
    let context: SessionContext
    private var greeting = SOCKSGreeting()

    init(_ context: SessionContext) {
        self.context = context
    }

    var tunnel: Tunnel? { nil }
    var isBetweenLoads: Bool { context.client.inbox.isEmpty }
    var onlyWaits: Bool { true }

    func begin() -> Transition { .stay }

    func clientSent(_ bytes: UnsafeRawBufferPointer) -> Transition {
        context.client.receive(bytes)
        if context.timer.armed != .head { context.arm(.head) }
        return read()
    }

    func clientEnded() -> Transition { .close(.client(.left)) }

    func drain() -> Transition { .close(.settled) }
    func end(_ reason: EndReason) {}

    func deadlinePassed(_ deadline: Deadline) -> Transition {
        switch deadline {
        case .head, .idle, .rest, .handshake, .answer, .halfClosed, .linger:
            .close(.client(.stalled(context.loop.policy.rules.limits.head)))
        }
    }

    private func read() -> Transition {
        let client = context.client
        while true {
            let step = greeting.next(in: client.inbox.bytes)
            client.inbox.consume(step.consumed)
            switch step.event {
            case .methodAccepted: client.send(SOCKSReply.noAuthentication)
            case .methodRefused: return refuse(SOCKSReply.noMethod)
            case .refused(let reply): return refuse(reply.bytes)
            case .stranger: return refuseOtherProtocol()
            case .connect(let host, let port):
                return TunnelOpening.open(
                    RequestHead(method: .connect, target: .authority(host: host, port: port)), context)
            case nil: return .stay
            }
        }
    }

    private func refuse(_ bytes: [UInt8]) -> Transition {
        context.client.send(bytes)
        return .linger
    }

    /// Answers a client that sends HTTP to the SOCKS listener.
    private func refuseOtherProtocol() -> Transition {
        let client = context.client
        guard let first = client.inbox.bytes.first, UInt8(ascii: "A")...UInt8(ascii: "Z") ~= first else {
            return .close(.settled)
        }
        client.write(
            GatePage(
                status: 400, title: "This is a SOCKS5 proxy",
                sentences: ["This atsgate listener is for SOCKS5. For HTTP, use another listener."],
                wantsJSON: false),
            answering: nil, ends: true)
        return .linger
    }
}
