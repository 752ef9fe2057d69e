internal import CNghttp2
internal import HTTPWire

extension HTTP2Machine {
    /// Sets whether windows may grow, and whether the connection's window is returned before bytes are taken.
    public func setShortOfMemory(_ isShort: Bool) { memory.setShort(isShort, among: streams.all) }

    /// The number of streams that are not closed.
    public var activeStreams: Int { streams.count }

    /// Origin role: true if one more request can be sent now. Neither side sent GOAWAY, the peer allows one more
    /// stream, and unused stream ids remain.
    public var canOpenStream: Bool {
        guard role == .origin, state == .alive else { return false }
        return session.mayOpen(beside: streams.count)
    }

    /// Origin role: sends a request, with Host as `:authority` and only the fields for the next hop.
    ///
    /// - Returns: nil if no stream can be opened now, or if HTTP/2 cannot express the head: it has no Host, or its
    ///   method or target contains an invalid character.
    public func open(_ request: HTTP2Request, handler: any HTTP2StreamHandler) -> HTTP2Stream? {
        guard canOpenStream else { return nil }
        let stream = HTTP2Stream(id: 0, handler: handler, machine: self)
        stream.requestKind = ResponseHead.Answering(request.head.method)
        if request.endsStream { stream.finishAtOnce() }
        guard let id = writer.queue(request, on: stream) else { return nil }
        stream.id = id
        watch.noteRequest(activeStreams: streams.count)
        streams.keep(stream)
        return stream
    }

    /// True if the peer accepts extended CONNECT (RFC 8441 section 3).
    public var peerAllowsConnectProtocol: Bool {
        session.peerSetting(NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL) == 1
    }

    /// Client role: announces that the app may use extended CONNECT.
    public func allowConnectProtocol() {
        guard role == .client, isOpen else { return }
        hasAllowedConnectProtocol = true
        session.announce(NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 1)
    }

    /// Queues a GOAWAY. With `noError`, open streams are finished and later ones of the peer are ignored: the last
    /// stream is the last one that was opened here (RFC 9113 section 6.8). With any other code all are lost.
    public func shutDown(_ code: HTTP2ErrorCode) {
        guard isOpen else { return }
        guard code == .noError else { return fail(.shutDown(code)) }
        session.sendGoAway()
        isShutDown = true
        skipped.noteGoAway()
        state = .goingAway
    }

    /// Drops all streams and handlers without further calls, and stops sending.
    public func abandon() {
        state = .failed(.abandoned)
        forgetStreams()
        handler = nil
    }

    var isOpen: Bool { state == .alive || state == .goingAway }

    /// Ends the connection: reading stops, every stream is lost, and a GOAWAY is queued.
    func fail(_ failure: HTTP2Failure) {
        nghttp2_session_terminate_session(session.raw, failure.code.rawValue)
        state = .failed(failure)
        while let stream = streams.last {
            nghttp2_session_set_stream_user_data(session.raw, stream.id, nil)
            close(stream, .lost)
        }
    }

    /// Reports the end to a stream's handler, and releases both.
    func close(_ stream: HTTP2Stream, _ end: HTTP2StreamEnd) {
        guard streams.remove(stream) else { return }
        let streamHandler = stream.handler
        let rejected = stream.takeRejected()
        stream.forget()
        if let rejected { handler?.rejected(rejected) }
        streamHandler?.closed(stream, end)
    }

    func forgetStreams() {
        drained.forget()
        for stream in streams.takeAll() {
            nghttp2_session_set_stream_user_data(session.raw, stream.id, nil)
            stream.forget()
        }
    }
}
