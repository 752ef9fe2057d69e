import ATSPolicy
import Records
import TLSEngine

/// How the handshake of a link that a load waits for stands.
enum LinkHandshake {
    case going
    /// Up and judged.
    case secured
    /// The origin was fine when the tunnel opened and is not any more.
    case turnedBad(HandshakeVerdict, HandshakeFacts?)
    case broke(HandshakeVerdict)
    /// It resumed a session, or tried to: what is held against an origin does not rest on one, so once more in full.
    case stumbled
}

/// Links that a tunnel needs after its first: shaken hands with and judged anew, while a load waits for them.
extension ProxySession {
    /// A later load of a tunnel needs a new link: the same offer, the same rules, before a byte of it is sent.
    func rehandshake(_ exchange: Exchange, on link: OriginLink) {
        guard let scope else { return close() }
        arm(.handshake)
        if !beginTLS(on: link, permit: scope.permit, offer: shakingOffer(scope)) {
            handshakeEnded(handshakeBroke(.library(0), of: link), for: exchange, on: link)
        }
    }

    /// What audit mode let through may have needed more than a device offers.
    func shakingOffer(_ scope: TunnelScope) -> TLSOffer {
        (scope.diagnosis == nil ? scope.permit.offer : nil) ?? .diagnostic
    }

    /// Bytes of a handshake that an exchange waits for. Returns true while, or when, they were that.
    func movedHandshake(of exchange: Exchange, on link: OriginLink, bytes: UnsafeRawBufferPointer) -> Bool {
        guard !link.isSecured, link.tls != nil, scope != nil else { return false }
        handshakeEnded(moveHandshake(of: link, bytes), for: exchange, on: link)
        return true
    }

    private func handshakeEnded(_ handshake: LinkHandshake, for exchange: Exchange, on link: OriginLink) {
        switch handshake {
        case .going: return
        case .secured:
            if let diagnosis = scope?.diagnosis { exchange.diagnosis = diagnosis }
            send(exchange, on: link)
        case .turnedBad(let verdict, let facts): turnedBad(exchange, verdict, facts: facts)
        case .stumbled:
            scope?.resumes = false
            retry(exchange)
        case .broke(let verdict):
            fail(
                exchange, status: 502, title: "The origin's TLS handshake failed",
                diagnosis: diagnosis(verdict, target: exchange.target, path: exchange.pathText),
                failure: verdict.failure)
        }
    }

    /// Moves a link's handshake on, and judges it when it is done.
    func moveHandshake(of link: OriginLink, _ bytes: UnsafeRawBufferPointer) -> LinkHandshake {
        guard let tls = link.tls else { return handshakeBroke(.library(0), of: link) }
        tls.receive(bytes, plaintext: link.plaintext)
        switch tls.state {
        case .handshaking, .helloHeld: return .going
        case .established: return handshakeDone(on: link, tls.facts(trust: loop.policy.trust))
        case .failed(let failure): return handshakeBroke(failure, of: link)
        case .closed: return handshakeBroke(.closed(reset: false), of: link)
        }
    }

    private func handshakeDone(on link: OriginLink, _ facts: HandshakeFacts?) -> LinkHandshake {
        guard let facts, let scope else { return handshakeBroke(.library(0), of: link) }
        link.handshakeTicks = link.handshakeBegan.map { now.ticks - $0 }
        let verdict = judge(handshakeCase(facts, scope: scope))
        if verdict.failure == nil {
            link.tls?.allowResumption()
        } else {
            if link.tls?.isResumed == true { return .stumbled }
            guard loop.policy.mode == .audit else {
                link.card = OriginCard(address: link.address, facts: facts)
                scope.card = link.card
                return .turnedBad(verdict, facts)
            }
            scope.diagnosis = diagnosis(verdict, target: scope.target, path: "/", facts: facts)
        }
        if scope.diagnosis != nil { link.isPrivate = true }
        link.secure(OriginCard(address: link.address, facts: facts), under: system, remark: remark(on: verdict))
        scope.card = link.card
        return .secured
    }

    func handshakeBroke(_ failure: HandshakeFailure, of link: OriginLink) -> LinkHandshake {
        guard let scope else { return .going }
        if link.tls?.offersSession == true { return .stumbled }
        let verdict = RuleBook.standard.judge(
            failure, diagnosis: nil, target: scope.target, basis: scope.permit.basis, demands: scope.permit.demands,
            offer: scope.permit.offer ?? .diagnostic, profile: system.profile)
        return verdict.failure?.verdict == .blocked ? .turnedBad(verdict, nil) : .broke(verdict)
    }

    /// The link ended in the middle of its handshake.
    func handshakeBroke(on link: OriginLink, reset: Bool) -> LinkHandshake {
        if case .failed(let failure)? = link.tls?.state { return handshakeBroke(failure, of: link) }
        return handshakeBroke(.closed(reset: reset), of: link)
    }

    /// The origin was fine when the tunnel opened and is not any more.
    private func turnedBad(_ exchange: Exchange, _ verdict: HandshakeVerdict, facts: HandshakeFacts?) {
        let diagnosis = self.diagnosis(verdict, target: exchange.target, path: exchange.pathText, facts: facts)
        exchange.status = 403
        answer(refusal: diagnosis, failure: verdict.failure, to: exchange.head, target: exchange.target, ends: true)
        record(exchange, verdict: .blocked, refusal: .page, diagnosis: diagnosis)
        dropLink()
        linger()
    }
}
