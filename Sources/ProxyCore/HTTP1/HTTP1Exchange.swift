import ATSPolicy
import Bytes
import HTTPWire
import Records
import TLSEngine

/// One load of an HTTP/1 client on its link: the request goes through, the answer comes back.
final class HTTP1Exchange {
    let load: Load
    let link: OriginLink
    /// The link was dialed for this very load.
    let hasNewLink: Bool
    private let context: SessionContext
    private let carrier: HTTP1Carrier
    private let upgrade: Upgrade?
    private var framing = BodyFraming.none
    private var requestTrailers: FieldBlock?
    /// What an answer led to that ends the exchange at once.
    private var cutShort: HTTP1Outcome?

    init(_ load: Load, over link: OriginLink, isNew: Bool, _ context: SessionContext) {
        self.load = load
        self.link = link
        hasNewLink = isNew
        self.context = context
        carrier = HTTP1Carrier(load: load, link: link, context: context)
        let (asked, others) = (Upgrade(load.head), context.loop.policy.rules.otherUpgrades)
        if let remark = asked?.remark(under: others) { load.remark = load.remark?.adding(remark) ?? remark }
        upgrade = asked.flatMap { $0.passes(others) ? $0 : nil }
    }

    private var client: ClientStream { context.client }

    /// Writes the request's head to the origin and as much of its body as is here.
    func start() -> HTTP1Outcome {
        guard link.plaintext.isEmpty else { return .failed(context.malformed(.unaskedAnswer, load, on: link)) }
        carrier.sendHead(keepUpgrade: upgrade != nil)
        if load.requestIsWhole {
            arm(.answer)
            return .going
        }
        return clientSent()
    }

    // MARK: The request

    /// Moves the request's body from the inbox to the origin until one of them is at its limit.
    func clientSent() -> HTTP1Outcome {
        guard !load.requestIsWhole else {
            context.boundInbox()
            return .going
        }
        do throws(WireError) {
            while link.outbox.count < context.highWaterBytes {
                let bytes = client.inbox.bytes
                let step = try client.reader.next(in: bytes)
                if let range = step.body { carrier.sendBody(UnsafeRawBufferPointer(rebasing: bytes[range])) }
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

    /// A client may half-close after its request and still want the answer; but it may as well be gone.
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
            link.plaintext.append(UnsafeRawBufferPointer(rebasing: bytes[used...]))
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
            // A burst has been passed on: hold the origin back while the client is slow.
            if load.status != nil { arm(.idle) }
            context.holdBack(link, waiting: client.outbox.count)
        case .whole: load.finishAnswer()
        case .stopped: break
        case .malformed(let error): cutShort = .failed(context.malformed(.malformedAnswer(error), load, on: link))
        }
        return used
    }

    /// Once what came is read, and what is left of its bytes is known.
    private func afterReading() -> HTTP1Outcome {
        if let cutShort { return cutShort }
        guard load.answerIsWhole else { return .going }
        if framing == .chunked {
            client.compose { MessageWriter.chunkEnd(trailers: load.answerTrailers, to: $0) }
        }
        if !link.plaintext.isEmpty { link.mayKeep = false }
        link.plaintext.releaseIfEmpty()
        if let tls = link.tls, tls.state != .established { link.mayKeep = false }
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
        // An HTTP/1.0 client can not read chunks, and an HTTP/1.1 client need not lose its connection to an origin
        // that ends its body by closing. Source: RFC 9112 sections 6.1, 6.3.
        let speaksChunks = load.head.minorVersion >= 1
        switch head.framing {
        case .chunked, .untilClose: framing = speaksChunks ? .chunked : .untilClose
        case .none, .fixed: framing = head.framing
        }
        // The rest of a request that has its answer already will not be read.
        if framing == .untilClose || !load.requestIsWhole { load.endsClient = true }
        client.begin {
            MessageWriter.response(head, framing: framing, persistent: !load.endsClient, via: Via.name, to: $0)
        }
        arm(.idle)
    }

    /// 100 Continue and its kin go on to a client that knows them. Source: RFC 9110 section 15.2.
    private func passInterim(_ head: ResponseHead) {
        guard load.head.minorVersion >= 1 else { return }
        client.compose { MessageWriter.response(head, framing: .none, persistent: true, via: Via.name, to: $0) }
    }

    /// The origin agreed to change the protocol: what follows is relayed, and recorded when it is over.
    private func switchProtocols(_ head: ResponseHead) -> HTTP1Outcome {
        guard upgrade != nil, load.requestIsWhole else {
            return .failed(context.malformed(.unaskedUpgrade, load, on: link))
        }
        load.beginAnswer(status: head.status)
        if case .webSocket? = upgrade { load.wireProtocol = .websocket }
        client.compose {
            MessageWriter.response(head, framing: .none, persistent: true, via: Via.name, to: $0, keepUpgrade: true)
        }
        return .upgraded(link)
    }

    /// An answer that is a parent proxy's own: it wants other credentials than those it was given. Only 407 is told
    /// apart with certainty (RFC 9110 section 15.5.8); anything else may be the origin's.
    private func parentsRefusal(_ head: ResponseHead) -> HTTP1Outcome? {
        guard head.status == 407, case .parent(let name, _) = link.route else { return nil }
        link.mayKeep = false
        let failure = NetworkFailure.parent(name, .answered(status: 407))
        return .failed(
            ErrorAnswer(
                502, "The parent proxy refused",
                context.diagnosis(failure, of: load.ruled, path: load.pathText)))
    }

    // MARK: Passing by

    /// Of a body of known length the last bytes are read here, so that its end is seen.
    var answerSpliceLimit: Int? {
        guard load.status != nil, link.plaintext.isEmpty, case .fixed = framing,
            let left = link.reader.fixedBytesLeft, left > Self.bodyTail
        else { return nil }
        return Int(clamping: left - Self.bodyTail)
    }

    func answerPassed(_ count: Int, waiting: Int) {
        link.reader.passOver(Int64(count))
        load.bytesReceived += Int64(count)
        arm(.idle)
        context.holdBack(link, waiting: waiting)
    }

    // MARK: Waiting

    /// It is the client that reads or sends no further, not the origin.
    var waitsForClient: Bool {
        if load.status != nil, link.holds.contains(.clientFull) { return true }
        let waitsForContinue = load.head.expectsContinue && load.bytesSent == 0
        return !load.requestIsWhole && link.outbox.isEmpty && !waitsForContinue
    }

    /// The end of the answer can only be told by the end of the client's connection.
    var endsByClosing: Bool { framing == .untilClose && client.tls == nil }

    /// Sets the timer; a client that has ended its side is not given more than a moment.
    private func arm(_ deadline: Deadline) { context.arm(client.hasEnded ? .halfClosed : deadline) }

    /// Enough not to end a body with a tiny packet of its own.
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
