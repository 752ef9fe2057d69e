internal import HTTPWire

/// What a message that comes in may still have.
struct IncomingBody {
    /// Bytes that Content-Length announced; nil for any number.
    var announced: Int64?
    var received: Int64 = 0

    /// Takes bytes of body; false when they are too many.
    mutating func take(_ count: Int) -> Bool {
        received += Int64(count)
        return received <= announced ?? received
    }

    var isComplete: Bool { received == announced ?? received }
}

/// Interim heads that an answer has had.
struct InterimCount {
    var heads = 0
    var bytes = 0
}

extension HTTP2Stream {
    /// Source: RFC 9113 section 8.1.1.
    func expectBody(of request: HTTP2Request) {
        if case .fixed(let length) = request.head.framing { incoming.announced = length }
    }

    /// An answer to HEAD, a 204 and a 304 have none, whatever their length says; a tunnel has no length.
    func expectBody(of head: ResponseHead) {
        switch head.framing {
        case .fixed(let length): incoming.announced = asked == .connect ? nil : length
        case .none: incoming.announced = asked == .connect && head.status < 300 ? nil : 0
        case .chunked, .untilClose: incoming.announced = nil
        }
    }

    /// Takes note of body; what is wrong with it, if something is.
    func takeBody(_ count: Int) -> HTTP2MessageFault? {
        guard hasFinalHead else { return .unexpectedBody }
        guard !incoming.take(count) else { return nil }
        return incoming.announced == 0 && asked == .head ? .unexpectedBody : .contradictedLength
    }

    func checkEnd() throws(HTTP2MessageFault) {
        guard hasFinalHead else { throw .unexpectedBody }
        guard incoming.isComplete else { throw .contradictedLength }
    }

    func countInterim(_ bytes: Int, _ limits: HTTP2Limits) throws(HTTP2MessageFault) {
        interim.heads += 1
        interim.bytes += bytes
        guard interim.heads <= limits.interimHeads, interim.bytes <= limits.interimHeadBytes else {
            throw .tooManyInterimHeads
        }
    }
}

extension HTTP2Stream {
    /// The peer's half is over. A handler that has just reset the stream hears no more of it but its end.
    func end(trailers: FieldBlock? = nil) {
        guard cut == nil else { return }
        handler?.ended(self, trailers: trailers)
    }

    /// The peer sent RST_STREAM.
    func noteReset() {
        if cut == nil { cut = .byPeer }
    }

    /// What the number that nghttp2 closes this stream with means.
    func end(_ code: UInt32) -> HTTP2StreamEnd {
        switch cut {
        case .byUs(let ours): .reset(code: ours.rawValue)
        case .byPeer where code == HTTP2ErrorCode.refusedStream.rawValue: .refused
        case .byPeer: .reset(code: code)
        case nil where code == HTTP2ErrorCode.noError.rawValue: .done
        case nil where code == HTTP2ErrorCode.refusedStream.rawValue: .refused
        case nil: .reset(code: code)
        }
    }

    /// What is told, once, of a request that ended before it was opened.
    func takeRejected() -> HTTP2RejectedRequest? {
        guard let request = unopened else { return nil }
        unopened = nil
        let path: String? =
            switch request.head.target {
            case .path(let path): path
            case .asterisk: "*"
            case .absolute, .authority: nil
            }
        return HTTP2RejectedRequest(
            streamID: id, fault: fault ?? .incomplete, method: request.head.method.name,
            scheme: request.scheme, authority: request.head.fields.value(of: .host), path: path)
    }
}
