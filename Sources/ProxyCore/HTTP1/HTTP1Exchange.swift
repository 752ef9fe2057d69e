import ATSPolicy
import Bytes
import HTTP2Engine
import HTTPWire
import Records
import TLSEngine

/// One load of an HTTP/1 client on its link, from the request to the end of the answer.
final class HTTP1Exchange {
    let load: Load
    let link: OriginLink
    /// True if the link was dialed for this load.
    let hasNewLink: Bool
    private let context: SessionContext
    private let carrier: HTTP1Carrier
    private let upgrade: Upgrade?
    /// The protocols that the origin may change to, in lower case.
    private let forwardedUpgrades: [String]
    private var framing = BodyFraming.none
    private var requestTrailers: FieldBlock?
    /// The outcome of an answer that ends the exchange immediately.
    private var cutShort: HTTP1Outcome?

    init(_ load: Load, over link: OriginLink, isNew: Bool, _ context: SessionContext) {
        self.load = load
        self.link = link
        hasNewLink = isNew
        self.context = context
        carrier = HTTP1Carrier(load: load, link: link, context: context)
        let others = context.loop.policy.rules.otherUpgrades
        upgrade = Upgrade(load.head)
        forwardedUpgrades = upgrade?.forwarded(under: others) ?? []
        if let remark = upgrade?.remark(under: others) { load.remark = load.remark?.adding(remark) ?? remark }
    }

    private var client: ClientStream { context.client }

    /// Writes the request's head, and the part of its body that has arrived, to the origin.
    func start() -> HTTP1Outcome {
        guard link.plaintext.isEmpty else { return .failed(context.malformed(.unaskedAnswer, load, on: link)) }
        let isWhole = upgrade?.isForwardedWhole(under: context.loop.policy.rules.otherUpgrades) ?? true
        carrier.sendHead(upgrade: forwardedUpgrades.isEmpty ? .none : isWhole ? .asReceived : .only(forwardedUpgrades))
        if load.requestIsWhole {
            arm(.answer)
            return .going
        }
        return clientSent()
    }

    // MARK: The request

    /// Moves the request's body from the inbox to the origin until the outbox is full or the inbox empty.
    func clientSent() -> HTTP1Outcome {
        guard !load.requestIsWhole else {
            context.boundInbox()
            return .going
        }
        do throws(WireError) {
            while link.outbox.count < context.highWaterBytes {
                let bytes = client.inbox.bytes
                let step = try client.reader.next(in: bytes)
                if let range = step.body { carrier.sendBody(ByteView(bytes).slice(range)) }
                client.inbox.consume(step.consumed)
                switch step.event {
                case .trailers(let trailers): requestTrailers = trailers
                case .end: return requestIsWhole()
                case nil:
                    if client.hasEnded { return .clientLeft }
                    context.releaseClient()
                    arm(.idle)
                    return .going
                case .requestHead, .responseHead, .body: continue
                }
            }
            context.holdClient(.originFull)
            arm(.idle)
            return .going
        } catch {
            return .malformedRequest(error)
        }
    }

    private func requestIsWhole() -> HTTP1Outcome {
        load.finishRequest(trailers: requestTrailers)
        carrier.endBody()
        if load.answerIsWhole { return .done }
        if load.status == nil { arm(.answer) }
        return .going
    }

    /// Handles a client that half-closes after its request: it may still wait for the answer, or be gone.
    func clientEnded() -> HTTP1Outcome {
        guard load.requestIsWhole else { return clientSent() }
        context.arm(.halfClosed)
        return .going
    }

    // MARK: The answer

    func originSent(_ bytes: UnsafeRawBufferPointer) -> HTTP1Outcome {
        if let tls = link.tls {
            tls.receive(bytes, plaintext: link.plaintext)
            link.plaintext.consume(read(link.plaintext.bytes))
            let outcome = afterReading()
            if case .going = outcome, tls.state != .established { return originEnded(reset: tls.state != .closed) }
            return outcome
        }
        if link.plaintext.isEmpty {
            let used = read(bytes)
            link.plaintext.append(ByteView(bytes).slice(from: used))
        } else {
            link.plaintext.append(bytes)
            link.plaintext.consume(read(link.plaintext.bytes))
        }
        return afterReading()
    }

    private func read(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard !load.answerIsWhole else { return 0 }
        let (used, reading) = carrier.read(bytes, for: self)
        client.seal()
        switch reading {
        case .going:
            // A burst has been passed on: pause the origin while the client is slow.
            if load.status != nil { arm(.idle) }
            context.holdBack(link, waiting: client.outbox.count)
        case .whole: load.finishAnswer()
        case .stopped: break
        case .malformed(let error): cutShort = .failed(context.malformed(.malformedAnswer(error), load, on: link))
        }
        return used
    }

    /// Decides on the outcome after the received bytes were read.
    private func afterReading() -> HTTP1Outcome {
        if let cutShort { return cutShort }
        guard load.answerIsWhole else { return .going }
        if framing == .chunked {
            client.compose { MessageWriter.chunkEnd(trailers: load.answerTrailers, to: $0) }
        }
        if !link.plaintext.isEmpty { link.isReusable = false }
        link.plaintext.releaseIfEmpty()
        if let tls = link.tls, tls.state != .established { link.isReusable = false }
        guard !load.requestIsWhole else { return .done }
        let rest = clientSent()
        if case .going = rest { return .answeredEarly }
        return rest
    }

    func originEnded(reset: Bool) -> HTTP1Outcome {
        guard carrier.endsProperly(reset: reset) else { return .lost(link, reset: reset) }
        load.finishAnswer()
        return afterReading()
    }

    private func passHead(_ head: ResponseHead) {
        // An HTTP/1.0 client cannot read chunks. An HTTP/1.1 client gets chunks if the origin ends its body by closing,
        // to keep its connection. Source: RFC 9112 sections 6.1, 6.3.
        let speaksChunks = load.head.minorVersion >= 1
        switch head.framing {
        case .chunked, .untilClose: framing = speaksChunks ? .chunked : .untilClose
        case .none, .fixed: framing = head.framing
        }
        // The rest of a request that is already answered will not be read.
        if framing == .untilClose || !load.requestIsWhole { load.endsClient = true }
        client.begin {
            MessageWriter.response(head, framing: framing, persistent: !load.endsClient, via: Via.name, to: $0)
        }
        arm(.idle)
    }

    /// Passes interim answers such as 100 Continue to a client that supports them. Source: RFC 9110 section 15.2.
    private func passInterim(_ head: ResponseHead) {
        guard load.head.minorVersion >= 1 else { return }
        client.compose { MessageWriter.response(head, framing: .none, persistent: true, via: Via.name, to: $0) }
    }

    /// Handles an accepted upgrade: later bytes are relayed, and recorded at the end.
    private func switchProtocols(_ head: ResponseHead) -> HTTP1Outcome {
        // A server must name the protocol that it changes to, and may only choose an offered one. Source: RFC 9110 section 7.8.
        let chosen = head.fields.upgradeProtocols
        guard let upgrade, !chosen.isEmpty, chosen.allSatisfy(forwardedUpgrades.contains), load.requestIsWhole else {
            return .failed(context.malformed(.unaskedUpgrade, load, on: link))
        }
        load.beginAnswer(status: head.status)
        if chosen.count == 1, let wireProtocol = upgrade.wireProtocol(of: chosen[0]) {
            load.wireProtocol = wireProtocol
        }
        client.compose {
            MessageWriter.response(head, framing: .none, persistent: true, via: Via.name, to: $0, keepUpgrade: true)
        }
        return .upgraded(link)
    }

    /// The failure for an answer of the parent proxy that rejects its credentials. Only 407 is certain (RFC 9110
    /// section 15.5.8); any other status may be the origin's.
    private func parentsRefusal(_ head: ResponseHead) -> HTTP1Outcome? {
        guard head.status == 407, case .parent(let name, _) = link.route else { return nil }
        link.isReusable = false
        let failure = NetworkFailure.parent(name, .answered(status: 407))
        return .failed(
            ErrorAnswer(
                502, "The parent proxy refused the request",
                context.diagnosis(failure, of: load.ruled, path: load.pathText)))
    }

    // MARK: Splicing

    /// The number of body bytes that may be spliced; the last bytes of a body are always read here, to see its end.
    var answerSpliceLimit: Int? {
        guard load.status != nil, link.plaintext.isEmpty, case .fixed = framing,
            let left = link.reader.fixedBytesLeft, left > Self.bodyTail
        else { return nil }
        return Int(clamping: left - Self.bodyTail)
    }

    func answerPassed(_ count: Int, waiting: Int) {
        link.reader.skipPayload(Int64(count))
        load.bytesReceived += Int64(count)
        arm(.idle)
        context.holdBack(link, waiting: waiting)
    }

    // MARK: Waiting

    /// True if the client, not the origin, causes a stall.
    var waitsForClient: Bool {
        if load.status != nil, link.holds.contains(.clientFull) { return true }
        let waitsForContinue = load.head.expectsContinue && load.bytesSent == 0
        return !load.requestIsWhole && link.outbox.isEmpty && !waitsForContinue
    }

    /// True if only the end of the client's connection ends the answer.
    var endsByClosing: Bool { framing == .untilClose && client.tls == nil }

    /// Arms the timer; a client that has ended its side gets only the short deadline.
    private func arm(_ deadline: Deadline) { context.arm(client.hasEnded ? .halfClosed : deadline) }

    /// Enough bytes so that a body does not end with a tiny packet.
    private static let bodyTail: Int64 = 16_384
}

extension HTTP1Exchange: AnswerReader {
    func answerBegan(_ head: ResponseHead) -> Bool {
        var head = head
        head.fields = load.passed(head.fields, in: context)
        load.noteHead(at: context.now.ticks)
        if head.isInterim {
            passInterim(head)
            return true
        }
        cutShort = head.status == 101 ? switchProtocols(head) : parentsRefusal(head)
        guard cutShort == nil else { return false }
        load.beginAnswer(status: head.status)
        context.loop.redirects.note(head, of: load, in: context)
        passHead(head)
        return true
    }

    func answerBody(_ bytes: UnsafeRawBufferPointer) {
        if framing == .chunked {
            client.begin { MessageWriter.chunk(bytes, to: $0) }
        } else {
            client.send(bytes)
        }
    }
}
