import ATSPolicy
import Bytes
import HTTPWire
import Records
import TLSEngine

/// The client's side of HTTP loads: heads in, rulings, bodies onward.
extension ProxySession {
    func clientSent(_ bytes: UnsafeRawBufferPointer) {
        switch stage {
        case .closed, .lingering: return
        case .relay(let relayed): relayFromClient(bytes, of: relayed)
        case .streams(let board):
            client.receive(bytes)
            clientSentFrames(board)
        case .opening: clientSentWhileOpening(bytes)
        case .refused:
            client.receive(bytes)
            clientAfterRefusal()
        case .waiting, .exchange:
            client.receive(bytes)
            if clientTLSHasFailed() { return }
            if case .exchange(let exchange) = stage {
                pumpRequest(exchange)
            } else {
                wantsRequest = true
            }
        }
    }

    /// Notices a broken machine after bytes went through the client's TLS; what came before a close_notify counts.
    private func clientTLSHasFailed() -> Bool {
        switch client.tls?.state {
        case .closed:
            client.hasEnded = true
            return false
        case .failed:
            clientRejectedLeaf()
            return true
        default: return false
        }
    }

    /// Reads the next request head out of the inbox, if it is all there; the one after it only when the client reads.
    func readRequests() {
        guard isWaiting, !readGreeting() else { return }
        do throws(WireError) {
            repeat {
                let step = try client.reader.next(in: client.inbox.bytes)
                client.inbox.consume(step.consumed)
                guard case .requestHead(let head)? = step.event else {
                    if step.event != nil { continue }
                    return awaitMore()
                }
                begin(head)
            } while isWaiting && !clientIsSlow
        } catch {
            refuseMalformed(error)
        }
    }

    private var isWaiting: Bool {
        if case .waiting = stage { true } else { false }
    }

    private var clientIsSlow: Bool { client.outbox.count > loop.policy.limits.highWaterBytes }

    /// A load is over and the connection goes on. A client that does not read its answers gets no more of them.
    func awaitNextRequest() {
        stage = .waiting
        armed = nil
        guard clientIsSlow else {
            wantsRequest = true
            return
        }
        pauseClient()
        arm(.idle)
    }

    /// Nothing whole is in the inbox: wait, strictly for the rest of a head, patiently between loads.
    private func awaitMore() {
        if client.hasEnded { return close() }
        if client.inbox.isEmpty {
            client.inbox.releaseIfEmpty()
            if armed != .idle, scope != nil || armed != .head {
                // A gate that drains waits for what a tunnel was opened for, but not for long.
                arm(isDraining ? .head : .idle)
            }
        } else if armed != .head {
            arm(.head)
        }
        resumeClient()
    }

    private func begin(_ head: RequestHead) {
        meet(head)
        if head.method == .connect, scope == nil { return openTunnel(head) }
        guard let target = loadTarget(of: head) else { return linger() }
        let ruled = ruled(on: target)
        if ruled.isOwn { return answerLoop(head, target: target) }
        switch ruled.ruling {
        case .permit(let permit):
            start(head, permit: permit, policy: ruled.policy, diagnosis: scope?.diagnosis)
        case .denial(let denial):
            let diagnosis = diagnosis(of: denial, head: head)
            if loop.policy.mode == .audit {
                let permit = system.judge.setAside(denial)
                start(head, permit: permit, policy: ruled.policy, diagnosis: diagnosis)
            } else {
                refuse(head, denial: denial, policy: ruled.policy, diagnosis: diagnosis)
            }
        }
    }

    /// What the head asks for; answers the client and returns nil when it asks for nothing that can be had here.
    private func loadTarget(of head: RequestHead) -> LoadTarget? {
        if let scope {
            // The tunnel says which origin; the path is all that the head adds.
            if case .authority = head.target {
                answer(400, to: head, title: "A tunnel in a tunnel", sentences: ["CONNECT stops at the first proxy."])
                return nil
            }
            return scope.target
        }
        switch head.target {
        case .absolute(let absolute):
            // `ws` is `http` to the law (docs/law/loaders.md#coverage), and on the wire until the origin agrees
            // (RFC 6455 section 4.1).
            if absolute.scheme == "http" || absolute.scheme == "ws" {
                return LoadTarget(scheme: .http, host: absolute.host, port: absolute.port ?? 80)
            }
            answer(
                400, to: head, title: "Not a scheme of this proxy",
                sentences: ["Only http:// URLs are asked for in full; https goes through CONNECT."])
        case .path, .asterisk, .authority:
            answer(
                400, to: head, title: "This is a proxy",
                sentences: [
                    "atsgate is an HTTP proxy, and this request came as if to a web server.",
                    "Enter this address as the HTTP and HTTPS proxy of a device, a simulator or a command.",
                ])
        }
        return nil
    }

    private func start(_ head: RequestHead, permit: ConnectPermit, policy: PolicyCard, diagnosis: DiagnosisCard?) {
        let exchange = Exchange(
            head: head, target: permit.target, client: asker, permit: permit, policy: policy, diagnosis: diagnosis,
            started: now)
        exchange.upgrade = Upgrade(head, others: loop.policy.otherUpgrades)
        exchange.parent = parent(of: permit.target, path: exchange.pathText, at: now.ticks)
        if isDraining { exchange.closesClient = true }
        scope?.permit = permit
        scope?.policy = policy
        stage = .exchange(exchange)
        if let link, isFit(link, for: permit) {
            send(exchange, on: link)
        } else {
            if let link { giveBack(link) }
            disarm()
            effect(.connect(permit, .main, mayReuse: true))
        }
    }

    /// Whether the link at hand may carry a load under this permit as it is.
    private func isFit(_ link: OriginLink, for permit: ConnectPermit) -> Bool {
        guard scope != nil else { return link.key == OriginLink.Key(permit) }
        return permit.target.scheme == .http ? link.tls == nil : link.isSecured(under: system)
    }

    /// Writes the request's head to the origin and as much of its body as is here.
    func send(_ exchange: Exchange, on link: OriginLink) {
        guard link.plaintext.isEmpty else {
            return fail(
                exchange, status: 502, title: "The origin spoke out of turn",
                diagnosis: DiagnosisCard(.unaskedAnswer))
        }
        exchange.isSent = true
        exchange.isFirstOnLink = link.loads == 0 && !link.hasRested
        link.loads += 1
        link.reader.expectResponse(to: exchange.head.method)
        link.compose(loop.scratch) { writeHead(of: exchange, on: link, to: $0) }
        if exchange.requestIsDone { arm(.answer) } else { pumpRequest(exchange) }
    }

    /// Moves the request's body from the inbox to the origin until one of them is at its limit.
    func pumpRequest(_ exchange: Exchange) {
        guard exchange.isSent, !exchange.requestIsDone, let link else {
            if client.inbox.count > loop.policy.limits.highWaterBytes { pauseClient() }
            return
        }
        do throws(WireError) {
            while link.outbox.count < loop.policy.limits.highWaterBytes {
                let bytes = client.inbox.bytes
                let step = try client.reader.next(in: bytes)
                if let range = step.body {
                    exchange.bytesSent += Int64(range.count)
                    forward(UnsafeRawBufferPointer(rebasing: bytes[range]), of: exchange.head.framing, to: link)
                }
                client.inbox.consume(step.consumed)
                switch step.event {
                case .trailers(let trailers): exchange.requestTrailers = trailers
                case .end: return requestFinished(exchange, on: link)
                case nil:
                    if client.hasEnded { return clientVanished(exchange) }
                    resumeClient()
                    return arm(.idle)
                default: continue
                }
            }
            pauseClient()
            arm(.idle)
        } catch {
            bodyWasMalformed(exchange, error)
        }
    }

    private func forward(_ bytes: UnsafeRawBufferPointer, of framing: BodyFraming, to link: OriginLink) {
        if framing == .chunked {
            link.compose(loop.scratch) { MessageWriter.chunk(bytes, to: $0) }
        } else {
            link.send(bytes)
        }
    }

    private func requestFinished(_ exchange: Exchange, on link: OriginLink) {
        if exchange.head.framing == .chunked {
            link.compose(loop.scratch) { MessageWriter.chunkEnd(trailers: exchange.requestTrailers, to: $0) }
        }
        exchange.requestIsDone = true
        if exchange.answerIsDone {
            complete(exchange)
        } else if exchange.status == nil {
            arm(.answer)
        }
    }

    private func bodyWasMalformed(_ exchange: Exchange, _ error: WireError) {
        if exchange.status == nil {
            answer(error.status, to: exchange.head, title: "Malformed request", sentences: [error.sentence], ends: true)
            exchange.status = error.status
        }
        record(exchange, verdict: .failed, diagnosis: DiagnosisCard(.malformedRequest(error)))
        dropLink()
        linger()
    }

    private func refuseMalformed(_ error: WireError) {
        answer(error.status, to: nil, title: "Malformed request", sentences: [error.sentence], ends: true)
        linger()
    }

    func clientVanished(_ exchange: Exchange) {
        record(exchange, verdict: .failed, diagnosis: DiagnosisCard(.clientGone(after: exchange.bytesReceived)))
        close()
    }

    func pauseClient() {
        guard !client.isPaused else { return }
        client.isPaused = true
        effect(.pauseClient)
    }

    func resumeClient() {
        guard client.isPaused else { return }
        client.isPaused = false
        effect(.resumeClient)
    }

    /// How this gate names itself in Via. Source: RFC 9110 section 7.6.3.
    static let via: StaticString = "atsgate"
}
