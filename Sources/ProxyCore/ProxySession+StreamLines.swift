import ATSPolicy
import Bytes
import HTTP2Engine
import HTTPWire
import Records
import TLSEngine

/// Loads of an HTTP/2 client whose origin turned out to speak HTTP/1.1: translated, one at a time on each link.
extension ProxySession {
    func putOnLine(_ load: StreamLoad, _ link: OriginLink) {
        // There is no twin of an extended CONNECT here.
        guard load.request.protocolName == nil else { return refuseExtendedConnect(load, on: link) }
        took(load, on: link)
        link.line = load
        load.lane = .line(link)
        link.reader.expectResponse(to: load.request.head.method)
        link.compose(loop.scratch) {
            MessageWriter.request(load.request.head, asOriginForm: true, via: Self.via, to: $0)
        }
        load.releaseEarly()
        if load.exchange.requestIsDone { endBody(of: load, on: link) }
    }

    /// A piece of a request's body; the client's window stays shut while the origin does not take it.
    func sendBody(_ bytes: UnsafeRawBufferPointer, of load: StreamLoad, on link: OriginLink) {
        if load.request.head.framing == .chunked {
            link.compose(loop.scratch) { MessageWriter.chunk(bytes, to: $0) }
        } else {
            link.send(bytes)
        }
        load.owedToClient += bytes.count
        link.isHeldBack = true
        payClient(load, link)
    }

    /// Opens the client's window for what the origin has taken.
    func payClient(_ load: StreamLoad, _ link: OriginLink) {
        guard link.outbox.count < loop.policy.limits.highWaterBytes else { return }
        link.isHeldBack = false
        load.client.consume(load.owedToClient)
        load.owedToClient = 0
    }

    func endBody(of load: StreamLoad, on link: OriginLink) {
        guard load.request.head.framing == .chunked else { return }
        link.compose(loop.scratch) { MessageWriter.chunkEnd(trailers: load.exchange.requestTrailers, to: $0) }
    }

    func lineSent(_ bytes: UnsafeRawBufferPointer, on link: OriginLink, _ board: Switchboard) {
        if let tls = link.tls {
            tls.receive(bytes, plaintext: link.plaintext)
        } else {
            link.plaintext.append(bytes)
        }
        guard let load = link.line else {
            // Session tickets are welcome; an answer that nobody asked for is not.
            if !link.plaintext.isEmpty || link.tls?.state != .established { dropLine(link, board) }
            return
        }
        load.movedTicks = now.ticks
        readLine(load, link, board)
        if link.line != nil, let tls = link.tls, tls.state != .established {
            lineEnded(link, reset: tls.state != .closed, board)
        }
    }

    private func readLine(_ load: StreamLoad, _ link: OriginLink, _ board: Switchboard) {
        do throws(WireError) {
            while link.line === load {
                let bytes = link.plaintext.bytes
                let step = try link.reader.next(in: bytes)
                if let range = step.body {
                    load.exchange.bytesReceived += Int64(range.count)
                    load.client.send(UnsafeRawBufferPointer(rebasing: bytes[range]))
                }
                link.plaintext.consume(step.consumed)
                switch step.event {
                case .responseHead(let head):
                    guard head.status != 101 else {
                        return fail(
                            load, status: 502, title: "The origin changed the protocol",
                            diagnosis: DiagnosisCard(.unaskedUpgrade))
                    }
                    if !head.isPersistent { link.mayKeep = false }
                    answerBegan(load, head, endsStream: head.framing == .none && !head.isInterim)
                case .trailers(let trailers): load.exchange.answerTrailers = trailers
                case .end: lineFinished(load, link, board)
                case nil: return holdLine(load, link)
                default: continue
                }
            }
        } catch {
            fail(
                load, status: 502, title: "The origin's answer is malformed",
                diagnosis: DiagnosisCard(.malformedAnswer(error)))
        }
    }

    private func lineFinished(_ load: StreamLoad, _ link: OriginLink, _ board: Switchboard) {
        load.exchange.answerIsDone = true
        if !load.answeredWhole { load.client.finish(trailers: load.exchange.answerTrailers) }
        record(load, verdict: load.exchange.passVerdict, on: link)
        load.lane = .none
        link.line = nil
        if link.isPaused { resume(link) }
        load.stopRequest()
        if !load.exchange.requestIsDone {
            dropLine(link, board)
        } else if !link.mayKeep || !link.plaintext.isEmpty {
            dropLine(link, board)
        }
    }

    func lineEnded(_ link: OriginLink, reset: Bool, _ board: Switchboard) {
        let load = link.line
        let isProperEnd = !reset && (link.tls == nil || link.tls?.state == .closed)
        if let load, isProperEnd, case .end? = (try? link.reader.endOfInput()) ?? nil {
            link.mayKeep = false
            return lineFinished(load, link, board)
        }
        link.line = nil
        dropLine(link, board)
        guard let load else { return }
        load.lane = .none
        if load.isWhole, load.exchange.mayRetry, !load.exchange.isFirstOnLink {
            load.exchange.retries = 1
            return carry(load, board)
        }
        let cut = Finding.originCut(after: load.exchange.bytesReceived, reset: reset)
        fail(load, status: 502, title: "The origin closed the connection", diagnosis: DiagnosisCard(cut))
    }

    private func dropLine(_ link: OriginLink, _ board: Switchboard) {
        board.remove(link)
        effect(.closeOrigin(link))
    }

    /// Holds the origin back while the client's stream takes nothing.
    private func holdLine(_ load: StreamLoad, _ link: OriginLink) {
        guard load.client.queuedBytes > loop.policy.limits.highWaterBytes, !link.isPaused else { return }
        link.isPaused = true
        effect(.pauseOrigin(link))
    }

    /// The client's stream has taken some of the answer.
    func clientTookAnswer(_ load: StreamLoad, from link: OriginLink) {
        if link.isPaused, load.client.queuedBytes < loop.policy.limits.highWaterBytes / 2 { resume(link) }
    }
}
