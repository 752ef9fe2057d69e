internal import CNghttp2
internal import HTTPWire

// Handling of complete heads, trailers and message ends.
extension HTTP2Machine {
    /// Handles a complete head or complete trailers; false if the connection must fail.
    func headReceived(_ id: Int32, _ category: nghttp2_headers_category, endsStream: Bool) -> Bool {
        do throws(HTTP2MessageFault) {
            if category == NGHTTP2_HCAT_REQUEST {
                requestReceived(try draft.request(endsStream: endsStream), id)
            } else if let stream = session.stream(id) {
                if role == .client || stream.hasFinalHead {
                    try end(stream, try draft.trailers(endsStream: endsStream))
                } else {
                    try answerReceived(stream, endsStream: endsStream)
                }
            }
            return true
        } catch {
            return refuse(id, error)
        }
    }

    /// Resets a stream whose message is malformed or too large; false if that was one reset too many.
    private func refuse(_ id: Int32, _ fault: HTTP2MessageFault) -> Bool {
        if let stream = session.stream(id) { return resetForFault(stream, fault) }
        session.reset(id, fault.code)
        if role == .client, !isShutDown { handler?.rejected(draft.rejected(fault, on: id)) }
        return noteReset()
    }

    private func answerReceived(_ stream: HTTP2Stream, endsStream: Bool) throws(HTTP2MessageFault) {
        let head = try draft.response(endsStream: endsStream, to: stream.requestKind)
        if head.isInterim { try stream.countInterim(draft.listBytes, limits) }
        stream.hasFinalHead = !head.isInterim
        if stream.hasFinalHead { stream.expectBody(of: head) }
        if endsStream { try stream.checkEnd() }
        stream.handler?.answered(head, endsStream: endsStream, on: stream)
        if endsStream { stream.end() }
    }

    private func requestReceived(_ request: HTTP2Request, _ id: Int32) {
        guard handler != nil, !isShutDown else { return session.reset(id, .refusedStream) }
        let stream = HTTP2Stream(id: id, handler: nil, machine: self)
        stream.headBytes = draft.listBytes
        memory.headBytes += draft.listBytes
        stream.hasFinalHead = true
        stream.expectBody(of: request)
        streams.keep(stream)
        nghttp2_session_set_stream_user_data(session.raw, id, Unmanaged.passUnretained(stream).toOpaque())
        // Content-Length is 0, but the stream has not ended. Wait to be sure that no body follows.
        if !request.endsStream, request.head.framing == .fixed(0) {
            stream.unopened = request
        } else {
            open(stream, request)
        }
    }

    private func open(_ stream: HTTP2Stream, _ request: HTTP2Request) {
        handler?.opened(request, stream)
        if request.endsStream { stream.end() }
    }

    /// Handles the end of the peer's half.
    private func end(_ stream: HTTP2Stream, _ trailers: FieldBlock? = nil) throws(HTTP2MessageFault) {
        try stream.checkEnd()
        guard var request = stream.unopened else { return stream.end(trailers: trailers) }
        stream.unopened = nil
        request.endsStream = trailers == nil
        open(stream, request)
        if trailers != nil { stream.end(trailers: trailers) }
    }

    /// Handles the end of a DATA frame.
    func dataEnded(_ header: nghttp2_frame_hd, _ padding: Int, endsStream: Bool) -> CallbackAnswer {
        if endsStream {
            guard let stream = session.stream(header.stream_id), stream.fault == nil else { return .proceed }
            do throws(HTTP2MessageFault) {
                try end(stream)
            } catch {
                return resetForFault(stream, error) ? .proceed : .stop
            }
        } else if padding > 0, padding >= header.length, !watch.notePadding(ticks: ticks) {
            pendingFailure = pendingFailure ?? .flood(.emptyData)
            return .stop
        }
        return .proceed
    }

    func settingsReceived(_ frame: nghttp2_settings, _ header: nghttp2_frame_hd) {
        guard header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 else { return }
        peerConcurrentStreams = frame.concurrentStreams ?? peerConcurrentStreams
        hasPeerSettings = true
        handler?.peerChangedSettings(self)
    }
}
