import HTTPWire
import Testing

@Suite("an origin's first bytes")
struct AnswerWatchTests {
    @Test(
        "HTTP answers and TLS records are recognized by their first bytes",
        arguments: [
            ("HTTP/1.1 200 OK\r\n", AnswerWatch.Answer.http), ("\r\n \thttp/0.9", .http), ("ICY 200 OK", .http),
            ("<!DOCTYPE HTML PUBLIC", .http), ("\n<HTML><head>", .http), ("\0\0\u{6}\u{4}\0\0\0\0\0", .http),
            ("HTTP", .undecided), ("", .undecided), ("\r\n", .undecided), ("<htm", .undecided), ("icy", .undecided),
            ("220 a ESMTP", .other), ("SSH-2.0-x", .other), ("<?xml", .other), ("<stream:stream>", .other),
            ("\0", .other), ("\u{5}\0", .other), ("xHTTP/1.1", .other), ("HTTQ", .other), ("+OK", .other),
            (String(repeating: "\n", count: 8_000), .http), ("\u{16}", .tls), ("\u{16}\u{3}\u{3}", .tls),
            ("\u{15}\u{3}\u{1}\0\u{2}\u{2}\u{28}", .tls), ("\u{15}\u{4}\u{3}", .tls), ("\u{14}", .tls),
            ("\u{18}x", .tls),
            ("\u{13}BitTorrent protocol", .other), ("\u{19}", .other), (" \u{16}\u{3}", .other),
            ("\u{1}\0\u{6}\u{4}\0\0\0\0\0", .other), ("\0\u{1}\u{6}\u{4}\0\0\0\0\0", .other),
            ("\0\0\u{5}\u{4}\0\0\0\0\0", .other), ("\0\0\u{6}\u{5}\0\0\0\0\0", .other),
            ("\0\0\u{6}\u{4}\u{1}\0\0\0\0", .other), ("\0\0\u{6}\u{4}\0\0\0\0\u{1}", .other),
        ])
    func answers(text: String, answer: AnswerWatch.Answer) {
        var whole = AnswerWatch()
        #expect(Array(text.utf8).withUnsafeBytes { whole.look(at: $0) } == answer)
        // The server preface of HTTP/2 is recognized only in one piece.
        guard text.utf8.first != 0 else { return }
        var piecewise = AnswerWatch()
        for byte in text.utf8 { [byte].withUnsafeBytes { _ = piecewise.look(at: $0) } }
        #expect(piecewise.answer == answer)
    }
}
