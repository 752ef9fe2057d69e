// Frames that every server must accept. Sections as in h2spec's `generic`; the rules are those of RFC 9113 sections 3
// to 8.
extension ConformanceCase {
    static let generic = openings + bodies + priorities + others

    private static let openings = [
        ConformanceCase("generic/1", "the client's preface is accepted", [Frames.preface], .settings, isBare: true),
        ConformanceCase(
            "generic/2", "PRIORITY on an idle stream", [Client.priority(1) + Client.hi],
            .pingAcknowledged(Client.hello)),
        ConformanceCase(
            "generic/2", "WINDOW_UPDATE on a stream that is half closed",
            [Client.window(0) + Client.get(), Frames.windowUpdate(1)], .data([1])),
        ConformanceCase(
            "generic/2", "PRIORITY on a stream that is half closed",
            [Client.window(0) + Client.get(), Client.priority(1) + Frames.windowUpdate(1)], .data([1])),
        ConformanceCase(
            "generic/2", "RST_STREAM on a stream that is half closed",
            [Client.window(0) + Client.get(), Frames.reset(1) + Client.hi], .pingAcknowledged(Client.hello)),
        ConformanceCase(
            "generic/2", "PRIORITY on a closed stream", [Client.get(), Client.priority(1) + Client.hi],
            .pingAcknowledged(Client.hello)),
    ]

    private static let bodies = [
        ConformanceCase("generic/3.1", "one DATA", [Client.open() + Client.test()], .answer(1)),
        ConformanceCase(
            "generic/3.1", "two DATA", [Client.open() + Client.test(ends: false) + Client.test()], .answer(1)),
        ConformanceCase(
            "generic/3.1", "DATA with padding",
            [Client.open() + Frames.frame(0, 9, 1, [5] + Array("test".utf8) + [0, 0, 0, 0, 0])], .answer(1)),
        ConformanceCase("generic/3.2", "HEADERS", [Client.get()], .answer(1)),
        ConformanceCase(
            "generic/3.2", "HEADERS with padding",
            [Frames.frame(1, 13, 1, [8] + Client.block + [UInt8](repeating: 0, count: 8))], .answer(1)),
        ConformanceCase(
            "generic/3.2", "HEADERS with priority",
            [Frames.frame(1, 37, 1, Frames.word(0) + [255] + Client.block)], .answer(1)),
    ]

    private static let priorities = [
        ConformanceCase("generic/3.3", "priority 1", [Client.priority(1, weight: 0) + Client.get()], .answer(1)),
        ConformanceCase("generic/3.3", "priority 256", [Client.priority(1) + Client.get()], .answer(1)),
        ConformanceCase(
            "generic/3.3", "a dependency", [Client.priority(3, on: 1, weight: 0) + Client.get()], .answer(1)),
        ConformanceCase(
            "generic/3.3", "exclusive", [Client.priority(1, weight: 0, exclusive: true) + Client.get()], .answer(1)),
        ConformanceCase(
            "generic/3.3", "a stream below one that has only a priority", [Client.priority(3) + Client.get()],
            .answer(1)),
    ]

    private static let others = [
        ConformanceCase(
            "generic/3.4", "RST_STREAM", [Client.open() + Frames.reset(1) + Client.hi],
            .pingAcknowledged(Client.hello)),
        ConformanceCase("generic/3.5", "SETTINGS", [Frames.settings([(3, 100)])], .settingsAcknowledged),
        ConformanceCase("generic/3.7", "PING", [Client.hi], .pingAcknowledged(Client.hello)),
        ConformanceCase("generic/3.8", "GOAWAY", [Frames.goAway(last: 0, 0) + Client.hi], .pingOrOver(Client.hello)),
        ConformanceCase(
            "generic/3.9", "WINDOW_UPDATE of the connection", [Frames.windowUpdate(0) + Client.hi],
            .pingAcknowledged(Client.hello)),
        ConformanceCase(
            "generic/3.9", "WINDOW_UPDATE of a stream", [Client.get() + Frames.windowUpdate(1)], .answer(1)),
        ConformanceCase(
            "generic/3.10", "one CONTINUATION",
            [
                Client.begun(part: Array(Client.block.prefix(5)))
                    + Client.continuation(1, ends: true, Array(Client.block.dropFirst(5)))
            ], .answer(1)),
        ConformanceCase(
            "generic/3.10", "two CONTINUATION",
            [
                Client.begun(part: Array(Client.block.prefix(5)))
                    + Client.continuation(1, ends: false, Array(Client.block[5..<10]))
                    + Client.continuation(1, ends: true, Array(Client.block.dropFirst(10)))
            ], .answer(1)),
        ConformanceCase("generic/4", "GET", [Client.get(3)], .answer(3)),
        ConformanceCase(
            "generic/4", "HEAD", [Frames.headers(1, [(":method", "HEAD")] + Frames.get.dropFirst())], .answer(1)),
        ConformanceCase("generic/4", "POST", [Client.open(3) + Client.test(3)], .answer(3)),
        ConformanceCase(
            "generic/4", "POST with trailers",
            [Client.open() + Client.test(ends: false) + Frames.headers(1, [("x-test", "ok")])], .answer(1)),
    ]
}
