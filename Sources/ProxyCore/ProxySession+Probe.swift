import ATSPolicy
import Records
import TLSEngine

/// Handshakes of the gate's own: to judge a host that is passed through, and to learn why an origin said no.
extension ProxySession {
    /// The tunnel will carry the client's own TLS; the origin is judged by a handshake of ours, once in a while.
    func judgePassthrough() {
        guard let scope else { return close() }
        let key = OriginLink.Key(scope.permit)
        if let known = loop.recall(key, under: system, at: now.unixSeconds) {
            scope.card = known.card
            scope.diagnosis = known.diagnosis
            scope.failure = known.failure
            scope.remark = known.remark
            return settlePassthrough()
        }
        stage = .opening(.judgingPassthrough)
        arm(.handshake)
        effect(.connect(scope.permit, .probe, mayReuse: false))
    }

    func probeConnected(_ link: OriginLink) {
        guard let scope, case .opening(let phase) = stage else { return effect(.closeOrigin(link)) }
        let offer: TLSOffer
        switch phase {
        case .judgingPassthrough: offer = scope.permit.offer ?? .diagnostic
        case .diagnosing: offer = .diagnostic
        default: return effect(.closeOrigin(link))
        }
        probe = link
        let name = client.tls?.clientHello?.serverName ?? scope.target.host
        do {
            let tls = try TLSMachine.origin(
                loop.originContext(for: offer), serverName: name, alpn: ["http/1.1"],
                identity: loop.policy.identities.identity(for: scope.target), outbox: link.outbox)
            link.tls = tls
            tls.start()
        } catch {
            probeFailed(.library(0))
        }
    }

    func probeSent(_ bytes: UnsafeRawBufferPointer) {
        guard let probe, let tls = probe.tls else { return }
        tls.receive(bytes, plaintext: probe.plaintext)
        switch tls.state {
        case .established: probeEstablished(probe, tls)
        case .failed(let failure): probeFailed(failure)
        case .closed: probeFailed(.closed(reset: false))
        case .handshaking, .helloHeld: return
        }
    }

    private func probeEstablished(_ probe: OriginLink, _ tls: TLSMachine) {
        guard let scope, case .opening(let phase) = stage else { return }
        let facts = tls.facts(trust: loop.policy.trust)
        if case .diagnosing(let failure) = phase { return diagnosed(failure, facts: facts) }
        guard case .judgingPassthrough = phase, let facts else { return probeFailed(.library(0)) }
        let verdict = judge(handshakeCase(facts, scope: scope))
        scope.card = OriginCard(address: probe.address, facts: facts)
        scope.failure = verdict.failure
        scope.remark = remark(on: verdict)
        if verdict.failure != nil {
            scope.diagnosis = diagnosis(verdict, target: scope.target, path: "/", facts: facts)
        }
        endProbe()
        rememberVerdict(of: scope)
        settlePassthrough()
    }

    /// The probe's own handshake, or its connection, came to nothing.
    func probeFailed(_ failure: HandshakeFailure) {
        guard case .opening(let phase) = stage, let scope else { return endProbe() }
        endProbe()
        switch phase {
        case .diagnosing(let first): diagnosed(first, facts: nil)
        case .judgingPassthrough:
            let verdict = RuleBook.standard.judge(
                failure, diagnosis: nil, target: scope.target, basis: scope.permit.basis,
                demands: scope.permit.demands, offer: scope.permit.offer ?? .diagnostic, profile: system.profile)
            scope.failure = verdict.failure ?? .handshake(failure, rule: verdict.rule)
            scope.diagnosis = diagnosis(verdict, target: scope.target, path: "/")
            settlePassthrough()
        default: return
        }
    }

    private func endProbe() {
        if let probe { effect(.closeOrigin(probe)) }
        probe = nil
    }

    private func rememberVerdict(of scope: TunnelScope) {
        guard let card = scope.card else { return }
        let verdict = RememberedVerdict(
            card: card, diagnosis: scope.diagnosis, failure: scope.failure, remark: scope.remark,
            unixSeconds: now.unixSeconds, system: system)
        loop.remember(verdict, for: OriginLink.Key(scope.permit))
    }

    private func settlePassthrough() {
        guard let scope else { return close() }
        if let failure = scope.failure, loop.policy.mode == .enforce { return refuseTunnel(failure) }
        guard let link else {
            scope.verdict = .failed
            scope.diagnosis = scope.diagnosis ?? DiagnosisCard(.originCut(after: 0, reset: false))
            return close()
        }
        scope.verdict = scope.failure == nil ? .allowed : .wouldBlock
        startRelay(.tunnel(scope), on: link)
    }
}
