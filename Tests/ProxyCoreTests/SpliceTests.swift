import Bytes
import ProxyCore
import Testing

@Suite("bytes that go from socket to socket unseen")
struct SpliceTests {
    private static let high = 1_000
    private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
    /// The part of a body that is always read.
    private static let tail = 16_384

    private func book() throws -> Playbook { try Playbook { $0.limits.highWaterBytes = Self.high } }

    private func bytes(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test("a relay without TLS of ours offers both ways, and counts and arms as if it had seen the bytes")
    func relay() throws {
        let book = try book()
        let link = try book.openTunnel("a.test")
        #expect(book.session.clientSplice == nil && book.session.originSpliceLimit(of: link) == nil)
        book.client("\u{1}\u{2}")
        #expect(book.session.clientSplice === link)
        #expect(book.session.originSpliceLimit(of: link) == nil)
        book.origin("\u{3}", on: link)
        #expect(book.session.originSpliceLimit(of: link) == .max)
        book.clientPassed(500, waiting: 0)
        book.originPassed(70_000, waiting: Self.high)
        #expect(book.armed == .idle)
        book.expect("connect https://a.test reuse")
        book.clientLost()
        book.expect("record outside - sent=502 received=70001 client.other-traffic", "close #1", "closeClient")
        book.end(records: 1)
        #expect(book.session.clientSplice == nil && book.session.originSpliceLimit(of: link) == nil)
        book.clientPassed(1, waiting: 0)
        book.originPassed(1, waiting: 0)
        book.expect()
    }

    @Test("what waits at the other side holds a splice back once it is over the high water")
    func backPressure() throws {
        let book = try book()
        try book.openTunnel("a.test")
        book.client("\u{1}")
        book.clientPassed(5_000, waiting: Self.high + 1)
        book.originPassed(5_000, waiting: Self.high + 1)
        book.expect("connect https://a.test reuse", "pauseClient", "pause #1")
        #expect(book.session.awaitsClient && book.session.awaitedLink === book.links[0])
        book.clientDrained()
        book.originDrained()
        book.expect("resume #1", "resumeClient")
        book.end(records: 1)
    }

    @Test("a body of known length goes by, up to an end that is read here")
    func body() throws {
        let book = try book()
        book.client(KeepAliveTests.get)
        let link = try book.connected()
        #expect(book.session.originSpliceLimit(of: link) == nil)
        book.origin(Self.head + bytes(10))
        let room = 100_000 - 10 - Self.tail
        #expect(book.session.originSpliceLimit(of: link) == room)
        #expect(book.session.clientSplice == nil)
        book.originPassed(room - 1, waiting: Self.high + 1)
        #expect(book.session.originSpliceLimit(of: link) == 1)
        #expect(book.armed == .idle)
        book.originPassed(1, waiting: 0)
        #expect(book.session.originSpliceLimit(of: link) == nil)
        book.clientDrained()
        book.origin(bytes(Self.tail))
        book.expect(
            "connect http://a.test reuse", "pause #1", "resume #1", "record allowed 200 sent=0 received=100000",
            "pauseClient")
        _ = book.clientReads()
        book.clientDrained()
        book.client(KeepAliveTests.get)
        #expect(book.originReads().hasSuffix("\r\n\r\n"))
        book.origin(KeepAliveTests.ok)
        book.end(records: 2)
    }

    @Test("a body that is cut while it goes by is told from a whole one")
    func cut() throws {
        let book = try book()
        book.client(KeepAliveTests.get)
        try book.connected()
        book.origin(Self.head)
        book.originPassed(50_000, waiting: 0)
        book.originEnded()
        #expect(book.records.map(\.words) == ["failed 200 sent=0 received=50000 net.reset"])
        book.end(records: 1)
    }

    @Test("bytes that have to be framed, judged or sealed are seen", arguments: [true, false])
    func seen(isSecure: Bool) throws {
        let book = try Playbook(isSecure ? .strict : .openWorld)
        if isSecure {
            try book.tunnel(to: "good.test")
            book.appSends("GET / HTTP/1.1\r\nHost: good.test\r\n\r\n")
            book.peerSends(Self.head)
        } else {
            book.client(KeepAliveTests.get)
            try book.connected()
            book.origin("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20000\r\n" + bytes(100))
        }
        #expect(book.session.originSpliceLimit(of: try #require(book.links.last)) == nil)
        book.end(records: 1)
    }
}
