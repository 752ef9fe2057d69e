internal import CNghttp2
internal import HTTPWire
import Text

extension HTTP2Machine {
    /// Origin role: sends a request, with Host as `:authority` and only the fields that the next hop gets.
    ///
    /// - Returns: nil when no stream can be opened now, or the head can not be said in HTTP/2: it has no Host, or its
    ///   method or target has a character that none may have.
    public func open(_ request: HTTP2Request, handler: any HTTP2StreamHandler) -> HTTP2Stream? {
        guard canOpenStream, let pseudo = PseudoFields(request) else { return nil }
        let head = request.head
        let stream = HTTP2Stream(id: 0, handler: handler, machine: self)
        stream.isToHead = head.method == .head
        if request.endsStream { stream.finishAtOnce() }
        fields.begin(
            textBytes: pseudo.textBytes + Self.fixedText + via.utf8CodeUnitCount, fields: head.fields.count + 10)
        pseudo.add(to: &fields)
        var id: Int32 = 0
        MessageWriter.passOn(head.fields, .requestHead) { name, value in
            fields.add(name, value)
        } then: {
            addOurs(framing: head.framing, received: head.receivedVersion)
            var provider = bodyProvider()
            let user = Unmanaged.passUnretained(stream).toOpaque()
            id = fields.submit { list, count in
                request.endsStream
                    ? nghttp2_submit_request(session.raw, nil, list, count, nil, user)
                    : nghttp2_submit_request(session.raw, nil, list, count, &provider, user)
            }
        }
        guard id > 0 else { return nil }
        stream.id = id
        keep(stream)
        return stream
    }

    /// Queues a head of a response.
    func submit(_ head: ResponseHead, endsStream: Bool, on stream: HTTP2Stream) {
        let isFinal = head.status >= 200
        let framing = isFinal ? head.framing : .none
        let part = MessageWriter.Part.responseHead(keepsLength: MessageWriter.keepsLength(head, framing: framing))
        fields.begin(textBytes: Self.fixedText + via.utf8CodeUnitCount, fields: head.fields.count + 10)
        fields.add(":status", text: String(head.status))
        MessageWriter.passOn(head.fields, part) { name, value in
            fields.add(name, value)
        } then: {
            addOurs(framing: framing, received: head.receivedVersion)
            var provider = bodyProvider()
            _ = fields.submit { list, count in
                guard isFinal else {
                    let flags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
                    return nghttp2_submit_headers(session.raw, flags, stream.id, nil, list, count, nil)
                }
                return endsStream
                    ? nghttp2_submit_response(session.raw, stream.id, list, count, nil)
                    : nghttp2_submit_response(session.raw, stream.id, list, count, &provider)
            }
        }
    }

    /// Queues trailers; false when no field of them is left.
    func submit(trailers: FieldBlock, on id: Int32) -> Bool {
        fields.begin(textBytes: 0, fields: trailers.count)
        var isQueued = false
        MessageWriter.passOn(trailers, .trailers) { name, value in
            fields.add(name, value)
        } then: {
            guard fields.count > 0 else { return }
            isQueued = fields.submit { nghttp2_submit_trailer(session.raw, id, $0, $1) } == 0
        }
        return isQueued
    }

    /// The fields that this hop makes.
    private func addOurs(framing: BodyFraming, received: StaticString) {
        if case .fixed(let length) = framing { fields.add("content-length", text: String(max(length, 0))) }
        fields.add("via", received, via)
    }

    private func bodyProvider() -> nghttp2_data_provider {
        nghttp2_data_provider(source: nghttp2_data_source(ptr: nil), read_callback: readBody)
    }

    /// Bytes of text for numbers and the version in Via.
    private static let fixedText = 64
}

/// What a request says in its pseudo-header fields. Source: RFC 9113 section 8.3.1, RFC 8441 section 4.
private struct PseudoFields {
    private let method: String
    private let scheme: String
    private let authority: String
    private let path: String
    private let protocolName: String?
    /// CONNECT has neither scheme nor path (RFC 9113 section 8.5).
    private let isTunnel: Bool

    /// nil when a part is missing or has a byte that would be malformed.
    init?(_ request: HTTP2Request) {
        let head = request.head
        method = head.method.name
        protocolName = request.protocolName
        isTunnel = head.method == .connect && request.protocolName == nil
        switch head.target {
        case .absolute(let target):
            scheme = target.scheme
            authority = Self.authority(target.host, target.port)
            path = target.path
        case .authority(let host, let port):
            scheme = ""
            authority = Self.authority(host, port)
            path = ""
        case .path(let text):
            scheme = request.scheme
            authority = head.fields.value(of: .host) ?? ""
            path = text
        case .asterisk:
            scheme = request.scheme
            authority = head.fields.value(of: .host) ?? ""
            path = "*"
        }
        guard !authority.isEmpty, isTunnel || !(scheme.isEmpty || path.isEmpty) else { return nil }
        guard Self.isSayable(scheme), Self.isSayable(authority), Self.isSayable(path),
            Self.isSayable(protocolName ?? "")
        else { return nil }
    }

    var textBytes: Int {
        method.utf8.count + scheme.utf8.count + authority.utf8.count + path.utf8.count
            + (protocolName?.utf8.count ?? 0)
    }

    func add(to list: inout NameValueList) {
        list.add(":method", text: method)
        if !isTunnel { list.add(":scheme", text: scheme) }
        list.add(":authority", text: authority)
        if !isTunnel { list.add(":path", text: path) }
        if let protocolName { list.add(":protocol", text: protocolName) }
    }

    private static func isSayable(_ part: String) -> Bool { part.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F } }

    private static func authority(_ host: String, _ port: Int?) -> String {
        Authority(host: host, port: port).description
    }
}
