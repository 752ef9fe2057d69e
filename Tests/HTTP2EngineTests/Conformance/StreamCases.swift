// Frames on streams in every state. Sections as in h2spec's `http2`; the rules are those of RFC 9113.
extension ConformanceCase {
    static let frameLayer = prefaceAndFormat + sizesAndBlocks

    private static let prefaceAndFormat = [
        ConformanceCase("http2/3.5", "the server's preface comes first", [Frames.preface], .settings, isBare: true),
        ConformanceCase(
            "http2/3.5", "an invalid preface ends the connection", [Array("INVALID CONNECTION PREFACE\r\n\r\n".utf8)],
            .connectionError([Client.protocolError]), isBare: true),
        ConformanceCase(
            "http2/4.1", "a frame of an unknown type",
            [Frames.frame(0x16, 0, 0, [UInt8](repeating: 0, count: 8)) + Client.hi], .pingAcknowledged(Client.hello)),
        ConformanceCase(
            "http2/4.1", "a flag that is not defined", [Frames.frame(6, 0x16, 0, Client.hello)],
            .pingAcknowledged(Client.hello)),
        ConformanceCase(
            "http2/4.1", "the reserved bit", [Frames.frame(6, 0x16, 1 << 31, Client.hello)],
            .pingAcknowledged(Client.hello)),
    ]

    private static let sizesAndBlocks = [
        ConformanceCase(
            "http2/4.2", "DATA of 16,384 bytes",
            [Client.open() + Frames.data(1, [UInt8](repeating: 0x78, count: 16_384), ends: true)], .answer(1)),
        ConformanceCase(
            "http2/4.2", "DATA of one byte more",
            [Client.open() + Frames.data(1, [UInt8](repeating: 0x78, count: 16_385), ends: true)],
            .streamError([Client.frameSize])),
        ConformanceCase(
            "http2/4.2", "HEADERS that are larger",
            [Frames.headers(1, Frames.get + [("x-dummy", String(repeating: "x", count: 16_384))])],
            .connectionError([Client.frameSize])),
        ConformanceCase(
            "http2/4.3", "a block that can not be decoded", [Frames.frame(1, 5, 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF])],
            .connectionError([Client.compression])),
        ConformanceCase(
            "http2/4.3", "PRIORITY inside a block",
            [Client.begun(ends: false) + Client.priority(1) + Client.continuation(1, ends: true)],
            .connectionError([Client.protocolError])),
        ConformanceCase(
            "http2/4.3", "HEADERS of another stream inside a block",
            [Client.begun(ends: false) + Client.get(3) + Client.continuation(1, ends: true)],
            .connectionError([Client.protocolError])),
    ]

    static let streamStates = idleAndHalfClosed + closed + identifiers

    private static let idleAndHalfClosed = [
        ConformanceCase(
            "http2/5.1", "idle: DATA", [Client.test()], .streamError([Client.protocolError, Client.streamClosed])),
        ConformanceCase("http2/5.1", "idle: RST_STREAM", [Frames.reset(1)], .connectionError([Client.protocolError])),
        ConformanceCase(
            "http2/5.1", "idle: WINDOW_UPDATE", [Frames.windowUpdate(1, 100)],
            .connectionError([Client.protocolError])),
        ConformanceCase(
            "http2/5.1", "idle: CONTINUATION", [Client.continuation(1, ends: true, Client.block)],
            .connectionError([Client.protocolError])),
        ConformanceCase(
            "http2/5.1", "half closed: DATA", [Client.get() + Client.test()], .streamError([Client.streamClosed])),
        ConformanceCase(
            "http2/5.1", "half closed: HEADERS", [Client.get() + Client.get()], .streamError([Client.streamClosed])),
        ConformanceCase(
            "http2/5.1", "half closed: CONTINUATION", [Client.get() + Client.continuation(1, ends: true)],
            .streamError([Client.streamClosed, Client.protocolError])),
    ]

    private static let closed = [
        ConformanceCase(
            "http2/5.1", "closed by RST_STREAM: DATA", [Client.open() + Frames.reset(1) + Client.test()],
            .streamError([Client.streamClosed])),
        ConformanceCase(
            "http2/5.1", "closed by RST_STREAM: HEADERS", [Client.open() + Frames.reset(1) + Client.get()],
            .streamError([Client.streamClosed])),
        ConformanceCase(
            "http2/5.1", "closed by RST_STREAM: CONTINUATION",
            [Client.open() + Frames.reset(1) + Client.continuation(1, ends: true)],
            .streamError([Client.streamClosed, Client.protocolError])),
        ConformanceCase(
            "http2/5.1", "closed: DATA", [Client.get(), Client.test()], .streamError([Client.streamClosed])),
        ConformanceCase(
            "http2/5.1", "closed: HEADERS", [Client.get(), Client.get()], .connectionError([Client.streamClosed])),
        ConformanceCase(
            "http2/5.1", "closed: CONTINUATION", [Client.get(), Client.continuation(1, ends: true)],
            .connectionError([Client.streamClosed, Client.protocolError])),
    ]

    private static let identifiers = [
        ConformanceCase(
            "http2/5.1.1", "an even number", [Client.get(2)], .connectionError([Client.protocolError])),
        ConformanceCase(
            "http2/5.1.1", "a smaller number than before", [Client.get(5) + Client.get(3)],
            .connectionError([Client.protocolError])),
        ConformanceCase(
            "http2/5.1.2", "more streams than allowed",
            [Client.window(0) + (0...100).flatMap { Client.get(UInt32($0 * 2 + 1)) }],
            .streamError([Client.protocolError, Client.refusedStream])),
        ConformanceCase(
            "http2/5.3.1", "HEADERS that depend on themselves",
            [Frames.frame(1, 37, 1, Frames.word(1) + [255] + Client.block)], .streamError([Client.protocolError])),
        ConformanceCase(
            "http2/5.3.1", "PRIORITY that depends on itself", [Client.priority(1, on: 1)],
            .streamError([Client.protocolError])),
        ConformanceCase(
            "http2/5.4.1", "a broken PING closes the connection", [Frames.frame(6, 0, 0, [0, 0, 0])],
            .connectionError([Client.frameSize])),
        ConformanceCase(
            "http2/5.4.1", "a broken PING on a stream causes GOAWAY", [Frames.frame(6, 0, 3, [0, 0, 0])],
            .connectionError([Client.frameSize, Client.protocolError])),
        ConformanceCase(
            "http2/5.5", "an unknown frame",
            [Frames.frame(0x16, 0, 0, [UInt8](repeating: 0, count: 8)) + Client.hi], .pingAcknowledged(Client.hello)),
        ConformanceCase(
            "http2/5.5", "an unknown frame inside a block",
            [Client.begun() + Frames.frame(0x16, 0, 0, [UInt8](repeating: 0, count: 8))],
            .connectionError([Client.protocolError])),
    ]
}
