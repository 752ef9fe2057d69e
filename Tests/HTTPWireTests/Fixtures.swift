import HTTPWire
import Testing

/// A sequence of messages and the expected events of a reader.
struct Fixture: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    /// The methods of the answered requests; nil for requests.
    let responsesTo: [Method]?
    let expected: [String]
    var error: WireError?

    var testDescription: String { name }

    init(
        _ name: String, _ text: String, to methods: [Method]? = nil, _ expected: [String], error: WireError? = nil
    ) {
        self.name = name
        self.bytes = wire(text)
        self.responsesTo = methods
        self.expected = expected
        self.error = error
    }

    static let all = requests + responses

    static let requests = [
        Fixture(
            "absolute GET", "GET HTTP://Example.COM:8080/a?b=c HTTP/1.1|Host: other|accept:*/*  |X-Empty:||",
            [
                "GET \(absolute("example.com", 8080, "/a?b=c")) 1.1 none persistent",
                "  Host=other", "  accept=*/*", "  X-Empty=", "end",
            ]),
        Fixture(
            "pipelined with empty lines",
            "|GET /1 HTTP/1.1|Host: a|||POST /2 HTTP/1.1|Host: a|Content-Length: 3||abc"
                + "|GET /3 HTTP/1.0|Connection: keep-alive||",
            [
                "GET path(\"/1\") 1.1 none persistent", "  Host=a", "end",
                "POST path(\"/2\") 1.1 fixed(3) persistent", "  Host=a", "  Content-Length=3", "body abc", "end",
                "GET path(\"/3\") 1.0 none", "  Connection=keep-alive", "end",
            ]),
        Fixture(
            "chunked with extensions and trailers",
            "PUT /x HTTP/1.1|Host: a|Transfer-Encoding: Chunked|Expect: 100-Continue||"
                + "3;a=b;c|abc|0a|0123456789|0||PUT /y HTTP/1.1|Host: a|transfer-encoding: chunked||"
                + "1|z|000|X-Sum: 1|x-sum: 2||",
            [
                "PUT path(\"/x\") 1.1 chunked persistent continue", "  Host=a", "  Transfer-Encoding=Chunked",
                "  Expect=100-Continue", "body abc0123456789", "end",
                "PUT path(\"/y\") 1.1 chunked persistent", "  Host=a", "  transfer-encoding=chunked", "body z",
                "trailers", "  X-Sum=1", "  x-sum=2", "end",
            ]),
        Fixture(
            "CONNECT and OPTIONS",
            "CONNECT [2001:DB8::1]:443 HTTP/1.1|Host: x:443||OPTIONS * HTTP/1.1|Host: a||"
                + "OPTIONS http://a HTTP/1.1|Host:||",
            [
                "CONNECT authority(host: \"2001:db8::1\", port: 443) 1.1 none persistent", "  Host=x:443", "end",
                "OPTIONS asterisk 1.1 none persistent", "  Host=a", "end",
                "OPTIONS \(absolute("a", nil, "*")) 1.1 none persistent", "  Host=", "end",
            ]),
        Fixture(
            "zero length, close, unknown method",
            "M-SEARCH /a HTTP/1.1|Host: a|Content-Length: 0|Connection: x, Close||",
            [
                "M-SEARCH path(\"/a\") 1.1 fixed(0)", "  Host=a", "  Content-Length=0", "  Connection=x, Close", "end",
            ]),
        Fixture(
            "body cut short", "POST / HTTP/1.1|Host: a|Content-Length: 9||abc",
            ["POST path(\"/\") 1.1 fixed(9) persistent", "  Host=a", "  Content-Length=9", "body abc"],
            error: .bodyCutShort),
        Fixture("head cut short", "GET / HTTP/1.1|Host: a|", [], error: .headCutShort),
        Fixture("nothing", "", []),
        Fixture("an empty line only", "|", []),
    ]

    static let responses = [
        Fixture(
            "interim, then final",
            "HTTP/1.1 100 Continue||HTTP/1.1 103 Early Hints|Link: </a>||"
                + "HTTP/1.1 200 OK|Content-Length: 2||hi",
            to: [.post],
            [
                "100 Continue 1.1 none persistent", "103 Early Hints 1.1 none persistent", "  Link=</a>",
                "200 OK 1.1 fixed(2) persistent", "  Content-Length=2", "body hi", "end",
            ]),
        Fixture(
            "no body for HEAD, 204 and 304",
            "HTTP/1.1 200 OK|Content-Length: 99||HTTP/1.1 204 No Content|Content-Length: 9||"
                + "HTTP/1.1 304 Not Modified|Transfer-Encoding: chunked||HTTP/1.1 200|Content-Length: 1||x",
            to: [.head, .get, .get, .get],
            [
                "200 OK 1.1 none persistent", "  Content-Length=99", "end",
                "204 No Content 1.1 none persistent", "  Content-Length=9", "end",
                "304 Not Modified 1.1 none persistent", "  Transfer-Encoding=chunked", "end",
                "200  1.1 fixed(1) persistent", "  Content-Length=1", "body x", "end",
            ]),
        Fixture(
            "until the end of the connection", "HTTP/1.1 200 Caf\u{e9}|Server: caf\u{e9}||what | is left",
            to: [.get], ["200 Caf\u{e9} 1.1 untilClose", "  Server=caf\u{e9}", "body what \r\n is left", "end"]),
        Fixture(
            "tunnel", "HTTP/1.1 200 Connection established|Content-Length: 7||", to: [.connect],
            ["200 Connection established 1.1 none persistent", "  Content-Length=7", "end"]),
        Fixture(
            "refused tunnel", "HTTP/1.0 407 No|Content-Length: 1|Connection: keep-alive||x", to: [.connect],
            ["407 No 1.0 fixed(1) persistent", "  Content-Length=1", "  Connection=keep-alive", "body x", "end"]),
        Fixture(
            "upgrade", "HTTP/1.1 101 Switching Protocols|Upgrade: websocket|Connection: Upgrade||", to: [.get],
            ["101 Switching Protocols 1.1 none persistent", "  Upgrade=websocket", "  Connection=Upgrade", "end"]),
        Fixture(
            "old version closes", "HTTP/1.0 200 OK|Content-Length: 1||x", to: [.get],
            ["200 OK 1.0 fixed(1)", "  Content-Length=1", "body x", "end"]),
        Fixture(
            "chunks cut short", "HTTP/1.1 200 OK|Transfer-Encoding: chunked||5|ab", to: [.get],
            ["200 OK 1.1 chunked persistent", "  Transfer-Encoding=chunked", "body ab"], error: .bodyCutShort),
    ]

    private static func absolute(_ host: String, _ port: Int?, _ path: String) -> RequestTarget {
        .absolute(AbsoluteTarget(scheme: "http", host: host, port: port, path: path))
    }
}
