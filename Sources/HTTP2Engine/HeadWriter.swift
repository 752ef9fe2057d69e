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
