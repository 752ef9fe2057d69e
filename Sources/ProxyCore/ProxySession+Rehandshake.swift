import ATSPolicy
import Records
import TLSEngine

/// Links that a tunnel needs after its first: shaken hands with and judged anew, while a load waits for them.
extension ProxySession {
    /// A later load of a tunnel needs a new link: the same offer, the same rules, before a byte of it is sent.
    func rehandshake(_ exchange: Exchange, on link: OriginLink) {
        guard let scope else { return close() }
        // What audit mode let through may have needed more than a device offers.
        let offer = scope.diagnosis == nil ? scope.permit.offer : .diagnostic
        arm(.handshake)
        if !beginTLS(on: link, permit: scope.permit, offer: offer ?? .diagnostic) {
            handshakeBroke(exchange, .library(0), scope: scope)
        }
    }

    /// Bytes of a handshake that an exchange waits for. Returns true while, or when, they were that.
    func movedHandshake(of exchange: Exchange, on link: OriginLink, bytes: UnsafeRawBufferPointer) -> Bool {
        guard !link.isSecured, let tls = link.tls, let scope else { return false }
        tls.receive(bytes, plaintext: link.plaintext)
        switch tls.state {
        case .handshaking, .helloHeld: break
        case .established: reestablished(exchange, on: link, facts: tls.facts(trust: desk.law.trust), scope: scope)
        case .failed(let failure): handshakeBroke(exchange, failure, scope: scope)
        case .closed: handshakeBroke(exchange, .closed(reset: false), scope: scope)
        }
        return true
    }

    private func reestablished(
        _ exchange: Exchange, on link: OriginLink, facts: HandshakeFacts?, scope: TunnelScope
    ) {
        guard let facts else { return handshakeBroke(exchange, .library(0), scope: scope) }
        link.handshakeTicks = link.handshakeBegan.map { now.ticks - $0 }
        let verdict = judge(handshakeCase(facts, scope: scope))
        if verdict.failure == nil {
            link.tls?.allowResumption()
        } else {
            if link.tls?.isResumed == true { return shakeHandsInFull(exchange, scope: scope) }
            guard desk.law.mode == .audit else { return turnedBad(exchange, verdict, facts: facts) }
            scope.diagnosis = diagnosis(verdict, target: scope.target, path: "/", facts: facts)
            exchange.diagnosis = scope.diagnosis
        }
        if scope.diagnosis != nil { link.isPrivate = true }
        link.secure(OriginCard(address: link.address, facts: facts), under: system, remark: remark(on: verdict))
        scope.card = link.card
        send(exchange, on: link)
    }

    /// As when the tunnel opens: what is held against an origin does not rest on a session.
    private func shakeHandsInFull(_ exchange: Exchange, scope: TunnelScope) {
        scope.resumes = false
        retry(exchange)
    }

    private func handshakeBroke(_ exchange: Exchange, _ failure: HandshakeFailure, scope: TunnelScope) {
        if link?.tls?.offersSession == true { return shakeHandsInFull(exchange, scope: scope) }
        let verdict = RuleBook.standard.judge(
            failure, diagnosis: nil, target: scope.target, basis: scope.permit.basis, demands: scope.permit.demands,
            offer: scope.permit.offer ?? .diagnostic, profile: system.profile)
        if verdict.failure?.verdict == .blocked { return turnedBad(exchange, verdict, facts: nil) }
        fail(
            exchange, status: 502, title: "The origin's TLS handshake failed",
            diagnosis: diagnosis(verdict, target: exchange.target, path: exchange.pathText), failure: verdict.failure)
    }

    /// The origin was fine when the tunnel opened and is not any more.
    private func turnedBad(_ exchange: Exchange, _ verdict: HandshakeVerdict, facts: HandshakeFacts?) {
        let diagnosis = self.diagnosis(verdict, target: exchange.target, path: exchange.pathText, facts: facts)
        scope?.card = OriginCard(address: link?.address, facts: facts)
        if let card = scope?.card { link?.card = card }
        exchange.status = 403
        answer(refusal: diagnosis, failure: verdict.failure, to: exchange.head, target: exchange.target, ends: true)
        record(exchange, verdict: .blocked, refusal: .page, diagnosis: diagnosis)
        dropLink()
        linger()
    }
}
