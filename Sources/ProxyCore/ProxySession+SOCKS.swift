import ATSPolicy
import Bytes
import HTTPWire

/// Tunnels that SOCKS5 asks for: greeted and answered in its own words, and from then on as if by CONNECT.
extension ProxySession {
    /// Goes on with the greeting of a client that came in by a SOCKS listener. Returns false when there is none.
    func readGreeting() -> Bool {
        guard greeting?.isOver == false else { return false }
        while let step = greeting?.next(in: client.inbox.bytes) {
            client.inbox.consume(step.consumed)
            switch step.event {
            case .methodAccepted: client.send(SOCKSReply.noAuthentication)
            case .methodRefused: refuseGreeting(SOCKSReply.noMethod)
            case .refused(let reply): refuseGreeting(reply.bytes)
            case .stranger: refuseStranger()
            case .connect(let host, let port):
                openTunnel(RequestHead(method: .connect, target: .authority(host: host, port: port)))
            case nil: if client.hasEnded { close() }
            }
            guard case .methodAccepted? = step.event else { break }
        }
        return true
    }

    /// Tells the client that its tunnel stands.
    func confirmTunnel() {
        guard greeting != nil else {
            return client.compose { $0.append("HTTP/1.1 200 Connection established\r\nVia: 1.1 atsgate\r\n\r\n") }
        }
        greeting = nil
        client.send(SOCKSReply.succeeded.bytes)
    }

    /// Tells a SOCKS client what would be told to others as an HTTP status. Returns false where that has to be done.
    func answeredBySOCKS(_ status: Int, _ failure: LoadFailure?) -> Bool {
        guard let greeting else { return false }
        self.greeting = nil
        if greeting.isAtRequest { client.send(SOCKSReply(status: status, failure: failure).bytes) }
        return true
    }

    private func refuseGreeting(_ bytes: [UInt8]) {
        greeting = nil
        client.send(bytes)
        linger()
    }

    /// Whoever speaks HTTP here has confused two listeners, and is told so.
    private func refuseStranger() {
        greeting = nil
        guard let first = client.inbox.bytes.first, UInt8(ascii: "A")...UInt8(ascii: "Z") ~= first else {
            return close()
        }
        answer(
            400, to: nil, title: "This is a SOCKS5 proxy",
            sentences: ["This listener of atsgate speaks SOCKS5; use another one for HTTP."])
        linger()
    }
}

extension ClientSide {
    fileprivate func send(_ bytes: [UInt8]) { bytes.withUnsafeBytes { send($0) } }
}
