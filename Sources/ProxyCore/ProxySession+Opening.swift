import ATSPolicy
import Bytes
import HTTPWire
import Records
import TLSEngine

/// CONNECT: dial, answer 200, and find out what the client wants to say.
extension ProxySession {
    func openTunnel(_ head: RequestHead) {
        guard case .authority(let host, let port) = head.target else {
            answer(400, to: head, title: "Malformed CONNECT", sentences: ["CONNECT needs HOST:PORT."])
            return linger()
        }
        let target = LoadTarget(scheme: .https, host: host, port: port)
        if desk.law.ownAuthorities.contains("\(target.host):\(port)") { return answerLoop(head, target: target) }
        let ruled = ruled(on: target)
        guard case .permit(let permit) = ruled.ruling else {
            answer(403, to: head, title: "Not permitted", sentences: ["The policy denies this connection."])
            return linger()
        }
        scope = TunnelScope(
            connectHead: head, target: target, permit: permit, policy: ruled.policy, opened: now)
        // The reader saw a CONNECT head: what follows it is no HTTP body.
        client.reader = MessageReader.requests(limits: WireLimits())
        stage = .opening(.dialing)
        disarm()
        effect(.connect(permit, .main, mayReuse: !desk.law.passthrough.contains(target.host)))
    }

    func mainConnected(_ link: OriginLink) {
        self.link = link
        if let scope, link.loads == 0 { scope.connectTicks = link.connectTicks }
        switch stage {
        case .exchange(let exchange):
            if scope != nil, !link.isSecured, case .https = exchange.target.scheme {
                return rehandshake(exchange, on: link)
            }
            send(exchange, on: link)
        case .opening(.dialing): establishTunnel(link)
        default: giveBack(link)
        }
    }

    private func establishTunnel(_ link: OriginLink) {
        scope?.card = link.card
        client.compose { $0.append("HTTP/1.1 200 Connection established\r\nVia: 1.1 atsgate\r\n\r\n") }
        stage = .opening(.awaitingFirstBytes)
        arm(.firstBytes)
        sortFirstBytes()
    }

    func mainDialFailed(_ failure: NetworkFailure) {
        switch stage {
        case .exchange(let exchange):
            let verdict = RuleBook.standard.judge(failure, target: exchange.target)
            fail(
                exchange, status: failure.gatewayStatus, title: "The origin can not be reached",
                diagnosis: diagnosis(verdict, target: exchange.target, path: exchange.pathText),
                failure: .network(failure))
        case .opening(.dialing):
            guard let scope else { return close() }
            let verdict = RuleBook.standard.judge(failure, target: scope.target)
            answer(
                failure.gatewayStatus, to: scope.connectHead, title: "The origin can not be reached",
                sentences: verdict.findings.map(\.observed), failure: .network(failure))
            scope.verdict = .failed
            scope.diagnosis = diagnosis(verdict, target: scope.target, path: "/")
            recordTunnel(refusal: nil, status: failure.gatewayStatus)
            linger()
        default: return
        }
    }

    func clientSentWhileOpening(_ bytes: UnsafeRawBufferPointer) {
        client.receive(bytes)
        guard case .opening(let phase) = stage else { return }
        switch phase {
        case .dialing:
            if client.inbox.count > desk.law.limits.highWaterBytes { pauseClient() }
        case .awaitingFirstBytes: sortFirstBytes()
        case .clientHandshake: clientHandshakeMoved()
        case .originHandshake, .judgingPassthrough, .diagnosing:
            if client.tls?.state == .closed || client.hasFailedTLS { clientLost() }
        }
    }

    /// Decides by the client's first bytes how this tunnel goes on.
    private func sortFirstBytes() {
        guard let scope else { return close() }
        switch TunnelContent(client.inbox.bytes) {
        case .unknown: return
        case .tls:
            if desk.law.passthrough.contains(scope.target.host) { judgePassthrough() } else { intercept() }
        case .http: readCleartext()
        case .other: relayOutside()
        }
    }

    /// A request in the clear inside a tunnel: a device would have judged its http:// URL.
    private func readCleartext() {
        guard let scope else { return close() }
        scope.target = LoadTarget(scheme: .http, host: scope.target.host, port: scope.target.port)
        let ruled = ruled(on: scope.target)
        if case .permit(let permit) = ruled.ruling {
            scope.permit = permit
        } else if case .denial(let denial) = ruled.ruling {
            scope.permit = desk.law.judge.setAside(denial)
        }
        scope.policy = ruled.policy
        if let link, link.isSecured {
            dropLink()
        }
        stage = .waiting
        armed = nil
        wantsRequest = true
    }

    /// The client speaks something of its own, or nothing: raw sockets are not governed by ATS (7.1 `[D]`).
    func relayOutside() {
        guard let link, !link.isSecured, let scope else { return close() }
        scope.verdict = .outside
        startRelay(on: link)
    }

    /// Takes the client's hello and holds it until the origin has shown itself.
    private func intercept() {
        do {
            let tls = try TLSMachine.client(desk.clientContext, outbox: client.outbox)
            let hello = ByteCopy(client.inbox)
            client.tls = tls
            hello.withBytes { tls.receive($0, plaintext: client.inbox) }
            heldHelloMoved()
        } catch {
            close()
        }
    }

    private func heldHelloMoved() {
        switch client.tls?.state {
        case .helloHeld: startOriginHandshake()
        case .handshaking: stage = .opening(.clientHandshake)
        default: clientRejectedLeaf()
        }
    }

    /// More of the client's handshake has come in.
    func clientHandshakeMoved() {
        switch client.tls?.state {
        case .helloHeld: startOriginHandshake()
        case .established:
            stage = .waiting
            armed = nil
            wantsRequest = true
        case .handshaking: return
        default: clientRejectedLeaf()
        }
    }
}
