import ATSPolicy
import Bytes
import HTTPWire
import Records
import TLSEngine
import Text

/// The origin's handshake: offered as the emulated device would, judged by what it showed.
extension ProxySession {
    func startOriginHandshake() {
        guard let scope else { return close() }
        adoptServerName(scope)
        // The link may have closed while the client made up its mind, or been judged for another name or law.
        guard let link, link.tls == nil || isJudged(link, for: scope) else { return redial(for: .tls) }
        if link.isSecured {
            scope.card = link.card
            scope.remark = link.remark
            return admitClient()
        }
        stage = .opening(.originHandshake)
        arm(.handshake)
        if !beginTLS(on: link, permit: scope.permit, offer: scope.permit.offer ?? .diagnostic) { close() }
    }

    /// A client that dialed an address but names its host in the hello asks for that host: its URL had the name.
    private func adoptServerName(_ scope: TunnelScope) {
        guard let name = client.tls?.clientHello?.serverName, name.lowercased() != scope.target.host,
            IPAddress(scope.target.host) != nil
        else { return }
        let target = LoadTarget(scheme: .https, host: name, port: scope.target.port)
        let ruled = ruled(on: target)
        guard case .permit(let permit) = ruled.ruling else { return }
        scope.target = target
        scope.permit = permit
        scope.policy = ruled.policy
    }

    private func isJudged(_ link: OriginLink, for scope: TunnelScope) -> Bool {
        link.isSecured(under: system) && link.key == OriginLink.Key(scope.permit) && suitsClient(link)
    }

    /// Writes our hello. The protocols offered are the client's own, as far as both sides can speak them.
    func beginTLS(on link: OriginLink, permit: ConnectPermit, offer: TLSOffer) -> Bool {
        link.offered = protocolsForOrigin
        let name = client.tls?.clientHello?.serverName ?? permit.target.host
        // Under another name or address the origin may have answered as another host: good for this tunnel only.
        if name.lowercased() != permit.target.host || link.key != OriginLink.Key(permit) { link.isPrivate = true }
        do {
            let tls = try TLSMachine.origin(
                loop.originContext(for: offer), serverName: name, alpn: link.offered,
                identity: loop.policy.identities.identity(for: permit.target), outbox: link.outbox,
                memory: mayResume(on: link, permit: permit, offer: offer) ? memory(of: permit.target) : nil)
            link.tls = tls
            link.handshakeBegan = now.ticks
            tls.start()
            return true
        } catch {
            return false
        }
    }

    /// What a device would not offer, or may have been answered by another host, is never resumed.
    private func mayResume(on link: OriginLink, permit: ConnectPermit, offer: TLSOffer) -> Bool {
        scope?.resumes == true && !link.isPrivate && offer == permit.offer
    }

    private func memory(of target: LoadTarget) -> OriginMemory {
        OriginMemory(loop.originSessions, origin: target.origin, now: now.unixSeconds)
    }

    func originSentWhileOpening(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) {
        guard let scope else { return close() }
        guard case .opening(.originHandshake) = stage, let tls = link.tls else {
            return originSpokeEarly(bytes, on: link)
        }
        tls.receive(bytes, plaintext: link.plaintext)
        switch tls.state {
        case .established: originEstablished(scope, link)
        case .failed(let failure): originHandshakeBroke(failure)
        case .closed: originHandshakeBroke(.closed(reset: false))
        case .handshaking, .helloHeld: return
        }
    }

    /// Session tickets are welcome on a link that is up; a server that speaks first has nothing to do with TLS, unless it
    /// speaks HTTP/2, and its words are kept until the client's are known.
    private func originSpokeEarly(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) {
        guard link.tls == nil else {
            if !link.staysFit(after: bytes) { dropLink() }
            return
        }
        link.plaintext.append(bytes)
        if case .opening(.awaitingFirstBytes) = stage, !TunnelContent.mayBeServerPreface(link.plaintext.bytes) {
            return relayOutside()
        }
        guard link.plaintext.count > loop.policy.limits.highWaterBytes, !link.isPaused else { return }
        link.isPaused = true
        effect(.pauseOrigin(link))
    }

    func originEndedWhileOpening(_ link: OriginLink, reset: Bool) {
        guard case .opening(.originHandshake) = stage else { return dropLink() }
        link.tls?.inputEnded(reset: reset)
        if case .failed(let failure)? = link.tls?.state { return originHandshakeBroke(failure) }
        originHandshakeBroke(.closed(reset: reset))
    }

    private func originEstablished(_ scope: TunnelScope, _ link: OriginLink) {
        guard let facts = link.tls?.facts(trust: loop.policy.trust) else { return originHandshakeBroke(.library(0)) }
        link.handshakeTicks = link.handshakeBegan.map { now.ticks - $0 }
        scope.handshakeTicks = link.handshakeTicks
        let card = OriginCard(address: link.address, facts: facts)
        scope.card = card
        let verdict = judge(handshakeCase(facts, scope: scope))
        guard let failure = verdict.failure else {
            scope.remark = remark(on: verdict)
            link.secure(card, under: system, remark: scope.remark)
            link.tls?.allowResumption()
            return admitClient()
        }
        if link.tls?.isResumed == true { return shakeHandsInFull(scope) }
        scope.diagnosis = diagnosis(verdict, target: scope.target, path: "/", facts: facts)
        scope.failure = failure
        if loop.policy.mode == .audit {
            link.secure(card, under: system)
            link.isPrivate = true
            return admitClient()
        }
        refuseTunnel(failure)
    }

    /// A refusal never rests on a session: the origin may have stumbled over it, or have a better certificate by now.
    private func shakeHandsInFull(_ scope: TunnelScope) {
        scope.resumes = false
        dropLink()
        redial(for: .tls)
    }

    /// Why the origin turned the device's offer down shows in what it agrees to when everything is offered.
    func originHandshakeBroke(_ failure: HandshakeFailure) {
        guard let scope else { return close() }
        if failure != .timeout, link?.tls?.offersSession == true { return shakeHandsInFull(scope) }
        dropLink()
        switch failure {
        case .alertReceived, .versionNotOffered, .suiteNotOffered, .closed, .library:
            stage = .opening(.diagnosing(failure))
            arm(.handshake)
            effect(.connect(scope.permit, .probe, mayReuse: false))
        case .notTLS, .timeout: diagnosed(failure, facts: nil)
        }
    }

    /// The verdict on a handshake that broke, with or without knowing what the origin would have agreed to.
    func diagnosed(_ failure: HandshakeFailure, facts: HandshakeFacts?) {
        guard let scope else { return close() }
        let law = loop.policy
        let verdict = RuleBook.standard.judge(
            failure, diagnosis: facts.map { handshakeCase($0, scope: scope) }, target: scope.target,
            basis: scope.permit.basis, demands: scope.permit.demands, offer: scope.permit.offer ?? .diagnostic,
            profile: system.profile)
        let kind = verdict.failure ?? .handshake(failure, rule: verdict.rule)
        scope.card = OriginCard(address: probe?.address ?? scope.card?.address, facts: facts)
        scope.diagnosis = diagnosis(verdict, target: scope.target, path: "/", facts: facts)
        scope.failure = kind
        if law.mode == .audit, let probe, probe.tls?.state == .established, facts != nil, client.tls != nil {
            probe.secure(scope.card ?? probe.card, under: system)
            probe.isPrivate = true
            link = probe
            self.probe = nil
            return admitClient()
        }
        if let probe { effect(.closeOrigin(probe)) }
        probe = nil
        refuseTunnel(kind)
    }

    /// The origin passed, or audit mode lets it: finish the client's handshake with a leaf of ours.
    func admitClient() {
        guard let tls = client.tls, tls.state == .helloHeld, let scope else { return clientLost() }
        do {
            let leaf = try loop.mint.leaf(for: scope.target.host, now: now.unixSeconds)
            tls.finish(leaf: leaf, alpn: protocolForClient)
        } catch {
            return close()
        }
        stage = .opening(.clientHandshake)
        arm(.handshake)
        clientHandshakeMoved()
    }
}
