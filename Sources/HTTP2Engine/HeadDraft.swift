internal import CNghttp2
internal import HTTPWire
import Text

/// A head or trailers that are being received, field by field. One per connection: header blocks are not interleaved
/// (RFC 9113 section 4.3).
///
/// The first fault is kept, and thrown at the end of the block, when the message is known as completely as possible.
struct HeadDraft: ~Copyable {
    /// The kind of block.
    enum Kind {
        /// `extended`: `:protocol` was allowed (RFC 8441 section 3).
        case request(extended: Bool)
        case response
        case trailers
    }

    private var kind = Kind.trailers
    var fields = FieldGatherer()
    private(set) var pseudo = PseudoDraft()
    private(set) var fault: HTTP2MessageFault?
    /// True after the first regular field.
    private var hasRegular = false
    /// Counted as in RFC 9113 section 6.5.2.
    private(set) var listBytes = 0
    private var fieldCount = 0

    /// Starts a new block.
    mutating func begin(_ kind: Kind) {
        self.kind = kind
        fields.removeAll()
        pseudo = PseudoDraft()
        fault = nil
        hasRegular = false
        listBytes = 0
        fieldCount = 0
    }

    /// Adds one field. After a fault, keeps only pseudo-header fields. Once a block is too large, keeps no further
    /// field.
    mutating func take(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, within limits: HTTP2Limits
    ) {
        fieldCount &+= 1
        listBytes &+= name.count &+ value.count &+ 32
        do throws(HTTP2MessageFault) {
            guard listBytes <= limits.headerListBytes else { throw .wire(.headTooLarge) }
            guard fieldCount <= limits.fieldCount else { throw .wire(.tooManyFields) }
            if name.first == Self.colon { return try takePseudo(name, value) }
            hasRegular = true
            guard fault == nil else { return }
            try takeRegular(name, value)
        } catch {
            if fault == nil { fault = error }
        }
    }

    private mutating func takeRegular(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(HTTP2MessageFault) {
        do throws(WireError) {
            try fields.append(name, value)
        } catch {
            throw Self.fault(of: error, name, value)
        }
    }

    /// Returns the HTTP/2 fault for an error of the gatherer.
    private static func fault(
        of error: WireError, _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) -> HTTP2MessageFault {
        let isToken = Method(untrusted: name) != nil
        switch error {
        case .badFieldName where name.contains { $0 &- 0x41 < 26 }: return .upperCaseName
        case .badFieldName where isToken: return .connectionField
        case .badFieldValue where value.first.map(isBlank) == true || value.last.map(isBlank) == true:
            return .blankAroundValue
        case .badFieldValue where name.isEqual("te"): return .connectionField
        default: return .wire(error)
        }
    }

    private mutating func takePseudo(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(HTTP2MessageFault) {
        guard let field = PseudoField(name), isAllowed(field) else { throw .unknownPseudoField }
        guard !hasRegular else { throw .latePseudoField }
        let isFirst: Bool
        do throws(WireError) {
            isFirst = try pseudo.take(field, value)
            if isFirst, field == .authority { try fields.appendHost(value) }
        } catch {
            pseudo.noteRefused(field, value)
            throw .badPseudoField
        }
        guard isFirst else { throw .repeatedPseudoField }
    }

    private func isAllowed(_ field: PseudoField) -> Bool {
        switch kind {
        case .request(let extended): field != .status && (field != .protocol || extended)
        case .response: field == .status
        case .trailers: false
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static let colon: UInt8 = 0x3A

    /// Returns the request for the collected fields. Source: RFC 9113 sections 8.1.1, 8.3.1 and 8.5, RFC 8441 section
    /// 4.
    func request(endsStream: Bool) throws(HTTP2MessageFault) -> HTTP2Request {
        if let fault { throw fault }
        try require(.method)
        guard let method = pseudo.method else { throw .missingPseudoField }
        let isTunnel = method == .connect && pseudo.protocolName == nil
        try checkParts(isTunnel: isTunnel, isConnect: method == .connect)
        let block = fields.block()
        guard block.contains(.host) else { throw .missingPseudoField }
        var framing = try framing(of: block, endsStream: endsStream, hasBody: true)
        if case .fixed(let length) = framing, length > 0, endsStream { throw .contradictedLength }
        if method == .connect, case .fixed(let length) = framing {
            guard length == 0 else { throw .wire(.connectWithBody) }
            framing = endsStream ? .none : .chunked
        }
        var head = RequestHead(
            method: method, target: try target(of: method, isTunnel: isTunnel), fields: block, framing: framing)
        head.isFromHTTP2 = true
        head.expectsContinue = framing != .none && block.contains("100-continue", in: .expect)
        return HTTP2Request(
            head: head, scheme: pseudo.scheme, protocolName: pseudo.protocolName, endsStream: endsStream)
    }

    private func checkParts(isTunnel: Bool, isConnect: Bool) throws(HTTP2MessageFault) {
        if pseudo.has(.protocol), !isConnect { throw .unknownPseudoField }
        if isConnect { try require(.authority) }
        if isTunnel {
            if pseudo.has(.scheme) || pseudo.has(.path) { throw .unknownPseudoField }
        } else {
            try require(.scheme)
            try require(.path)
        }
    }

    private func target(of method: Method, isTunnel: Bool) throws(HTTP2MessageFault) -> RequestTarget {
        do throws(WireError) {
            guard let target = isTunnel ? try fields.connectTarget() : pseudo.target else { throw .badTarget }
            guard target != .asterisk || method == .options else { throw .badTarget }
            return target
        } catch {
            throw .wire(error)
        }
    }

    private func require(_ field: PseudoField) throws(HTTP2MessageFault) {
        guard pseudo.has(field) else { throw .missingPseudoField }
    }

    /// Returns the response for the collected fields.
    ///
    /// - Parameter requestKind: the kind of request that it answers.
    func response(endsStream: Bool, to requestKind: ResponseHead.Answering) throws(HTTP2MessageFault) -> ResponseHead {
        if let fault { throw fault }
        try require(.status)
        let status = pseudo.status
        var block = fields.block()
        // RFC 9110 section 8.6: a 1xx or 204 has no Content-Length. A zero is common in a 204, and dropped.
        if status < 200 || status == 204, block.contains(.contentLength) {
            let length = try length(of: block)
            guard status == 204, length == 0 else { throw .wire(.badLength) }
            block.remove(.contentLength)
        }
        // The content of a tunnel has no length (RFC 9110 section 9.3.6).
        if requestKind == .connect, 200..<300 ~= status { block.remove(.contentLength) }
        if status < 200, endsStream { throw .endedInterim }
        let hasBody = requestKind != .head && status >= 200 && status != 204 && status != 304
        let framing = try framing(of: block, endsStream: endsStream, hasBody: hasBody)
        var head = ResponseHead(status: status, reason: "", fields: block, framing: framing)
        head.isFromHTTP2 = true
        return head
    }

    /// Returns the collected fields as trailers.
    func trailers(endsStream: Bool) throws(HTTP2MessageFault) -> FieldBlock {
        if let fault { throw fault }
        guard endsStream else { throw .openTrailers }
        return fields.block()
    }

    /// Returns the known parts of a request that is rejected.
    func rejected(_ fault: HTTP2MessageFault, on id: Int32) -> HTTP2RejectedRequest {
        HTTP2RejectedRequest(
            streamID: id, fault: fault, method: pseudo.text(.method), scheme: pseudo.text(.scheme),
            authority: fields.block().value(of: .host) ?? pseudo.text(.authority), path: pseudo.text(.path))
    }

    private func framing(
        of block: FieldBlock, endsStream: Bool, hasBody: Bool
    ) throws(HTTP2MessageFault) -> BodyFraming {
        if block.contains(.contentLength) {
            let length = try length(of: block)
            return hasBody ? .fixed(length) : .none
        }
        return endsStream || !hasBody ? .none : .chunked
    }

    private func length(of block: FieldBlock) throws(HTTP2MessageFault) -> Int64 {
        do throws(WireError) {
            return try block.contentLength()
        } catch {
            throw .wire(error)
        }
    }
}

/// The pseudo-header fields of RFC 9113 section 8.3 and RFC 8441 section 4.
enum PseudoField: UInt8 {
    case method, scheme, authority, path, `protocol`, status

    init?(_ name: UnsafeRawBufferPointer) {
        if name.isEqual(":path") {
            self = .path
        } else if name.isEqual(":method") {
            self = .method
        } else if name.isEqual(":authority") {
            self = .authority
        } else if name.isEqual(":scheme") {
            self = .scheme
        } else if name.isEqual(":status") {
            self = .status
        } else if name.isEqual(":protocol") {
            self = .protocol
        } else {
            return nil
        }
    }
}

/// The received pseudo-header fields of a head.
struct PseudoDraft {
    private var seen: UInt8 = 0
    private(set) var method: Method?
    private(set) var target: RequestTarget?
    private(set) var scheme = ""
    private(set) var protocolName: String?
    private(set) var status = 0
    /// Rejected values by field, for the record of the request.
    private var refused: [PseudoField: String] = [:]

    func has(_ field: PseudoField) -> Bool { seen & (1 << field.rawValue) != 0 }

    /// Adds a field, except the authority, which the gatherer adds.
    ///
    /// - Returns: false if the field was there before.
    /// - Throws: the error in its value.
    mutating func take(_ field: PseudoField, _ value: UnsafeRawBufferPointer) throws(WireError) -> Bool {
        guard !has(field) else { return false }
        seen |= 1 << field.rawValue
        switch field {
        case .path: target = try RequestTarget(path: value)
        case .method: method = try Self.token(value)
        case .scheme: scheme = try Self.scheme(value)
        case .status: status = try Self.status(value)
        case .protocol: protocolName = try Self.token(value).name
        case .authority: break
        }
        return true
    }

    /// Keeps an invalid value for the report of the rejected request.
    mutating func noteRefused(_ field: PseudoField, _ value: UnsafeRawBufferPointer) {
        refused[field] = String(decoding: value, as: UTF8.self)
    }

    /// Returns the received value as text.
    func text(_ field: PseudoField) -> String? {
        if let text = refused[field] { return text }
        switch (field, target) {
        case (.method, _): return method?.name
        case (.scheme, _): return has(.scheme) ? scheme : nil
        case (.path, .path(let path)): return path
        case (.path, .asterisk): return "*"
        default: return nil
        }
    }

    private static func token(_ value: UnsafeRawBufferPointer) throws(WireError) -> Method {
        guard let method = Method(untrusted: value) else { throw .badStartLine }
        return method
    }

    /// Reads a scheme (RFC 3986 section 3.1). Common schemes allocate no text.
    private static func scheme(_ value: UnsafeRawBufferPointer) throws(WireError) -> String {
        if value.isEqual("https") { return "https" }
        if value.isEqual("http") { return "http" }
        guard let first = value.first, isLetter(first) else { throw .badTarget }
        let isScheme = value.allSatisfy {
            isLetter($0) || $0 &- 0x30 < 10 || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E
        }
        guard isScheme else { throw .badTarget }
        return String(decoding: value, as: UTF8.self)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    /// Reads three digits; 101 does not exist in HTTP/2 (RFC 9113 section 8.6).
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
}

extension UnsafeRawBufferPointer {
    /// True if the bytes are `text`.
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

/// The pseudo-header fields of a request to send. Source: RFC 9113 section 8.3.1, RFC 8441 section 4.
struct PseudoFields {
    private let method: String
    private let scheme: String
    private let authority: String
    private let path: String
    private let protocolName: String?
    /// CONNECT has neither scheme nor path (RFC 9113 section 8.5).
    private let isTunnel: Bool

    /// nil if a part is missing or contains an invalid byte.
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

// Complete heads, trailers and message ends.
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
    func end(_ stream: HTTP2Stream, _ trailers: FieldBlock? = nil) throws(HTTP2MessageFault) {
        try stream.checkEnd()
        guard var request = stream.unopened else { return stream.end(trailers: trailers) }
        stream.unopened = nil
        request.endsStream = trailers == nil
        open(stream, request)
        if trailers != nil { stream.end(trailers: trailers) }
    }
}
