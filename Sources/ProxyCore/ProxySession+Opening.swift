import ATSPolicy
import Bytes
import HTTPWire
import Records
import TLSEngine
import Text

/// CONNECT: dial, answer 200, and find out what the client wants to say.
extension ProxySession {
    func openTunnel(_ head: RequestHead) {
        guard case .authority(let host, let port) = head.target else {
            answer(400, to: head, title: "Malformed CONNECT", sentences: ["CONNECT needs HOST:PORT."])
            return linger()
        }
        let target = LoadTarget(scheme: .https, host: host, port: port)
        let ruled = ruled(on: target)
        if ruled.isOwn { return answerLoop(head, target: target) }
        guard case .permit(let permit) = ruled.ruling else {
            answer(403, to: head, title: "Not permitted", sentences: ["The policy denies this connection."])
            return linger()
        }
        if let link { giveBack(link) }
        scope = TunnelScope(
            connectHead: head, target: target, permit: permit, policy: ruled.policy, opened: now)
        // The reader saw a CONNECT head: what follows it is no HTTP body.
        client.reader = MessageReader.requests(limits: WireLimits())
        stage = .opening(.dialing)
        disarm()
        effect(.connect(permit, .main, mayReuse: !loop.policy.passthrough.contains(target.host)))
    }

    func mainConnected(_ link: OriginLink) {
        if let old = self.link { giveBack(old) }
        self.link = link
        if let scope, !link.hasRested { scope.connectTicks = link.connectTicks }
        scope?.via = link.route.parent
        switch stage {
        case .exchange(let exchange):
            exchange.hasNewLink = !link.hasRested
            if scope != nil, exchange.target.scheme == .https { return secure(link, for: exchange) }
            send(exchange, on: link)
        case .streams(let board):
            self.link = nil
            streamLinkConnected(link, board)
        case .opening(.dialing): establishTunnel(link)
        case .opening(.redialing(let content)):
            if content == .tls { startOriginHandshake() } else { relayOutside() }
        default: giveBack(link)
        }
    }

    /// What came out of the pool may have been judged under a law that has been replaced.
    private func secure(_ link: OriginLink, for exchange: Exchange) {
        if link.isSecured(under: system), suitsClient(link) { return send(exchange, on: link) }
        guard link.tls != nil, let permit = exchange.permit else { return rehandshake(exchange, on: link) }
        giveBack(link)
        effect(.connect(permit, .main, mayReuse: false))
    }

    private func establishTunnel(_ link: OriginLink) {
        scope?.card = link.card
        confirmTunnel()
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
        case .streams(let board): streamDialFailed(failure, board)
        case .opening(.redialing):
            guard let scope else { return close() }
            let verdict = RuleBook.standard.judge(failure, target: scope.target)
            scope.diagnosis = diagnosis(verdict, target: scope.target, path: "/")
            scope.failure = .network(failure)
            scope.verdict = .failed
            if client.tls == nil { close() } else { refuseTunnel(.network(failure)) }
        default: return
        }
    }

    func clientSentWhileOpening(_ bytes: UnsafeRawBufferPointer) {
        client.receive(bytes)
        guard case .opening(let phase) = stage else { return }
        switch phase {
        case .awaitingFirstBytes: sortFirstBytes()
        case .readingHello(let refusal): helloMoved(refusal: refusal)
        case .clientHandshake: clientHandshakeMoved()
        case .dialing, .redialing, .originHandshake, .judgingPassthrough, .diagnosing:
            if client.tls?.state == .closed || client.hasFailedTLS { return clientLost() }
            if client.inbox.count > loop.policy.limits.highWaterBytes { pauseClient() }
        }
    }

    /// Decides by the client's first bytes how this tunnel goes on.
    private func sortFirstBytes() {
        guard let scope else { return close() }
        switch TunnelContent(client.inbox.bytes) {
        case .unknown: return
        case .tls:
            if loop.policy.passthrough.contains(scope.target.host) { judgePassthrough() } else { intercept() }
        case .http, .http2: readCleartext()
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
            scope.permit = system.judge.setAside(denial)
        }
        scope.policy = ruled.policy
        if let link, link.isSecured {
            dropLink()
        }
        if TunnelContent(client.inbox.bytes) == .http2 {
            // What is at hand is of use when loads may go there and it has carried no HTTP/1.1.
            if let link, link.hasRested || !mayCarry(ruled) { giveBack(link) }
            return startStreams()
        }
        stage = .waiting
        armed = nil
        wantsRequest = true
    }

    private func mayCarry(_ ruled: Ruled) -> Bool {
        if case .permit = ruled.ruling { true } else { loop.policy.mode == .audit }
    }

    /// The client speaks something of its own, or nothing: raw sockets are not governed by ATS (documented;
    /// docs/law/loaders.md#coverage).
    func relayOutside() {
        guard let scope else { return close() }
        if let link, link.tls == nil {
            scope.verdict = .outside
            return startRelay(.tunnel(scope), on: link)
        }
        // A link that is up for TLS is no use, and one that has gone may just have been idle for too long.
        if link != nil || !client.inbox.isEmpty { return redial(for: .other) }
        scope.verdict = .failed
        scope.diagnosis = DiagnosisCard(.originCut(after: 0, reset: false))
        close()
    }

    /// Dials the tunnel's own address anew, for what its client turned out to say.
    func redial(for content: TunnelContent) {
        guard let scope else { return close() }
        if let link { giveBack(link) }
        stage = .opening(.redialing(for: content))
        disarm()
        effect(.connect(scope.dialed, .main, mayReuse: false))
    }

    /// Takes the client's hello and holds it until the origin has shown itself.
    private func intercept() {
        takeHello()
        helloMoved(refusal: nil)
    }

    /// Makes the client's machine and gives it what the client has said so far.
    func takeHello() {
        resumeClient()
        guard let tls = try? TLSMachine.client(loop.clientContext, outbox: client.outbox) else { return }
        let hello = ByteCopy(client.inbox)
        client.tls = tls
        hello.withBytes { tls.receive($0, plaintext: client.inbox) }
    }

    /// More of the hello has come: once it is whole, go on to the origin, or to the refusal that is certain already.
    func helloMoved(refusal: LoadFailure?) {
        switch client.tls?.state {
        case .helloHeld:
            if let refusal { refuseHello(refusal) } else { startOriginHandshake() }
        case .handshaking:
            stage = .opening(.readingHello(refusal: refusal))
            if armed != .handshake { arm(.handshake) }
        default: helloWasUnreadable()
        }
    }

    /// The client began TLS and will not, or can not, say a whole hello.
    func helloWasUnreadable() {
        guard let scope else { return close() }
        if scope.diagnosis == nil {
            scope.verdict = .failed
            scope.diagnosis = DiagnosisCard(.unreadableHello)
        }
        recordTunnel(refusal: scope.failure == nil ? nil : .close)
        close()
    }

    /// More of the client's handshake has come in.
    func clientHandshakeMoved() {
        switch client.tls?.state {
        case .closed, .established:
            // A close_notify may come with the last words of the handshake, and requests before it.
            if client.tls?.state == .closed { client.hasEnded = true }
            if client.tls?.negotiatedALPN == Self.http2 { return startStreams() }
            stage = .waiting
            armed = nil
            wantsRequest = true
        case .handshaking: return
        default: clientRejectedLeaf()
        }
    }
}
