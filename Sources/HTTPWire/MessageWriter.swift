public import Bytes

/// Serializes messages from their parsed form. Bytes of a sender are never forwarded unparsed.
///
/// Leaves out the fields of a single connection (RFC 9110 section 7.6.1): Connection and all it names, Keep-Alive,
/// Proxy-Connection, Transfer-Encoding, TE other than `trailers`, Upgrade and HTTP2-Settings. Proxy-Authenticate,
/// Proxy-Authorization and Proxy-Authentication-Info, which are between client and proxy, are left out, too. Makes the
/// framing field from the framing, and adds one Via line.
public enum MessageWriter {
    /// Writes a request for the next hop as HTTP/1.1. Host comes first; an absolute target replaces the received Host
    /// (RFC 9112 section 3.2.2).
    ///
    /// - Parameters:
    ///   - asOriginForm: true to write path and query only; otherwise an absolute target is written whole.
    ///   - via: our name alone, for example `atsgate`; the received version is written before it (RFC 9110 section
    ///     7.6.3).
    ///   - keepUpgrade: forwards Upgrade, for an upgrade that is allowed.
    ///   - proxyAuthorization: our credentials for a next hop that is a proxy (RFC 9110 section 11.7.2).
    public static func request(
        _ head: RequestHead, asOriginForm: Bool, via: StaticString, to queue: ByteQueue, keepUpgrade: Bool = false,
        proxyAuthorization: String? = nil
    ) {
        let room =
            head.fields.storage.count + head.target.sizeBound + head.method.name.utf8.count + fixedRoom(via)
            + (proxyAuthorization.map { $0.utf8.count + 32 } ?? 0)
        queue.append(limit: room) { memory in
            var memoryWriter = MemoryWriter(memory)
            memoryWriter.put(text: head.method.name)
            memoryWriter.put(Ascii.space)
            memoryWriter.put(head.target, asOriginForm: asOriginForm)
            memoryWriter.put(" HTTP/1.1\r\n")
            memoryWriter.putHost(of: head)
            let dropped = hopByHop | KnownField.host.bit
            let options = memoryWriter.putFields(
                of: head.fields, dropped: dropped, keepUpgrade: keepUpgrade, takesTrailers: true)
            if let proxyAuthorization { memoryWriter.putProxyAuthorization(proxyAuthorization) }
            memoryWriter.putFraming(head.framing)
            memoryWriter.putConnection(options)
            memoryWriter.putVia(via, head.receivedVersion)
            memoryWriter.put("\r\n")
            return memoryWriter.used
        }
    }

    /// Writes a response for the client as HTTP/1.1, also an interim one (1xx).
    ///
    /// With framing `none`, a received Content-Length that is the length of a GET (HEAD and 304) is kept; it is left
    /// out of 1xx and 204 (RFC 9110 section 8.6).
    /// - Parameters:
    ///   - framing: the framing of the body as written; `untilClose` for a chunked body to an HTTP/1.0 client.
    ///   - persistent: false adds `Connection: close`, but not to 1xx.
    ///   - keepUpgrade: forwards Upgrade, for a 101 that the client requested.
    public static func response(
        _ head: ResponseHead, framing: BodyFraming, persistent: Bool, via: StaticString, to queue: ByteQueue,
        keepUpgrade: Bool = false
    ) {
        let room = head.fields.storage.count + head.reason.utf8.count + fixedRoom(via)
        queue.append(limit: room) { memory in
            var memoryWriter = MemoryWriter(memory)
            memoryWriter.put("HTTP/1.1 ")
            memoryWriter.put(UInt64(max(head.status, 0)), radix: 10)
            memoryWriter.put(Ascii.space)
            memoryWriter.put(checked: head.reason)
            memoryWriter.put("\r\n")
            let dropped = keepsLength(head, framing: framing) ? hopByHop & ~KnownField.contentLength.bit : hopByHop
            var options = memoryWriter.putFields(
                of: head.fields, dropped: dropped, keepUpgrade: keepUpgrade, takesTrailers: false)
            if !persistent, head.status >= 200 { options.insert(.close) }
            memoryWriter.putFraming(framing)
            memoryWriter.putConnection(options)
            memoryWriter.putVia(via, head.receivedVersion)
            memoryWriter.put("\r\n")
            return memoryWriter.used
        }
    }

    /// Fields that are never copied.
    static let hopByHop: UInt64 =
        KnownField.connection.bit | KnownField.keepAlive.bit | KnownField.proxyConnection.bit | KnownField.te.bit
        | KnownField.transferEncoding.bit | KnownField.contentLength.bit | KnownField.upgrade.bit
        | KnownField.http2Settings.bit | KnownField.proxyAuthenticate.bit | KnownField.proxyAuthorization.bit
        | KnownField.proxyAuthenticationInfo.bit

    /// Bytes for the parts of a head that are not copied.
    private static func fixedRoom(_ via: StaticString) -> Int { 192 + via.utf8CodeUnitCount }
}

/// The options that a Connection field of ours can contain.
struct ConnectionOptions: OptionSet {
    let rawValue: UInt8
    static let close = ConnectionOptions(rawValue: 1)
    static let upgrade = ConnectionOptions(rawValue: 2)
    static let te = ConnectionOptions(rawValue: 4)
}

extension MessageWriter {
    /// A part of a message that has fields.
    public enum Part: Sendable {
        case requestHead
        /// - Parameter keepsLength: see ``MessageWriter/keepsLength(_:framing:)``.
        case responseHead(keepsLength: Bool)
        case trailers
    }

    /// Calls `body` with name and value of every field for the next hop, then `finish`. Names keep their case, and the
    /// bytes stay valid until `finish` returns. For writers of another HTTP version.
    ///
    /// The rules are those of this type; the caller writes framing fields, Host and Via.
    public static func forwardFields(
        _ fields: FieldBlock, _ part: Part, each body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void,
        then finish: () -> Void
    ) {
        fields.storage.withUnsafeBytes { bytes in
            fields.walkForwarded(in: ByteView(bytes), dropped: dropped(from: part)) { record, view in
                body(view.slice(record.name), view.slice(record.value))
            }
            if case .requestHead = part, fields.hasMember(of: .te, equalTo: "trailers") {
                body(raw("te"), raw("trailers"))
            }
            finish()
        }
    }

    /// True if the received Content-Length is the length that GET would have (RFC 9110 section 8.6).
    public static func keepsLength(_ head: ResponseHead, framing: BodyFraming) -> Bool {
        framing == .none && head.status >= 200 && head.status != 204
    }

    private static func dropped(from part: Part) -> UInt64 {
        switch part {
        case .requestHead: hopByHop | KnownField.host.bit
        case .responseHead(let keepsLength): keepsLength ? hopByHop & ~KnownField.contentLength.bit : hopByHop
        case .trailers: notInTrailers
        }
    }

    private static func raw(_ text: StaticString) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}

extension FieldBlock {
    /// Calls `body` with each record that is neither in `dropped` nor named by Connection.
    @inline(__always)
    func walkForwarded(in view: ByteView, dropped: UInt64, _ body: (FieldRecord, ByteView) -> Void) {
        let nominees = nominees
        var offset = 0
        while offset < view.count {
            let record = FieldRecord(in: view, at: offset)
            offset = record.end
            let bit = record.bit
            guard bit & dropped == 0 else { continue }
            if bit & Self.neverNominated == 0,
                nominees.contains(where: { equalInAnyCase(view.slice($0), view.slice(record.name)) })
            {
                continue
            }
            body(record, view)
        }
    }

    /// The places of the field names in Connection, gathered once for all fields. ``WireLimits`` bounds their number. Its
    /// well-known options are not field names.
    private var nominees: [Range<Int>] {
        guard contains(.connection) else { return [] }
        var places: [Range<Int>] = []
        _ = hasMember(of: .connection) { view, member in
            func named(_ text: StaticString) -> Bool { view.matches(text, at: member.lowerBound, count: member.count) }
            if !(named("keep-alive") || named("close") || named("upgrade") || named("te")) { places.append(member) }
            return false
        }
        return places
    }

    /// Fields that a sender must not name in Connection, because the next hop needs them (RFC 9110 section 7.6.1).
    private static let neverNominated: UInt64 =
        KnownField.host.bit | KnownField.contentLength.bit | KnownField.upgrade.bit | KnownField.via.bit
        | KnownField.contentType.bit | KnownField.contentEncoding.bit | KnownField.authorization.bit
        | KnownField.cacheControl.bit
}

extension MessageWriter {
    /// Writes one chunk. Writes nothing if `bytes` is empty, because an empty chunk would end the body.
    public static func chunk(_ bytes: UnsafeRawBufferPointer, to queue: ByteQueue) {
        guard bytes.count > 0 else { return }
        queue.append(limit: bytes.count + 20) { memory in
            var memoryWriter = MemoryWriter(memory)
            memoryWriter.put(UInt64(bytes.count), radix: 16)
            memoryWriter.put("\r\n")
            memoryWriter.put(bytes)
            memoryWriter.put("\r\n")
            return memoryWriter.used
        }
    }

    /// Writes the last chunk and trailers, without fields that frame, route or belong to one connection (RFC 9110
    /// section 6.5.1).
    public static func chunkEnd(trailers: FieldBlock?, to queue: ByteQueue) {
        let room = (trailers?.storage.count ?? 0) + 8
        queue.append(limit: room) { memory in
            var memoryWriter = MemoryWriter(memory)
            memoryWriter.put("0\r\n")
            trailers?.walk { record, view in
                if record.bit & notInTrailers == 0 { memoryWriter.put(view.slice(record.line)) }
                return true
            }
            memoryWriter.put("\r\n")
            return memoryWriter.used
        }
    }

    static let notInTrailers: UInt64 =
        hopByHop | KnownField.host.bit | KnownField.trailer.bit | KnownField.expect.bit | KnownField.maxForwards.bit
        | KnownField.authorization.bit | KnownField.cookie.bit | KnownField.setCookie.bit | KnownField.range.bit
        | KnownField.contentType.bit | KnownField.contentEncoding.bit | KnownField.cacheControl.bit
}
