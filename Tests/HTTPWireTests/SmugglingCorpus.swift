import HTTPWire
import Testing

/// Bytes that two readers could interpret differently, or not at all, with their expected error.
struct Attack: Sendable, CustomTestStringConvertible {
    let text: String
    let error: WireError
    var isResponse = false

    var testDescription: String { "\(error): \(text.debugDescription)" }

    init(_ error: WireError, _ text: String, isResponse: Bool = false) {
        self.error = error
        self.text = text
        self.isResponse = isResponse
    }

    /// `fields` in an otherwise sound request.
    private static func fields(_ error: WireError, _ fields: String) -> Attack {
        Attack(error, "POST / HTTP/1.1|Host: a|\(fields)||0||")
    }

    /// `body` after a sound chunked head.
    private static func chunks(_ error: WireError, _ body: String) -> Attack {
        Attack(error, "POST / HTTP/1.1|Host: a|Transfer-Encoding: chunked||\(body)")
    }

    private static func line(_ error: WireError, _ line: String) -> Attack { Attack(error, "\(line)|Host: a||") }

    static let all = framing + fieldLines + startLines + hosts + chunked + responses

    static let framing = [
        fields(.bothLengthAndChunked, "Content-Length: 5|Transfer-Encoding: chunked"),
        fields(.bothLengthAndChunked, "transfer-encoding: identity|content-length: 0"),
        fields(.conflictingLengths, "Content-Length: 5|Content-Length: 6"),
        fields(.conflictingLengths, "Content-Length: 5|content-length: 5"),
        fields(.conflictingLengths, "Content-Length: 5, 5"),
        fields(.conflictingLengths, "Content-Length: 5,6"),
        fields(.badLength, "Content-Length:"),
        fields(.badLength, "Content-Length: +5"),
        fields(.badLength, "Content-Length: -5"),
        fields(.badLength, "Content-Length: 0x5"),
        fields(.badLength, "Content-Length: 5 5"),
        fields(.badLength, "Content-Length: 5;"),
        fields(.badLength, "Content-Length: 9223372036854775808"),
        fields(.badLength, "Content-Length: 99999999999999999999999"),
        fields(.nonFinalChunked, "Transfer-Encoding: identity"),
        fields(.nonFinalChunked, "Transfer-Encoding:"),
        fields(.nonFinalChunked, "Transfer-Encoding: xchunked"),
        fields(.nonFinalChunked, "Transfer-Encoding: chunked, identity"),
        fields(.nonFinalChunked, "Transfer-Encoding: chunked|Transfer-Encoding: identity"),
        fields(.nonFinalChunked, "Transfer-Encoding: chunked, chunked"),
        fields(.nonFinalChunked, "Transfer-Encoding: chunked|Transfer-Encoding: chunked"),
        fields(.nonFinalChunked, "Transfer-Encoding: chunked;q=1"),
        fields(.nonFinalChunked, "Transfer-Encoding: \"chunked\""),
        fields(.nonFinalChunked, "Transfer-Encoding: chunke\u{212A}d"),
        fields(.unknownTransferCoding, "Transfer-Encoding: gzip, chunked"),
        fields(.unknownTransferCoding, "Transfer-Encoding: gzip|Transfer-Encoding: chunked"),
        Attack(.chunkedInOldVersion, "POST / HTTP/1.0|Transfer-Encoding: chunked||0||"),
        Attack(.connectWithBody, "CONNECT a:443 HTTP/1.1|Host: a:443|Content-Length: 1||x"),
        Attack(.connectWithBody, "CONNECT a:443 HTTP/1.1|Host: a:443|Transfer-Encoding: chunked||"),
    ]

    static let fieldLines = [
        fields(.foldedField, "X: a| b"),
        fields(.foldedField, "Transfer-Encoding:|\tchunked"),
        Attack(.foldedField, "GET / HTTP/1.1| Host: a||"),
        fields(.spaceBeforeColon, "Content-Length : 5"),
        fields(.spaceBeforeColon, "Transfer-Encoding\t: chunked"),
        fields(.bareCarriageReturn, "X: a\rContent-Length: 5"),
        fields(.bareCarriageReturn, "X: a\r\r\nY: b"),
        fields(.bareCarriageReturn, "Content\rLength: 5"),
        fields(.bareLineFeed, "X: a\nContent-Length: 5"),
        fields(.bareLineFeed, "X: a\n\nY: b"),
        fields(.nulByte, "X: a\u{0}b"),
        fields(.nulByte, "X\u{0}: a"),
        fields(.nulByte, "Content-Length\u{0}: 5"),
        fields(.badFieldValue, "X: a\u{1}b"),
        fields(.badFieldValue, "X: a\u{b}b"),
        fields(.badFieldValue, "X: \u{7f}"),
        fields(.badFieldName, ": a"),
        fields(.badFieldName, "X"),
        fields(.badFieldName, "X Y: a"),
        fields(.badFieldName, "X(: a"),
        fields(.badFieldName, "\u{e9}: a"),
        fields(.badFieldName, "Transfer\u{b}Encoding: chunked"),
        fields(.badFieldName, "HTTP\u{12}-Settings: chunked"),
    ]

    static let startLines = [
        line(.badStartLine, "GET"), line(.badStartLine, "GET /"), line(.badStartLine, "GET / "),
        line(.badStartLine, "GET / HTTP/1.1 "), line(.badStartLine, "GET / http/1.1"),
        line(.badStartLine, "GET\t/ HTTP/1.1"), line(.badStartLine, "G(T / HTTP/1.1"),
        line(.badStartLine, " GET / HTTP/1.1"), line(.badStartLine, "||GET / HTTP/1.1"),
        line(.badStartLine, "\u{16}\u{3}\u{1}"), line(.badStartLine, "GET /\u{1} HTTP/1.1"),
        line(.bareCarriageReturn, "GET /\r HTTP/1.1"), line(.bareCarriageReturn, "\rGET / HTTP/1.1"),
        line(.bareLineFeed, "GET / HTTP/1.1\n"), line(.nulByte, "GET /\u{0} HTTP/1.1"),
        line(.badVersion, "GET / HTTP/1.2"), line(.badVersion, "GET / HTTP/2.0"), line(.badVersion, "GET / HTTP/0.9"),
        line(.badVersion, "PRI * HTTP/2"), line(.badVersion, "GET / HTTP/1.10"), line(.badVersion, "GET / HTTP/"),
        line(.badTarget, "GET  / HTTP/1.1"), line(.badTarget, "GET /a b HTTP/1.1"), line(.badTarget, "GET a HTTP/1.1"),
        line(.badTarget, "GET /\u{e9} HTTP/1.1"), line(.badTarget, "GET /a#b HTTP/1.1"),
        line(.badTarget, "GET /\t HTTP/1.1"), line(.badTarget, "GET * HTTP/1.1"),
        line(.badTarget, "GET a:80 HTTP/1.1"), line(.badTarget, "GET http:/a HTTP/1.1"),
        line(.badTarget, "GET http:// HTTP/1.1"), line(.badTarget, "GET http:///a HTTP/1.1"),
        line(.badTarget, "GET http://user@a/ HTTP/1.1"), line(.badTarget, "GET http://u:p@a:80/ HTTP/1.1"),
        line(.badTarget, "GET http://a:b/ HTTP/1.1"), line(.badTarget, "GET http://a:0/ HTTP/1.1"),
        line(.badTarget, "GET http://a:65536/ HTTP/1.1"), line(.badTarget, "GET http://a\\b/ HTTP/1.1"),
        line(.badTarget, "GET http://[::1/ HTTP/1.1"), line(.badTarget, "GET http://[::1]x/ HTTP/1.1"),
        line(.badTarget, "GET http://[a]/ HTTP/1.1"), line(.badTarget, "GET http://[::1%25lo]/ HTTP/1.1"),
        line(.badTarget, "GET http://%61/ HTTP/1.1"), line(.badTarget, "GET 1http://a/ HTTP/1.1"),
        line(.badTarget, "GET ht{p://a/ HTTP/1.1"), line(.badTarget, "GET ://a/ HTTP/1.1"),
        line(.badTarget, "CONNECT a HTTP/1.1"), line(.badTarget, "CONNECT a: HTTP/1.1"),
        line(.badTarget, "CONNECT /a HTTP/1.1"), line(.badTarget, "CONNECT http://a:80/ HTTP/1.1"),
        line(.badTarget, "CONNECT u@a:443 HTTP/1.1"), line(.badTarget, "CONNECT ::1:443 HTTP/1.1"),
    ]

    static let hosts = [
        Attack(.missingHost, "GET / HTTP/1.1||"), Attack(.missingHost, "GET http://a/ HTTP/1.1|X: y||"),
        Attack(.severalHosts, "GET / HTTP/1.1|Host: a|Host: a||"),
        Attack(.severalHosts, "GET / HTTP/1.0|Host: a|host: b||"),
        Attack(.badHost, "GET / HTTP/1.1|Host: a, b||"), Attack(.badHost, "GET / HTTP/1.1|Host: a b||"),
        Attack(.badHost, "GET / HTTP/1.1|Host: u@a||"), Attack(.badHost, "GET / HTTP/1.1|Host: a:b||"),
        Attack(.badHost, "GET / HTTP/1.1|Host: a/b||"), Attack(.badHost, "GET / HTTP/1.1|Host: :80||"),
    ]

    static let chunked = [
        chunks(.badChunk, "|"), chunks(.badChunk, "g|"), chunks(.badChunk, ";a|"), chunks(.badChunk, " 1|a|"),
        chunks(.badChunk, "1 |a|"), chunks(.badChunk, "1\t;a|b|"), chunks(.badChunk, "0x1|a|"),
        chunks(.badChunk, "-1|a|"), chunks(.badChunk, "1|ab|"), chunks(.badChunk, "1|a\r0"),
        chunks(.badChunk, "1|a0||"), chunks(.badChunk, "1|a\n0||"), chunks(.badChunk, "1;\u{1}|a|"),
        chunks(.bareLineFeed, "1\na|"), chunks(.bareLineFeed, "1;a\nb|"), chunks(.bareCarriageReturn, "1\ra|"),
        chunks(.bareCarriageReturn, "1;a\rb|"), chunks(.nulByte, "1;\u{0}|a|"),
        chunks(.chunkSizeOverflow, "8000000000000000|"), chunks(.chunkSizeOverflow, "ffffffffffffffff|"),
        chunks(.chunkSizeOverflow, "10000000000000000|"), chunks(.chunkSizeOverflow, "00000000000000001|a|"),
        chunks(.bareLineFeed, "0|\n"), chunks(.bareLineFeed, "0|X: a\n|"), chunks(.foldedField, "0| X: a||"),
        chunks(.spaceBeforeColon, "0|X : a||"), chunks(.nulByte, "0|X: \u{0}||"),
        chunks(.chunkExtensionTooLong, "1;" + String(repeating: "x", count: 20_000) + "|a|"),
        chunks(.trailersTooLarge, "0|X: " + String(repeating: "x", count: 20_000) + "||"),
        chunks(.tooManyFields, "0|" + String(repeating: "X:|", count: 257) + "|"),
    ]

    static let responses = [
        Attack(.badStartLine, "HTTP/1.1|X: y||", isResponse: true),
        Attack(.badStartLine, "HTTP/1.1 20|X: y||", isResponse: true),
        Attack(.badStartLine, "HTTP/1.1 2000|X: y||", isResponse: true),
        Attack(.badStartLine, "HTTP/1.1 099 No|X: y||", isResponse: true),
        Attack(.badStartLine, "HTTP/1.1  200 OK|X: y||", isResponse: true),
        Attack(.badStartLine, "ICY 200 OK||", isResponse: true),
        Attack(.badStartLine, "|HTTP/1.1 200 OK||", isResponse: true),
        Attack(.badStartLine, "<html>", isResponse: true),
        Attack(.badVersion, "HTTP/2 200||", isResponse: true),
        Attack(.bareCarriageReturn, "HTTP/1.1 200 O\rK||", isResponse: true),
        Attack(
            .bothLengthAndChunked, "HTTP/1.1 200 OK|Content-Length: 5|Transfer-Encoding: chunked||", isResponse: true),
        Attack(.conflictingLengths, "HTTP/1.1 200 OK|Content-Length: 5|Content-Length: 5||", isResponse: true),
        Attack(.nonFinalChunked, "HTTP/1.1 200 OK|Transfer-Encoding: gzip||", isResponse: true),
        Attack(.chunkedInOldVersion, "HTTP/1.0 200 OK|Transfer-Encoding: chunked||", isResponse: true),
        Attack(.foldedField, "HTTP/1.1 200 OK|X: a|\tb||", isResponse: true),
    ]
}
