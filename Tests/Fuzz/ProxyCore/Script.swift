import ATSPolicy

/// The fuzzer's input, read front to back.
struct Script {
    private var rest: Slice<UnsafeBufferPointer<UInt8>>

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        rest = bytes[...]
    }

    mutating func byte() -> UInt8? { rest.popFirst() }

    /// Returns a number below `limit`; 0 at the end of the script.
    mutating func number(below limit: Int) -> Int { Int(rest.popFirst() ?? 0) % max(limit, 1) }

    mutating func pick<Element>(of list: [Element]) -> Element? {
        list.isEmpty ? nil : list[number(below: list.count)]
    }

    /// Returns up to as many of the remaining bytes as the next byte gives.
    mutating func bytes() -> [UInt8] {
        let count = number(below: 256)
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// Client bytes in HTTP/1, TLS and other protocols.
    static let clientWords = [
        "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n", "GET http://b.test/ HTTP/1.0\r\n\r\n",
        "GET http://denied.example/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: good.test\r\n\r\n",
        "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 9\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
        "9\r\n123456789\r\n", "0\r\n\r\n", "0\r\nTrailer: x\r\n\r\n", "123456789", "GET ", "\r\n",
        "HEAD / HTTP/1.0\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\0\0\0\u{4}\0\0\0\0\0",
        "GET / HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        "GET http://127.0.0.1:9802/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.test\r\nAuthorization: NTLM\r\n\r\n",
        "CONNECT good.test:443 HTTP/1.1\r\nHost: good.test:443\r\n\r\n",
        "CONNECT 192.0.2.1:443 HTTP/1.1\r\nHost: x\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{0}\u{4}\u{1}\u{0}\u{0}\u{0}", "\u{1}\u{2}", "SSH-2.0-x\r\n", "\u{5}\u{1}\u{0}",
        "\u{5}\u{1}\u{0}\u{3}\u{9}good.test\u{1}\u{3B}", String(repeating: "y", count: 1_500),
    ]

    /// Origin bytes in HTTP/1 and other protocols.
    static let originWords = [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 200 OK\r\nContent-Length: 40000\r\n\r\n", "ok",
        "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", "HTTP/1.1 204 No\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 200 OK\r\nConnection: close\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "2\r\nok\r\n0\r\n\r\n", "0\r\nX: y\r\n\r\n",
        "HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 302 F\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 401 No\r\nWWW-Authenticate: Negotiate\r\nContent-Length: 0\r\n\r\n", "220 hi\r\n",
        "\0\0\0\u{4}\0\0\0\0\0", "\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}", String(repeating: "z", count: 1_500),
    ]

    static let failures: [NetworkFailure] = [
        .refused, .timeout, .name(code: -2), .reset(errno: 104), .noDescriptors, .ownAddress, .forbidden,
        .parent("p.test:1", .answered(status: 403)),
    ]
}
