internal import CNghttp2
internal import HTTPWire

/// Submits heads and trailers to nghttp2: the fields for the next hop, and those that this hop adds.
struct HeadWriter: ~Copyable {
    private let session: NGHTTP2Session
    private let via: StaticString
    private var fields = NameValueList()

    /// - Parameter via: our name in Via.
    init(session: NGHTTP2Session, via: StaticString) {
        self.session = session
        self.via = via
    }

    /// Queues a request.
    ///
    /// - Returns: the stream id; nil if HTTP/2 cannot express the request, or nghttp2 accepts no more.
    mutating func queue(_ request: HTTP2Request, on stream: HTTP2Stream) -> Int32? {
        guard let pseudo = PseudoFields(request) else { return nil }
        let head = request.head
        let raw = session.raw
        fields.begin(
            textBytes: pseudo.textBytes + Self.fixedText + via.utf8CodeUnitCount, fields: head.fields.count + 10)
        pseudo.add(to: &fields)
        var id: Int32 = 0
        MessageWriter.forwardFields(head.fields, .requestHead) { name, value in
            fields.add(name, value)
        } then: {
            addOurs(framing: head.framing, received: head.receivedVersion)
            var provider = Self.bodyProvider()
            let user = Unmanaged.passUnretained(stream).toOpaque()
            id = fields.submit { list, count in
                request.endsStream
                    ? nghttp2_submit_request(raw, nil, list, count, nil, user)
                    : nghttp2_submit_request(raw, nil, list, count, &provider, user)
            }
        }
        return id > 0 ? id : nil
    }

    /// Queues a head of a response.
    mutating func queue(_ head: ResponseHead, endsStream: Bool, on stream: HTTP2Stream) {
        let isFinal = head.status >= 200
        let framing = isFinal ? head.framing : .none
        let raw = session.raw
        let part = MessageWriter.Part.responseHead(keepsLength: MessageWriter.keepsLength(head, framing: framing))
        fields.begin(textBytes: Self.fixedText + via.utf8CodeUnitCount, fields: head.fields.count + 10)
        fields.add(":status", text: String(head.status))
        MessageWriter.forwardFields(head.fields, part) { name, value in
            fields.add(name, value)
        } then: {
            addOurs(framing: framing, received: head.receivedVersion)
            var provider = Self.bodyProvider()
            stream.noteHeadQueued(fields.bytes)
            _ = fields.submit { list, count in
                guard isFinal else {
                    let flags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
                    return nghttp2_submit_headers(raw, flags, stream.id, nil, list, count, nil)
                }
                return endsStream
                    ? nghttp2_submit_response(raw, stream.id, list, count, nil)
                    : nghttp2_submit_response(raw, stream.id, list, count, &provider)
            }
        }
    }

    /// Queues trailers; false if none of their fields is allowed.
    mutating func queue(trailers: FieldBlock, on stream: HTTP2Stream) -> Bool {
        let raw = session.raw
        fields.begin(textBytes: 0, fields: trailers.count)
        var isQueued = false
        MessageWriter.forwardFields(trailers, .trailers) { name, value in
            fields.add(name, value)
        } then: {
            guard fields.count > 0 else { return }
            isQueued = fields.submit { nghttp2_submit_trailer(raw, stream.id, $0, $1) } == 0
            if isQueued { stream.noteHeadQueued(fields.bytes) }
        }
        return isQueued
    }

    /// Adds the fields that this hop makes.
    private mutating func addOurs(framing: BodyFraming, received: StaticString) {
        if case .fixed(let length) = framing { fields.add("content-length", text: String(max(length, 0))) }
        fields.add("via", received, via)
    }

    private static func bodyProvider() -> nghttp2_data_provider {
        nghttp2_data_provider(source: nghttp2_data_source(ptr: nil), read_callback: readBody)
    }

    /// Bytes of text for numbers and the version in Via.
    private static let fixedText = 64
}

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
