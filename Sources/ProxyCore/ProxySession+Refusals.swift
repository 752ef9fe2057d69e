import ATSPolicy
import Bytes
import HTTPWire
import Records
import TLSEngine
import Text

/// How a refused load is shown to the client.
extension ProxySession {
    /// A cleartext load that the law denies: nothing is dialed, a page says why.
    func refuse(_ head: RequestHead, denial: Denial, policy: PolicyCard, diagnosis: DiagnosisCard) {
        let exchange = Exchange(
            head: head, target: denial.target, client: asker, policy: policy, diagnosis: diagnosis, started: now)
        exchange.status = 403
        exchange.parent = parent(of: denial.target, path: exchange.pathText, at: now.ticks)
        exchange.closesClient = !mayKeepClient(after: head)
        answer(
            refusal: diagnosis, failure: .cleartext, to: head, target: denial.target, ends: exchange.closesClient)
        record(exchange, verdict: .blocked, refusal: .page, diagnosis: diagnosis)
        settle(exchange)
    }

    /// A request without a body can be followed by another one after an answer of ours.
    func mayKeepClient(after head: RequestHead) -> Bool {
        head.isPersistent && head.framing == .none && !isDraining
    }

    /// After an answer of ours: on to the next request, or let the client read and leave.
    func settle(_ exchange: Exchange) {
        guard !exchange.closesClient else { return linger() }
        if !exchange.requestIsDone {
            // A request without a body still ends with an event of its own.
            guard let step = try? client.reader.next(in: client.inbox.bytes), case .end? = step.event else {
                return linger()
            }
        }
        awaitNextRequest()
    }

    /// The load can not be finished: say why if nothing was said yet, else cut the answer short.
    func fail(_ exchange: Exchange, status: Int, title: String, diagnosis: DiagnosisCard, failure: LoadFailure? = nil) {
        if exchange.status != nil {
            record(exchange, verdict: .failed, diagnosis: diagnosis)
            return close(isCut: true)
        }
        exchange.status = status
        if !exchange.requestIsDone, exchange.head.framing != .none || isDraining { exchange.closesClient = true }
        answer(
            status, to: exchange.head, title: title, sentences: diagnosis.findings.map(\.observed),
            ends: exchange.closesClient, failure: failure)
        record(exchange, verdict: .failed, diagnosis: diagnosis)
        dropLink()
        settle(exchange)
    }

    /// An https load that fails: make the client's TLS fail the way its app would see it.
    func refuseTunnel(_ failure: LoadFailure) {
        guard let scope else { return close() }
        dropLink()
        scope.verdict = failure.verdict
        resumeClient()
        // A host that is passed through has no machine of ours until it is refused.
        if client.tls == nil { takeHello() }
        helloMoved(refusal: failure)
    }

    /// The hello is all here: answer it with the refusal.
    func refuseHello(_ failure: LoadFailure) {
        guard let scope, let tls = client.tls, tls.state == .helloHeld else { return close() }
        switch refusal(for: failure) {
        case .mirror:
            guard let leaf = mirroredLeaf(failure, scope) else { fallthrough }
            recordTunnel(refusal: .mirror)
            refuse(by: leaf, tls, isFlawed: true)
        case .untrustedLeaf:
            guard let leaf = try? loop.untrustedMint.leaf(for: scope.target.host, now: now.unixSeconds) else {
                recordTunnel(refusal: .close)
                return close()
            }
            recordTunnel(refusal: .untrustedLeaf)
            refuse(by: leaf, tls, isFlawed: false)
        case .alert:
            let alert = failure.alertToMirror ?? RefusalAlert.alert(for: failure, on: system.profile)
            guard alert != RefusalAlert.close else {
                recordTunnel(refusal: .close)
                return close()
            }
            recordTunnel(refusal: .alert)
            tls.refuse(alert: alert)
            linger()
        case .close, .page:
            recordTunnel(refusal: .close)
            close()
        }
    }

    /// Lets the client refuse a leaf that is not to its liking.
    private func refuse(by leaf: Leaf, _ tls: TLSMachine, isFlawed: Bool) {
        let offered = tls.clientHello?.alpn ?? []
        tls.finish(leaf: leaf, alpn: offered.contains("http/1.1") ? "http/1.1" : nil, allowingWeakness: isFlawed)
        stage = .refused
        arm(.handshake)
        clientAfterRefusal()
    }

    /// A leaf with the origin's own defect, where that is one of its certificate.
    private func mirroredLeaf(_ failure: LoadFailure, _ scope: TunnelScope) -> Leaf? {
        guard case .trust(let rule, _) = failure, let origin = scope.card?.facts?.served.first else { return nil }
        return loop.mirrorMint.leaf(for: rule, host: scope.target.host, origin: origin, now: now.unixSeconds)
    }

    /// What breaks by itself is shown as it broke; what ATS or trust refuses, in the style that was asked for.
    private func refusal(for failure: LoadFailure) -> Refusal {
        if failure.verdict == .failed { return failure.alertToMirror == nil ? .close : .alert }
        switch loop.policy.refusal {
        case .untrustedLeaf: return .untrustedLeaf
        case .alert: return .alert
        case .close: return .close
        case .mirror: return .mirror
        }
    }

    /// A client that went on although nobody vouches for our leaf (curl -k) is told in words.
    func clientAfterRefusal() {
        guard let tls = client.tls, let scope else { return close() }
        switch tls.state {
        case .failed: return close()
        case .closed where client.inbox.isEmpty: return close()
        case .handshaking, .helloHeld: return
        case .closed, .established: break
        }
        do throws(WireError) {
            let step = try client.reader.next(in: client.inbox.bytes)
            client.inbox.consume(step.consumed)
            guard case .requestHead(let head)? = step.event else { return }
            if let diagnosis = scope.diagnosis {
                answer(
                    refusal: diagnosis, failure: scope.failure, to: head, target: scope.target, ends: true)
            }
            linger()
        } catch {
            close()
        }
    }

    /// A load that asks for the gate itself is answered here: dialing it would go round in circles.
    func answerLoop(_ head: RequestHead, target: LoadTarget) {
        let finding = Finding.loop(target)
        let exchange = Exchange(
            head: head, target: target, client: asker, policy: ruled(on: target).policy, diagnosis: nil, started: now)
        exchange.closesClient = true
        fail(exchange, status: 508, title: "This is the gate itself", diagnosis: DiagnosisCard(finding))
    }
}

extension LoadFailure {
    /// ATS and trust failures are blocked by the law; the rest just failed.
    var verdict: Verdict { isBlockedByLaw ? .blocked : .failed }

    /// An alert that the origin sent and that no rule explains goes on to the client as it came.
    var alertToMirror: UInt8? {
        if verdict == .failed, case .handshake(.alertReceived(let alert), _) = self { alert } else { nil }
    }
}

extension NetworkFailure {
    /// Source: RFC 9110 sections 15.6.3 and 15.6.5.
    var gatewayStatus: Int { self == .timeout ? 504 : 502 }
}
