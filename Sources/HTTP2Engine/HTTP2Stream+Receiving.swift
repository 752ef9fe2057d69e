internal import HTTPWire

/// The body of an incoming message, compared with its length.
struct IncomingBody {
    /// Bytes in Content-Length; nil for any number.
    var announced: Int64?
    var received: Int64 = 0

    /// Counts body bytes; false if there are too many.
    mutating func take(_ count: Int) -> Bool {
        received += Int64(count)
        return received <= announced ?? received
    }

    var isComplete: Bool { received == announced ?? received }
}

/// The interim heads of an answer so far.
struct InterimCount {
    var heads = 0
    var bytes = 0
}

extension HTTP2Stream {
    /// Sets the expected length. Source: RFC 9113 section 8.1.1.
    func expectBody(of request: HTTP2Request) {
        if case .fixed(let length) = request.head.framing { incoming.announced = length }
    }

    /// Sets the expected length. An answer to HEAD, a 204 and a 304 have no body, whatever their Content-Length; a
    /// tunnel has no length.
    func expectBody(of head: ResponseHead) {
        switch head.framing {
        case .fixed(let length): incoming.announced = requestKind == .connect ? nil : length
        case .none: incoming.announced = requestKind == .connect && head.status < 300 ? nil : 0
        case .chunked, .untilClose: incoming.announced = nil
        }
    }

    /// Counts body bytes. Returns the error, if there is one.
    func takeBody(_ count: Int) -> HTTP2MessageFault? {
        guard hasFinalHead else { return .unexpectedBody }
        guard !incoming.take(count) else { return nil }
        return incoming.announced == 0 && requestKind == .head ? .unexpectedBody : .contradictedLength
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
    /// Reports the end of the peer's half. A handler that has just reset the stream only gets its end.
    func end(trailers: FieldBlock? = nil) {
        guard cut == nil else { return }
        handler?.ended(self, trailers: trailers)
    }

    /// Handles RST_STREAM from the peer.
    func noteReset() {
        if cut == nil { cut = .byPeer }
    }

    /// Returns the end of this stream for the code with which nghttp2 closes it.
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

    /// Returns, once, the report of a request that ended before it was opened.
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
