// Windows and messages. Sections as in h2spec's `http2`, which follow the numbering of RFC 7540 section 8; the rules
// are those of RFC 9113 sections 5.2, 6.9, 7 and 8.
extension ConformanceCase {
    static let windows = [
        ConformanceCase(
            "http2/6.9", "an increment of 0", [Frames.windowUpdate(0, 0)], .connectionError([Client.protocolError])),
        ConformanceCase(
            "http2/6.9", "an increment of 0 on a stream", [Client.open() + Frames.windowUpdate(1, 0)],
            .streamError([Client.protocolError])),
        ConformanceCase(
            "http2/6.9", "WINDOW_UPDATE of three bytes", [Frames.frame(8, 0, 0, [0, 0, 1])],
            .connectionError([Client.frameSize])),
        ConformanceCase("http2/6.9.1", "a window of 1 is respected", [Client.window(1) + Client.get()], .data([1])),
        ConformanceCase(
            "http2/6.9.1", "a window that overflows",
            [Frames.windowUpdate(0, .max >> 1) + Frames.windowUpdate(0, .max >> 1)],
            .connectionError([Client.flowControl])),
        ConformanceCase(
            "http2/6.9.1", "a stream's window that overflows",
            [Client.open() + Frames.windowUpdate(1, .max >> 1) + Frames.windowUpdate(1, .max >> 1)],
            .streamError([Client.flowControl])),
        ConformanceCase(
            "http2/6.9.2", "a window that is opened later", [Client.window(0) + Client.get(), Client.window(1)],
            .data([1])),
        ConformanceCase(
            "http2/6.9.2", "a window below zero",
            [Client.window(3) + Client.get(), Client.window(2), Frames.windowUpdate(1, 2)], .data([3, 1])),
        ConformanceCase(
            "http2/6.9.2", "a first window beyond the largest", [Frames.frame(4, 0, 0, [0, 4, 0x80, 0, 0, 0])],
            .connectionError([Client.flowControl])),
        ConformanceCase(
            "http2/7", "GOAWAY with an unknown code", [Frames.goAway(last: 0, 0xFF) + Client.hi],
            .pingOrOver(Client.hello)),
        ConformanceCase(
            "http2/7", "RST_STREAM with an unknown code", [Client.open() + Frames.reset(1, 0xFF) + Client.hi],
            .pingAcknowledged(Client.hello)),
    ]

    /// A message that breaks a rule resets its stream.
    private static func malformed(_ section: String, _ name: String, _ bytes: [UInt8]) -> ConformanceCase {
        ConformanceCase(section, name, [bytes], .streamError([Client.protocolError]))
    }

    static let messages = [
        malformed(
            "http2/8.1", "a second head that does not end the stream",
            Client.open() + Client.test(ends: false) + Frames.headers(1, [("x-test", "ok")], ends: false)),
        malformed("http2/8.1.2", "a capital in a field name", Client.get(with: ("X-TEST", "ok"))),
        malformed("http2/8.1.2.1", "an unknown pseudo-header field", Client.get(with: (":test", "ok"))),
        malformed("http2/8.1.2.1", "a pseudo-header field of responses", Client.get(with: (":status", "200"))),
        malformed(
            "http2/8.1.2.1", "a pseudo-header field in trailers",
            Client.open() + Client.test(ends: false) + Frames.headers(1, [(":method", "POST")])),
        malformed(
            "http2/8.1.2.1", "a pseudo-header field after others",
            Frames.headers(1, [("x-test", "ok")] + Frames.get)),
        malformed("http2/8.1.2.2", "a field of the connection", Client.get(with: ("connection", "keep-alive"))),
        malformed(
            "http2/8.1.2.2", "TE with more than trailers",
            Frames.headers(1, Frames.get + [("trailers", "test"), ("te", "trailers, deflate")])),
        malformed("http2/8.1.2.3", "an empty path", Client.get(without: ":path", [(":path", "")])),
        malformed("http2/8.1.2.3", "no method", Client.get(without: ":method")),
        malformed("http2/8.1.2.3", "no scheme", Client.get(without: ":scheme")),
        malformed("http2/8.1.2.3", "no path", Client.get(without: ":path")),
        malformed("http2/8.1.2.3", "two methods", Client.get(with: (":method", "GET"))),
        malformed("http2/8.1.2.3", "two schemes", Client.get(with: (":scheme", "https"))),
        malformed("http2/8.1.2.3", "two paths", Client.get(with: (":path", "/"))),
        malformed(
            "http2/8.1.2.6", "a length that one DATA contradicts",
            Client.open(1, [("content-length", "1")]) + Client.test()),
        malformed(
            "http2/8.1.2.6", "a length that several DATA contradict",
            Client.open(1, [("content-length", "1")]) + Client.test(ends: false) + Client.test()),
        ConformanceCase(
            "http2/8.2", "PUSH_PROMISE by a client", [Frames.frame(5, 4, 1, Frames.word(3) + Client.block)],
            .connectionError([Client.protocolError])),
    ]
}
