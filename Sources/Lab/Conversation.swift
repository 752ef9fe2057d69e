import Bytes
import HTTPWire

/// The HTTP/1 side of one connection: reads requests and writes responses, one at a time. No socket, no clock.
struct Conversation {
    /// The condition for the next call of ``advance(_:_:)``.
    enum NextStep {
        case bytes
        /// This much time; then call ``timePassed(_:)``.
        case time(Duration)
        /// Room for more of a body.
        case room
        /// The conversation ended: close the connection.
        case end
    }

    private enum State {
        case reading(ReceivedRequest?)
        case delayed(Answer, ReceivedRequest)
        case answering(GeneratedBody, isPersistent: Bool)
        case over
    }

    private let site: Site
    private var reader = MessageReader.requests()
    private var state = State.reading(nil)

    init(site: Site) {
        self.site = site
    }

    /// Reads requests from `inbox` and writes responses to `outbox`, at most one page of a long body.
    mutating func advance(_ inbox: ByteQueue, _ outbox: ByteQueue) -> NextStep {
        while true {
            switch state {
            case .reading(let request):
                guard read(request, inbox, outbox) else { return .bytes }
            case .delayed(let answer, _):
                return .time(answer.delay ?? .zero)
            case .answering(var body, let isPersistent):
                body.next { outbox.append($0) }
                state = .answering(body, isPersistent: isPersistent)
                guard body.left == 0 else { return .room }
                finish(isPersistent)
            case .over:
                return .end
            }
        }
    }

    /// Writes the delayed response.
    mutating func timePassed(_ outbox: ByteQueue) {
        guard case .delayed(let answer, let request) = state else { return }
        give(answer, to: request.head, outbox)
    }

    /// Reads one event. Returns false if there is none.
    private mutating func read(_ request: ReceivedRequest?, _ inbox: ByteQueue, _ outbox: ByteQueue) -> Bool {
        do throws(WireError) {
            let step = try reader.next(in: inbox.bytes)
            switch step.event {
            case .requestHead(let head):
                // RFC 9110 section 10.1.1.
                if head.expectsContinue { MessageWriter.sendContinue(queue: outbox) }
                state = .reading(ReceivedRequest(head))
            case .body(let count):
                note(request, count: count, bytes: step.body.map { ByteView(inbox.bytes).slice($0) })
            case .trailers(let fields):
                var request = request
                request?.trailers = fields
                state = .reading(request)
            case .end:
                if let request { answer(request, outbox) }
            case .responseHead, nil: break
            }
            inbox.consume(step.consumed)
            return step.event != nil
        } catch {
            let text = Answer.text("\(error.rawValue)\n", status: error.status)
            inbox.removeAll()
            give(text, to: nil, outbox)
            return true
        }
    }

    private mutating func note(_ request: ReceivedRequest?, count: Int, bytes: UnsafeRawBufferPointer?) {
        guard var request else { return }
        request.bodyBytes += Int64(count)
        let room = Routes.keptBytes(of: request.head) - request.keptBody.count
        if room > 0, let bytes { request.keptBody.append(UnsafeRawBufferPointer(rebasing: bytes.prefix(room))) }
        state = .reading(request)
    }

    private mutating func answer(_ request: ReceivedRequest, _ outbox: ByteQueue) {
        let answer = Routes.answer(to: request, at: site)
        if answer.delay == nil {
            give(answer, to: request.head, outbox)
        } else {
            state = .delayed(answer, request)
        }
    }

    /// - Parameter request: nil if it could not be read, which ends the connection.
    private mutating func give(_ answer: Answer, to request: RequestHead?, _ outbox: ByteQueue) {
        let form = MessageWriter.answer(answer.head, to: request, queue: outbox)
        guard let framing = form.framing else { return finish(form.isPersistent) }
        switch answer.body {
        case .bytes(let bytes):
            outbox.append(bytes)
            finish(form.isPersistent)
        case .generated(let count):
            state = .answering(GeneratedBody(count), isPersistent: form.isPersistent)
        case .chunks(let texts, let trailers):
            Self.write(texts, trailers, isChunked: framing == .chunked, outbox)
            finish(form.isPersistent)
        }
    }

    private mutating func finish(_ isPersistent: Bool) {
        state = isPersistent ? .reading(nil) : .over
    }

    private static func write(_ texts: [String], _ trailers: FieldBlock?, isChunked: Bool, _ outbox: ByteQueue) {
        for text in texts {
            if isChunked {
                Array(text.utf8).withUnsafeBytes { MessageWriter.chunk($0, to: outbox) }
            } else {
                outbox.append(text)
            }
        }
        if isChunked { MessageWriter.chunkEnd(trailers: trailers, to: outbox) }
    }
}
