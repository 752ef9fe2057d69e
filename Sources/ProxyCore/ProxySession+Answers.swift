import ATSPolicy
import Bytes
import HTTPWire
import Records
import TLSEngine

/// The origin's side of HTTP loads: answers in, and back to the client.
extension ProxySession {
    func originSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink) {
        if link === probe { return probeSent(bytes) }
        if case .streams(let board) = stage { return originSentFrames(bytes, on: link, board) }
        guard link === self.link else { return }
        switch stage {
        case .exchange(let exchange):
            if movedHandshake(of: exchange, on: link, bytes: bytes) { return }
            if let tls = link.tls {
                tls.receive(bytes, plaintext: link.plaintext)
                link.plaintext.consume(readAnswer(exchange, from: link.plaintext.bytes, on: link))
                finishAnswer(exchange, on: link)
                if link === self.link, tls.state != .established { originEnded(link, reset: tls.state != .closed) }
            } else if link.plaintext.isEmpty {
                let used = readAnswer(exchange, from: bytes, on: link)
                link.plaintext.append(UnsafeRawBufferPointer(rebasing: bytes[used...]))
                finishAnswer(exchange, on: link)
            } else {
                link.plaintext.append(bytes)
                link.plaintext.consume(readAnswer(exchange, from: link.plaintext.bytes, on: link))
                finishAnswer(exchange, on: link)
            }
        case .opening: originSentWhileOpening(bytes, on: link)
        case .relay(let relayed): relayFromOrigin(bytes, of: relayed, on: link)
        case .waiting:
            // TLS 1.3 session tickets arrive late; anything else that nobody asked for ends the link.
            link.tls?.receive(bytes, plaintext: link.plaintext)
            if link.tls == nil || !link.plaintext.isEmpty || link.tls?.state != .established { dropLink() }
        case .streams, .refused, .lingering, .closed: dropLink()
        }
    }

    /// Reads what is there of the answer and passes it on. Returns the bytes used.
    private func readAnswer(_ exchange: Exchange, from bytes: UnsafeRawBufferPointer, on link: OriginLink) -> Int {
        var used = 0
        do throws(WireError) {
            while !exchange.answerIsDone, link === self.link {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
                let step = try link.reader.next(in: rest)
                if let range = step.body {
                    passBody(UnsafeRawBufferPointer(rebasing: rest[range]), of: exchange)
                }
                used += step.consumed
                switch step.event {
                case .responseHead(let head):
                    answerBegan(exchange, head, on: link)
                    if exchange.hasUpgraded { return used }
                case .trailers(let trailers): exchange.answerTrailers = trailers
                case .end: exchange.answerIsDone = true
                case nil:
                    afterBody(exchange, on: link)
                    return used
                default: continue
                }
            }
        } catch {
            answerWasMalformed(exchange, error)
        }
        return used
    }

    private func answerBegan(_ exchange: Exchange, _ head: ResponseHead, on link: OriginLink) {
        let head = withoutHTTP3(head, of: exchange)
        if exchange.firstByteTicks == nil { exchange.firstByteTicks = now.ticks }
        if !head.isPersistent { link.mayKeep = false }
        if head.isInterim { return passInterim(exchange, head) }
        if head.status == 101 {
            if exchange.upgrade != nil, exchange.requestIsDone { return switchProtocols(exchange, head) }
            return fail(
                exchange, status: 502, title: "The origin changed the protocol",
                diagnosis: DiagnosisCard(.unaskedUpgrade))
        }
        if isRefusedByParent(exchange, head, on: link) { return }
        exchange.status = head.status
        noteRedirect(head, of: exchange)
        // An HTTP/1.0 client can not read chunks, and an HTTP/1.1 client need not lose its connection to an origin
        // that ends its body by closing. Source: RFC 9112 sections 6.1, 6.3.
        let speaksChunks = exchange.head.minorVersion >= 1
        switch head.framing {
        case .chunked, .untilClose: exchange.answerFraming = speaksChunks ? .chunked : .untilClose
        case .none, .fixed: exchange.answerFraming = head.framing
        }
        // The rest of a request that has its answer already will not be read.
        if exchange.answerFraming == .untilClose || !exchange.requestIsDone { exchange.closesClient = true }
        client.compose {
            MessageWriter.response(
                head, framing: exchange.answerFraming, persistent: !exchange.closesClient, via: Self.via, to: $0)
        }
        arm(.idle)
    }

    /// 100 Continue and its kin go on to a client that knows them. Source: RFC 9110 section 15.2.
    private func passInterim(_ exchange: Exchange, _ head: ResponseHead) {
        guard exchange.head.minorVersion >= 1 else { return }
        client.compose { MessageWriter.response(head, framing: .none, persistent: true, via: Self.via, to: $0) }
    }

    private func passBody(_ bytes: UnsafeRawBufferPointer, of exchange: Exchange) {
        exchange.bytesReceived += Int64(bytes.count)
        if exchange.answerFraming == .chunked {
            client.compose { MessageWriter.chunk(bytes, to: $0) }
        } else {
            client.send(bytes)
        }
    }

    /// A burst has been passed on: hold the origin back while the client is slow.
    private func afterBody(_ exchange: Exchange, on link: OriginLink) {
        if exchange.status != nil { arm(.idle) }
        holdBack(link, waiting: client.outbox.count)
    }

    /// Once the answer is all read, and what is left of its bytes is known.
    private func finishAnswer(_ exchange: Exchange, on link: OriginLink) {
        if exchange.hasUpgraded { return startRelay(.upgrade(exchange), on: link) }
        guard exchange.answerIsDone, link === self.link else { return }
        if exchange.answerFraming == .chunked {
            client.compose { MessageWriter.chunkEnd(trailers: exchange.answerTrailers, to: $0) }
        }
        if !link.plaintext.isEmpty { link.mayKeep = false }
        if exchange.requestIsDone {
            complete(exchange)
        } else {
            answeredEarly(exchange)
        }
    }

    /// The origin answered before it had the whole request: the rest has nowhere to go.
    private func answeredEarly(_ exchange: Exchange) {
        pumpRequest(exchange)
        guard case .exchange = stage else { return }
        record(exchange, verdict: exchange.passVerdict)
        dropLink()
        linger()
    }

    /// One load is over: file it, and make ready for the next.
    func complete(_ exchange: Exchange) {
        record(exchange, verdict: exchange.passVerdict)
        if let link, !link.mayKeep { dropLink() }
        if let link, link.isPaused { resume(link) }
        guard exchange.closesClient || isDraining else { return awaitNextRequest() }
        if let link { giveBack(link) }
        // Closing with bytes unread would reset the connection, and with it the answer.
        if client.inbox.isEmpty { close() } else { linger() }
    }

    private func answerWasMalformed(_ exchange: Exchange, _ error: WireError) {
        fail(
            exchange, status: 502, title: "The origin's answer is malformed",
            diagnosis: DiagnosisCard(.malformedAnswer(error)))
    }

    func originEnded(_ link: OriginLink, reset: Bool) {
        if link === probe { return probeFailed(.closed(reset: reset)) }
        if case .streams(let board) = stage { return streamOriginEnded(link, reset: reset, board) }
        guard link === self.link else { return }
        switch stage {
        case .exchange(let exchange): originEndedDuring(exchange, on: link, reset: reset)
        case .opening: originEndedWhileOpening(link, reset: reset)
        case .relay: relayOriginEnded(link, reset: reset)
        case .waiting, .streams, .refused, .lingering, .closed: dropLink()
        }
    }

    private func originEndedDuring(_ exchange: Exchange, on link: OriginLink, reset: Bool) {
        link.mayKeep = false
        // Without close_notify, a body that lasts until close may have been cut. Source: RFC 9112 section 9.8.
        let isProperEnd = !reset && (link.tls == nil || link.tls?.state == .closed)
        if isProperEnd, case .end? = (try? link.reader.endOfInput()) ?? nil {
            exchange.answerIsDone = true
            return finishAnswer(exchange, on: link)
        }
        if !exchange.hasNewLink, exchange.mayRetry { return retry(exchange) }
        let cut = Finding.originCut(after: exchange.bytesReceived, reset: reset)
        fail(exchange, status: 502, title: "The origin closed the connection", diagnosis: DiagnosisCard(cut))
    }

    /// A connection died under our hands before it answered: the same request once more on a new one.
    func retry(_ exchange: Exchange) {
        exchange.retries += 1
        exchange.isSent = false
        dropLink()
        disarm()
        guard let permit = exchange.permit else { return close() }
        effect(.connect(permit, .main, mayReuse: false))
    }

    func clientDrained() {
        if case .streams(let board) = stage { return settleStreams(board) }
        if let link, link.isPaused { resume(link) }
        if case .waiting = stage, client.isPaused { wantsRequest = true }
    }

    func resume(_ link: OriginLink) {
        link.isPaused = false
        effect(.resumeOrigin(link))
    }

    func originDrained(_ link: OriginLink) {
        if case .streams(let board) = stage {
            if let load = link.line { payClient(load, link) }
            return settleStreams(board)
        }
        guard link === self.link, client.isPaused else { return }
        if case .exchange(let exchange) = stage { return pumpRequest(exchange) }
        resumeClient()
    }
}
