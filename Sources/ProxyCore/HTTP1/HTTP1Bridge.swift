import Bytes
import HTTP2Engine
import HTTPWire
import TLSEngine

/// One load of an HTTP/2 client, translated to a connection of HTTP/1.1.
final class HTTP1Bridge {
    enum Outcome {
        case going
        /// The load is over. The link may carry another one if it still `isReusable`.
        case done
        case failed(ErrorAnswer)
        /// The link was lost before the response was complete.
        case lost(reset: Bool)
    }

    let link: OriginLink
    let stream: StreamLoad
    private let carrier: HTTP1Carrier
    private let context: SessionContext
    /// The client's bytes that are still in the link's outbox; its window stays closed for them.
    private var owed = 0

    init(_ stream: StreamLoad, over link: OriginLink, _ context: SessionContext) {
        self.stream = stream
        self.link = link
        self.context = context
        carrier = HTTP1Carrier(load: stream.load, link: link, context: context)
    }

    func begin() {
        carrier.sendHead(upgrade: .none)
        stream.begin(on: .bridge(self))
        if stream.request.endsStream { carrier.endBody() }
    }

    func sendBody(_ bytes: UnsafeRawBufferPointer) {
        carrier.sendBody(bytes)
        owed += bytes.count
        drained()
    }

    func endBody() { carrier.endBody() }

    /// True if the client's window waits for the origin.
    var holdsClient: Bool { owed > 0 }

    /// Opens the client's window for the bytes that were sent to the origin.
    func drained() {
        guard owed > 0, link.outbox.count < context.highWaterBytes else { return }
        stream.client.consume(owed)
        owed = 0
    }

    func originSent(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        if let tls = link.tls {
            tls.receive(bytes, plaintext: link.plaintext)
        } else {
            link.plaintext.append(bytes)
        }
        stream.noteMove()
        let outcome = read()
        if case .going = outcome, let tls = link.tls, tls.state != .established {
            return originEnded(reset: tls.state != .closed)
        }
        return outcome
    }

    /// The bytes that the client's stream may hold before the origin is paused. Little if all its streams hold much.
    private var limit: Int { stream.client.isShortOfMemory ? TLSMachine.recordBytes : context.highWaterBytes }

    private func read() -> Outcome {
        let (used, reading) = carrier.read(link.plaintext.bytes, for: self)
        link.plaintext.consume(used)
        link.plaintext.releaseIfEmpty()
        switch reading {
        case .going:
            // The client's stream is full: pause the origin.
            if stream.client.queuedBytes > limit { context.hold(link, .streamFull) }
            return .going
        case .whole: return finish()
        case .stopped: return .failed(context.malformed(.unaskedUpgrade, stream.load, on: link))
        case .malformed(let error): return .failed(context.malformed(.malformedAnswer(error), stream.load, on: link))
        }
    }

    private func finish() -> Outcome {
        let load = stream.load
        stream.answerEnded(trailers: load.answerTrailers)
        stream.file(load.passVerdict, on: link)
        stream.leaveCarrier()
        context.release(link, .streamFull)
        stream.stopRequest()
        if !load.requestIsWhole || !link.plaintext.isEmpty { link.isReusable = false }
        return .done
    }

    func originEnded(reset: Bool) -> Outcome {
        carrier.endsProperly(reset: reset) ? finish() : .lost(reset: reset)
    }

    /// Resumes the origin after the client's stream has sent part of the response.
    func clientTookAnswer() {
        if stream.client.queuedBytes < limit / 2 { context.release(link, .streamFull) }
    }
}

extension HTTP1Bridge: AnswerReader {
    func answerBegan(_ head: ResponseHead) -> Bool {
        guard head.status != 101 else { return false }
        stream.answerBegan(head, endsStream: head.framing == .none && !head.isInterim)
        return true
    }

    func answerBody(_ bytes: UnsafeRawBufferPointer) { stream.client.send(bytes) }
}
