public import Bytes

/// Writes messages anew from what was read; bytes of a sender are never passed on unread.
///
/// What belongs to one connection only is left out (RFC 9110 section 7.6.1): Connection and all it names, Keep-Alive,
/// Proxy-Connection, Transfer-Encoding, TE other than `trailers`, Upgrade, HTTP2-Settings, and what client and proxy
/// say to each other in Proxy-Authenticate, Proxy-Authorization and Proxy-Authentication-Info. The framing field is
/// made from the framing, and one Via line is added.
public enum MessageWriter {
    /// Writes a request for the next hop as HTTP/1.1. Host comes first; an absolute target overrules the Host that
    /// was read (RFC 9112 section 3.2.2).
    ///
    /// - Parameters:
    ///   - asOriginForm: writes path and query only; otherwise an absolute target is written whole.
    ///   - via: our name alone, for example `atsgate`; the version received is put before it (RFC 9110 section 7.6.3).
    ///   - keepUpgrade: passes Upgrade on, for an upgrade that is allowed.
    ///   - proxyAuthorization: our own credentials for a next hop that is a proxy (RFC 9110 section 11.7.2).
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

    /// Writes a response for the client as HTTP/1.1; interim ones (1xx) too.
    ///
    /// With framing `none` the Content-Length that was read is kept where it tells what GET would have brought (HEAD
    /// and 304), and left out of 1xx and 204 (RFC 9110 section 8.6).
    /// - Parameters:
    ///   - framing: how the body will be written; `untilClose` for a client of HTTP/1.0 that gets a chunked body.
    ///   - persistent: false adds `Connection: close`, but not to 1xx.
    ///   - keepUpgrade: passes Upgrade on, for a 101 that was asked for.
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

    /// Bytes for everything in a head that is not copied from it.
    private static func fixedRoom(_ via: StaticString) -> Int { 192 + via.utf8CodeUnitCount }
}

/// What a Connection field of ours can say.
struct ConnectionOptions: OptionSet {
    let rawValue: UInt8
    static let close = ConnectionOptions(rawValue: 1)
    static let upgrade = ConnectionOptions(rawValue: 2)
    static let te = ConnectionOptions(rawValue: 4)
}
