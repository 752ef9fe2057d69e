import ATSPolicy
import Bytes
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("passthrough tunnels, and tunnels that do not carry TLS")
struct RelayTests {
    private static let connect = "connect https://a.test new"
    private static let probe = "connect https://a.test new"

    private func passthrough(mode: EnforcementMode = .enforce) throws -> Playbook {
        try Playbook(.strict) {
            $0.passthrough = ["a.test"]
            $0.mode = mode
        }
    }

    /// The app's hello.
    private func hello() throws -> [UInt8] {
        let app = try AppPeer(serverName: "a.test")
        app.machine.start()
        return app.outbox.drained
    }

    @Test("a passthrough host is judged by the gate's own handshake, then its bytes are relayed unchanged")
    func passedThrough() throws {
        let book = try passthrough()
        let link = try book.openTunnel("a.test")
        book.clientOutbox.removeAll()
        let app = try AppPeer(serverName: "a.test")
        app.machine.start()
        let hello = app.outbox.drained
        book.client(hello)
        book.expect(Self.connect, Self.probe)
        book.serve(try book.connected(), as: try OriginPeer(.sound("a.test")))
        book.expect("close #2")
        book.app = app
        book.serve(link, as: try OriginPeer(.sound("a.test")))
        #expect(app.leaf?.issuer == "CN=Test Root")
        book.appSends("ping")
        #expect(book.peerReads(on: link) == "ping")
        book.peerSends("pong", on: link)
        #expect(app.reads() == "pong")
        book.originEnded(on: link)
        book.expect("finishClient")
        book.clientEnded()
        #expect(book.records.map(\.verdict) == [.allowed])
        #expect(book.records.first?.diagnosis?.findings.map(\.rule) == [.clientUnseen])
        #expect(book.records.first?.origin?.facts != nil)
        book.end(records: 1)

        let again = try Playbook(book.loop.policy, loop: book.loop)
        try again.openTunnel("a.test")
        again.client(hello)
        again.expect(Self.connect)
        again.end(records: 1)
        #expect(again.records.first?.origin?.facts != nil)
    }

    @Test("a verdict is remembered for five minutes, under the same policy, if the clock does not go back")
    func remembered() throws {
        let book = try passthrough()
        try book.openTunnel("a.test")
        book.client(try hello())
        book.serve(try book.connected(), as: try OriginPeer(.sound("a.test")))
        book.end(records: 1)
        for (seconds, isRemembered) in [(0, true), (299, true), (300, false), (-1, false), (-1_000_000, false)] {
            let again = try Playbook(book.loop.policy, loop: book.loop)
            again.moment = Timestamp(wall: (World.now + Int64(seconds)) * 1_000, ticks: 0)
            try again.openTunnel("a.test")
            again.client(try hello())
            #expect(again.orders.isEmpty == isRemembered)
            again.end(records: 1)
        }
        book.loop.policy = try World.law(.strict) { $0.passthrough = ["a.test"] }
        let later = try Playbook(book.loop.policy, loop: book.loop)
        try later.openTunnel("a.test")
        later.client(try hello())
        later.expect(Self.connect, Self.probe)
        later.end(records: 1)
    }

    @Test(
        "a passthrough host that fails is blocked, also if its hello arrives in pieces",
        arguments: [EnforcementMode.enforce, .audit])
    func blocked(mode: EnforcementMode) throws {
        let book = try passthrough(mode: mode)
        for isKnown in [false, true] {
            let book = isKnown ? try Playbook(book.loop.policy, loop: book.loop) : book
            try book.openTunnel("a.test")
            book.clientOutbox.removeAll()
            let app = try AppPeer(serverName: "a.test")
            app.machine.start()
            let hello = app.outbox.drained
            book.client(Array(hello[..<100]))
            book.client(Array(hello[100...]))
            if !isKnown { book.serve(try book.connected(), as: try OriginPeer(.untrusted("a.test"))) }
            book.app = mode == .enforce ? app : nil
            book.carry()
            if mode == .enforce { #expect(app.leaf?.issuer == "CN=atsgate refused: trust.untrusted-root") }
            let words =
                mode == .enforce
                ? "blocked - sent=0 received=0 untrusted-leaf trust.untrusted-root"
                : "wouldBlock - sent=\(hello.count) received=0 trust.untrusted-root"
            book.clientEnded()
            book.clientLost()
            #expect(book.records.map(\.words) == [words])
            book.end(records: 1)
        }
    }

    @Test("bytes on either side are bounded and kept while the origin is judged")
    func judgingIsBounded() throws {
        let book = try Playbook(.strict) {
            $0.passthrough = ["a.test"]
            $0.limits.highWaterBytes = 1_000
        }
        let link = try book.openTunnel("a.test")
        book.client(try hello())
        book.client(Array(repeating: 1, count: 1_000))
        // A TLS 1.3 ServerHello and the records after it.
        let begun = Array("\u{16}\u{3}\u{3}\0\u{32}\u{2}\0\0\u{2E}\u{3}\u{3}".utf8) + Array(repeating: 9, count: 32)
        let flight: [UInt8] = begun + [0, 0x13, 0x01, 0, 0, 6, 0, 43, 0, 2, 3, 4, 23, 3, 3, 0x03, 0xAD]
        book.origin(flight + Array(repeating: 2, count: 941), on: link)
        book.expect(Self.connect, Self.probe, "pauseClient", "pause #1")
        _ = book.clientReads()
        book.serve(try book.connected(), as: try OriginPeer(.sound("a.test")))
        #expect(book.clientOutbox.drained.count == 1_001)
        book.clientDrained()
        book.originDrained(on: link)
        #expect(book.transcript.suffix(3).contains("  resumeClient"))
        #expect(book.transcript.contains("  resume #1"))
        book.end(records: 1)
    }

    @Test("cleartext HTTP in a tunnel is judged as its http URL")
    func cleartext() throws {
        let denied = try Playbook(.strict)
        try denied.openTunnel("a.test")
        denied.client("GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n")
        denied.expect(
            "connect https://a.test reuse", "record blocked 403 sent=0 received=0 page ats.cleartext-load")
        #expect(denied.records.first?.load.target.origin == "http://a.test:443")
        denied.end(records: 1)
        let open = try Playbook()
        try open.openTunnel("a.test")
        _ = open.clientReads()
        for _ in 0..<2 {
            open.client("GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n")
            #expect(open.originReads().hasPrefix("GET /x HTTP/1.1\r\nHost: a.test\r\n"))
            open.origin(TunnelTests.ok)
        }
        open.expect("connect https://a.test reuse", TunnelTests.allowed, TunnelTests.allowed)
        open.clientEnded()
        open.expect("close #1", "closeClient")
        open.end(records: 2)
    }

    @Test("another protocol is relayed and recorded as outside")
    func otherProtocol() throws {
        let book = try Playbook(.strict)
        try book.openTunnel("a.test")
        _ = book.clientReads()
        book.client("\u{1}\u{2}\u{3}")
        #expect(book.originReads() == "\u{1}\u{2}\u{3}")
        book.origin("abcd")
        #expect(book.clientReads() == "abcd")
        #expect(book.armed == .idle)
        book.clientEnded()
        book.originEnded()
        book.expect(
            "connect https://a.test reuse", "finish #1",
            "record outside - sent=3 received=4 client.other-traffic", "close #1",
            "closeClient")
        book.end(records: 1)
    }

    @Test("bytes of an origin that speaks first are relayed, and its tunnel is outside")
    func serverFirst() throws {
        let book = try Playbook(.strict)
        try book.openTunnel("a.test")
        _ = book.clientReads()
        book.origin("220 hi\r\n")
        #expect(book.clientReads() == "220 hi\r\n")
        book.clientLost()
        book.expect(
            "connect https://a.test reuse", "record outside - sent=0 received=8", "close #1", "closeClient")
        book.end(records: 1)
    }

    @Test("a link with TLS is replaced by a fresh one for another protocol")
    func otherProtocolOverIdleLink() throws {
        let first = try Playbook(.strict)
        let idle = try first.tunnel(to: "a.test")
        first.end(records: 1)
        let book = try Playbook(first.loop.policy, loop: first.loop)
        try book.openTunnel("a.test", over: idle)
        book.client("\u{1}")
        book.expect("connect https://a.test reuse", "keep #idle", "connect https://a.test new")
        book.client("\u{2}")
        try book.connected()
        #expect(book.originReads() == "\u{1}\u{2}")
        book.end(records: 1)
    }

    @Test("a CONNECT that closes before its first byte is one failed record", arguments: [true, false])
    func closedAtOnce(isDialing: Bool) throws {
        let book = try Playbook(.strict)
        book.client("CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n")
        if !isDialing { try book.connected() }
        book.clientEnded()
        #expect(book.records.map(\.words) == ["failed - sent=0 received=0 client.gone"])
        book.end(records: 1)
    }

    @Test("an origin that closes before its first byte is blamed")
    func originClosesAtOnce() throws {
        let book = try Playbook(.strict)
        try book.openTunnel("a.test")
        book.originEnded()
        book.pass(.head)
        #expect(book.records.map(\.words) == ["failed - sent=0 received=0 net.reset"])
        book.end(records: 1)
    }

    @Test("an endless hello is not relayed", arguments: ["\u{16}", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}"])
    func endlessHello(start: String) throws {
        let book = try Playbook(.strict)
        try book.openTunnel("a.test")
        book.client(start)
        #expect(book.armed == .handshake)
        book.pass(.idle)
        book.expect("connect https://a.test reuse")
        book.pass(.handshake)
        book.expect("record failed - sent=0 received=0 client.gone", "close #1", "closeClient")
        #expect(book.originReads().isEmpty)
        book.end(records: 1)
    }
}
