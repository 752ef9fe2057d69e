// The permitted content of each kind of frame. Sections as in h2spec's `http2`; the rules are those of RFC 9113 section
// 6.
extension ConformanceCase {
    private static func fails(
        _ section: String, _ name: String, _ bytes: [UInt8], _ codes: UInt32...
    ) -> ConformanceCase {
        ConformanceCase(section, name, [bytes], .connectionError(codes))
    }

    static let frames =
        [
            fails("http2/6.1", "DATA on stream 0", Client.test(0), Client.protocolError),
            ConformanceCase(
                "http2/6.1", "DATA on a stream that is not open", [Frames.headers(1, Client.post) + Client.test()],
                .streamError([Client.streamClosed])),
            fails(
                "http2/6.1", "DATA with too much padding",
                Client.open(1, [("content-length", "4")]) + Frames.frame(0, 9, 1, [6] + Array("Test".utf8)),
                Client.protocolError),
            fails(
                "http2/6.2", "PRIORITY after incomplete HEADERS", Client.begun() + Client.priority(1),
                Client.protocolError),
            fails(
                "http2/6.2", "other HEADERS after incomplete ones", Client.begun() + Client.get(3),
                Client.protocolError),
            fails("http2/6.2", "HEADERS on stream 0", Client.get(0), Client.protocolError),
            fails(
                "http2/6.2", "HEADERS with too much padding", Frames.frame(1, 13, 1, [200] + Client.block),
                Client.protocolError),
            fails("http2/6.3", "PRIORITY on stream 0", Client.priority(0), Client.protocolError),
            ConformanceCase(
                "http2/6.3", "PRIORITY of four bytes", [Client.get() + Frames.frame(2, 0, 1, Frames.word(1))],
                .streamError([Client.frameSize])),
            fails("http2/6.4", "RST_STREAM on stream 0", Frames.reset(0), Client.protocolError),
            fails("http2/6.4", "RST_STREAM on an idle stream", Frames.reset(1), Client.protocolError),
            fails(
                "http2/6.4", "RST_STREAM of three bytes", Client.get() + Frames.frame(3, 0, 1, [0, 0, 0]),
                Client.frameSize),
            ConformanceCase(
                "http2/6.7", "PING is answered with its own bytes", [Frames.frame(6, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8])],
                .pingAcknowledged([1, 2, 3, 4, 5, 6, 7, 8])),
            ConformanceCase(
                "http2/6.7", "an acknowledgement of PING is not answered",
                [Frames.frame(6, 1, 0, [8, 7, 6, 5, 4, 3, 2, 1]) + Client.hi], .pingAcknowledged(Client.hello)),
            fails("http2/6.7", "PING on a stream", Frames.frame(6, 0, 1, Client.hello), Client.protocolError),
            fails("http2/6.7", "PING of six bytes", Frames.frame(6, 0, 0, [0, 0, 0, 0, 0, 0]), Client.frameSize),
            fails("http2/6.8", "GOAWAY on a stream", Frames.frame(7, 0, 1, Frames.word(0) + Frames.word(0)), 1),
        ] + continuations

    private static let continuations = [
        ConformanceCase(
            "http2/6.10", "two CONTINUATION",
            [Client.begun() + Client.continuation(1, ends: false) + Client.continuation(1, ends: true)], .answer(1)),
        fails(
            "http2/6.10", "DATA inside a block",
            Client.begun(ends: false) + Client.continuation(1, ends: false) + Client.test(), Client.protocolError),
        fails(
            "http2/6.10", "CONTINUATION on stream 0", Client.begun() + Client.continuation(0, ends: true),
            Client.protocolError),
        fails(
            "http2/6.10", "CONTINUATION after complete HEADERS",
            Client.get() + Client.continuation(1, ends: true), Client.protocolError),
        fails(
            "http2/6.10", "CONTINUATION after the last one",
            Client.begun() + Client.continuation(1, ends: true) + Client.continuation(1, ends: true),
            Client.protocolError),
        fails(
            "http2/6.10", "CONTINUATION after DATA",
            Client.begun(ends: false) + Client.test() + Client.continuation(1, ends: false)
                + Client.continuation(0, ends: true), Client.protocolError),
    ]

    static let settings = [
        fails("http2/6.5", "an acknowledgement with a payload", Frames.frame(4, 1, 0, [0]), Client.frameSize),
        fails("http2/6.5", "SETTINGS on a stream", Frames.frame(4, 0, 1, [0, 3, 0, 0, 0, 0x64]), Client.protocolError),
        fails("http2/6.5", "SETTINGS of three bytes", Frames.frame(4, 0, 0, [0, 3, 0]), Client.frameSize),
        fails("http2/6.5.2", "push switched to 2", Frames.settings([(2, 2)]), Client.protocolError),
        fails("http2/6.5.2", "a window that is too large", Client.window(1 << 31), Client.flowControl),
        fails("http2/6.5.2", "frames that are too small", Frames.settings([(5, 16_383)]), Client.protocolError),
        fails("http2/6.5.2", "frames that are too large", Frames.settings([(5, 1 << 24)]), Client.protocolError),
        ConformanceCase(
            "http2/6.5.2", "an unknown setting", [Frames.settings([(0xFF, 1)]) + Client.hi],
            .pingAcknowledged(Client.hello)),
        ConformanceCase(
            "http2/6.5.3", "the last of two values counts", [Frames.settings([(4, 100), (4, 1)]) + Client.get()],
            .data([1])),
        ConformanceCase("http2/6.5.3", "SETTINGS are acknowledged", [Frames.settings([(2, 0)])], .settingsAcknowledged),
    ]
}
