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
