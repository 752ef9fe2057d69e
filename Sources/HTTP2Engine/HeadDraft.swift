internal import HTTPWire

/// A head or trailers that are being received, field by field. There is one for each connection: header blocks are not
/// interleaved (RFC 9113 section 4.3).
struct HeadDraft: ~Copyable {
    private var fields = FieldGatherer()
    private var method: Method?
    private var target: RequestTarget?
    private var scheme = ""
    private var protocolName: String?
    private var status = 0
    /// As RFC 9113 section 6.5.2 counts.
    private var listBytes = 0
    private var fieldCount = 0

    /// Begins a new one.
    mutating func begin() {
        fields.removeAll()
        method = nil
        target = nil
        scheme = ""
        protocolName = nil
        status = 0
        listBytes = 0
        fieldCount = 0
    }

    /// Takes one field; nghttp2 has seen to it that pseudo-header fields come first, once, and where they belong.
    ///
    /// - Throws: what is wrong with it; the message is then malformed or too large.
    mutating func take(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, within limits: HTTP2Limits
    ) throws(WireError) {
        fieldCount += 1
        listBytes += name.count + value.count + 32
        guard listBytes <= limits.headerListBytes else { throw .headTooLarge }
        guard fieldCount <= limits.fieldCount else { throw .tooManyFields }
        if name.first == Self.colon { return try takePseudo(name, value) }
        try fields.append(name, value)
    }

    private mutating func takePseudo(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(WireError) {
        if name.isEqual(":path") {
            target = try RequestTarget(path: value)
        } else if name.isEqual(":method") {
            guard let method = Method(untrusted: value) else { throw .badStartLine }
            self.method = method
        } else if name.isEqual(":authority") {
            try fields.appendHost(value)
        } else if name.isEqual(":scheme") {
            scheme = String(decoding: value, as: UTF8.self)
        } else if name.isEqual(":status") {
            status = try Self.status(value)
        } else if name.isEqual(":protocol") {
            guard let token = Method(untrusted: value) else { throw .badStartLine }
            protocolName = token.name
        } else {
            throw .badFieldName
        }
    }

    /// The request that the fields make. Source: RFC 9113 sections 8.3.1 and 8.5, RFC 8441 section 4.
    func request(endsStream: Bool) throws(WireError) -> HTTP2Request {
        guard let method else { throw .badStartLine }
        let isTunnel = method == .connect && protocolName == nil
        let block = fields.block()
        guard block.contains(.host) else { throw .missingHost }
        guard let target = isTunnel ? try fields.connectTarget() : target else { throw .badTarget }
        guard target != .asterisk || method == .options else { throw .badTarget }
        var framing = try framing(of: block, endsStream: endsStream, hasBody: true)
        if method == .connect, case .fixed(let length) = framing {
            guard length == 0 else { throw .connectWithBody }
            framing = endsStream ? .none : .chunked
        }
        var head = RequestHead(method: method, target: target, fields: block, framing: framing)
        head.isFromHTTP2 = true
        head.expectsContinue = framing != .none && block.contains("100-continue", in: .expect)
        return HTTP2Request(head: head, scheme: scheme, protocolName: protocolName, endsStream: endsStream)
    }

    /// The response that the fields make.
    ///
    /// - Parameter toHead: it answers HEAD.
    func response(endsStream: Bool, toHead: Bool) throws(WireError) -> ResponseHead {
        let block = fields.block()
        let hasBody = !toHead && status >= 200 && status != 204 && status != 304
        let framing = try framing(of: block, endsStream: endsStream, hasBody: hasBody)
        var head = ResponseHead(status: status, reason: "", fields: block, framing: framing)
        head.isFromHTTP2 = true
        return head
    }

    /// The fields alone, for trailers.
    func trailers() -> FieldBlock { fields.block() }

    private func framing(
        of block: FieldBlock, endsStream: Bool, hasBody: Bool
    ) throws(WireError) -> BodyFraming {
        guard hasBody else { return .none }
        if block.contains(.contentLength) { return .fixed(try block.contentLength()) }
        return endsStream ? .none : .chunked
    }

    /// Three digits; 101 does not exist in HTTP/2 (RFC 9113 section 8.6).
    private static func status(_ value: UnsafeRawBufferPointer) throws(WireError) -> Int {
        var status = 0
        for byte in value {
            guard byte &- 0x30 < 10 else { throw .badStartLine }
            status = status * 10 + Int(byte &- 0x30)
            guard status < 1_000 else { throw .badStartLine }
        }
        guard value.count == 3, status >= 100, status != 101 else { throw .badStartLine }
        return status
    }

    private static let colon: UInt8 = 0x3A
}

extension UnsafeRawBufferPointer {
    /// True when the bytes are `text`.
    @inline(__always)
    func isEqual(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        var index = 0
        while index < count {
            if self[index] != text.utf8Start[index] { return false }
            index &+= 1
        }
        return true
    }
}
