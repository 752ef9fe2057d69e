import ATSPolicy
import Bytes
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("SOCKS5 tunnels")
struct SOCKSTests {
    private static let hello: [UInt8] = [5, 1, 0]
    private static let get = "GET /x HTTP/1.1\r\nHost: good.test\r\n\r\n"
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private static let stands: [UInt8] = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]

    private func book(
        _ declaration: PropertyValue = .strict, _ change: (inout PolicyDraft) -> Void = { _ in }
    ) throws -> Playbook {
        try Playbook(
            World.law(declaration, change),
            from: ClientSource(address: "127.0.0.1:5000", label: "tv", assumedLoader: .media, entrance: .socks))
    }

    private static func request(_ host: String, port: UInt16 = 443) -> [UInt8] {
        [5, 1, 0, 3, UInt8(host.utf8.count)] + Array(host.utf8) + [UInt8(port >> 8), UInt8(port & 0xFF)]
    }

    /// Opens a tunnel: greeting and request, both answered.
    private func openTunnel(_ book: Playbook, _ host: String, port: UInt16 = 443) throws -> OriginLink {
        book.client(Self.hello)
        #expect(book.clientOutbox.drained == [5, 0])
        book.client(Self.request(host, port: port))
        #expect(book.clientOutbox.isEmpty)
        let link = try book.connected()
        #expect(book.clientOutbox.drained == Self.stands)
        return link
    }

    @Test("https is judged and intercepted as in a CONNECT tunnel")
    func intercepted() throws {
        let book = try book()
        let link = try openTunnel(book, "good.test")
        #expect(book.armed == .idle)
        book.serve(link, as: try OriginPeer(.sound("good.test")))
        try book.appStarts("good.test")
        #expect(book.app?.leaf?.issuer == "CN=Gate")
        book.appSends(Self.get)
        #expect(book.peerReads().hasPrefix("GET /x HTTP/1.1\r\n"))
        book.peerSends(Self.ok)
        #expect(book.app?.reads().hasSuffix("ok") == true)
        book.expect("connect https://good.test reuse", "record allowed 200 sent=0 received=2")
        let record = try #require(book.records.first)
        #expect(record.client.label == "tv" && record.client.loader == .media && record.client.entrance == .socks)
        #expect(record.load.wireProtocol == .http1)
        book.end(records: 1)
    }

    @Test("an origin that breaks a rule is blocked inside TLS, and the tunnel is recorded")
    func refused() throws {
        let book = try book()
        let link = try openTunnel(book, "bad.test")
        book.serve(link, as: try OriginPeer(.untrusted("bad.test")))
        try book.appStarts("bad.test")
        #expect(book.app?.leaf?.issuer == "CN=atsgate refused: trust.untrusted-root")
        #expect(book.records.map(\.verdict) == [.blocked])
        #expect(book.records.first?.load.method == "CONNECT")
        #expect(book.records.first?.load.wireProtocol == .tunnel)
        book.end(records: 1)
    }

    @Test("cleartext is judged per load: http to one host is denied, to another allowed")
    func cleartext() throws {
        let denied = try book()
        _ = try openTunnel(denied, "denied.example", port: 80)
        denied.client("GET / HTTP/1.1\r\nHost: denied.example\r\n\r\n")
        #expect(denied.clientReads().hasPrefix("HTTP/1.1 403 "))
        #expect(denied.records.map(\.words) == ["blocked 403 sent=0 received=0 page ats.cleartext-load"])
        denied.end(records: 1)

        let allowed = try book(.openWorld)
        let link = try openTunnel(allowed, "good.test", port: 80)
        allowed.client(Self.get)
        #expect(allowed.originReads(on: link).hasPrefix("GET /x HTTP/1.1\r\nHost: good.test\r\n"))
        allowed.origin(Self.ok)
        #expect(allowed.records.map { $0.load.target.origin } == ["http://good.test"])
        allowed.end(records: 1)
    }

    @Test("bytes of a server that speaks first are relayed, and the tunnel is recorded as outside")
    func serverFirst() throws {
        let book = try book()
        let link = try openTunnel(book, "mail.test", port: 25)
        book.origin("220 hi\r\n", on: link)
        #expect(book.clientReads() == "220 hi\r\n")
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.outside])
    }

    @Test(
        "a failed dial becomes a SOCKS reply",
        arguments: [
            (NetworkFailure.refused, UInt8(5)), (.name(code: -2), 4), (.timeout, 4), (.reset(errno: 113), 4),
            (.noDescriptors, 1), (.ownAddress, 2), (.forbidden, 2), (.parent("p:1", .answered(status: 403)), 2),
            (.parent("p:1", .refused), 1),
        ])
    func dialFailed(failure: NetworkFailure, reply: UInt8) throws {
        let book = try book()
        book.client(Self.hello + Self.request("good.test"))
        try book.dialFailed(failure)
        #expect(book.clientOutbox.drained == [5, 0, 5, reply, 0, 1, 0, 0, 0, 0, 0, 0])
        #expect(book.records.map(\.verdict) == [.failed])
        #expect(book.session.isClosed == false && book.armed == .linger)
        book.end(records: 1)
    }

    @Test("the gate never dials itself")
    func loop() throws {
        let book = try book()
        book.client(Self.hello + [5, 1, 0, 1, 127, 0, 0, 1, 0x26, 0x4A])
        #expect(book.clientOutbox.drained == [5, 0, 5, 2, 0, 1, 0, 0, 0, 0, 0, 0])
        book.expect("record failed 508 sent=0 received=0 gate.loop", "finishClient")
        book.end(records: 1)
    }

    @Test("UDP, BIND, authentication and other address types are refused in SOCKS, without a record")
    func notServed() throws {
        for (bytes, answer) in [
            ([5, 1, 2], [5, 0xFF]),
            (Self.hello + [5, 3, 0, 1, 0, 0, 0, 0, 0, 0], [5, 0, 5, 7, 0, 1, 0, 0, 0, 0, 0, 0]),
            (Self.hello + [5, 2, 0, 1, 1, 2, 3, 4, 0, 80], [5, 0, 5, 7, 0, 1, 0, 0, 0, 0, 0, 0]),
            (Self.hello + [5, 1, 0, 9], [5, 0, 5, 8, 0, 1, 0, 0, 0, 0, 0, 0]),
        ] as [([UInt8], [UInt8])] {
            let book = try book()
            book.client(bytes)
            #expect(book.clientOutbox.drained == answer)
            book.expect("finishClient")
            book.end(records: 0)
        }
    }

    @Test("an HTTP client of this listener gets an explanation; any other protocol is closed")
    func otherProtocol() throws {
        let http = try book()
        http.client("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        let page = http.clientReads()
        #expect(page.hasPrefix("HTTP/1.1 400 ") && page.contains("SOCKS5"))
        http.end(records: 0)
        let other = try book()
        other.client([4, 1, 0, 80, 1, 2, 3, 4, 0])
        #expect(other.clientOutbox.isEmpty && other.session.isClosed)
        other.end(records: 0)
    }

    @Test("a client that stops in the middle of its greeting is closed")
    func stopped() throws {
        for bytes in [[5], Self.hello, Self.hello + [5, 1]] as [[UInt8]] {
            let late = try book()
            late.client(bytes)
            #expect(late.armed == .head)
            late.pass(.head)
            #expect(!late.clientReads().contains("HTTP"))
            late.end(records: 0)
            let gone = try book()
            gone.client(bytes)
            gone.clientEnded()
            #expect(gone.session.isClosed)
            gone.end(records: 0)
        }
    }

    @Test("a client's hello may follow its request directly")
    func eager() throws {
        let book = try book()
        let app = try AppPeer(serverName: "good.test")
        app.machine.start()
        book.client(Self.hello + Self.request("good.test") + app.outbox.drained)
        book.serve(try book.connected(), as: try OriginPeer(.sound("good.test")))
        book.clientOutbox.consume(2 + Self.stands.count)
        book.app = app
        book.carry()
        #expect(app.machine.state == .established)
        book.end(records: 1)
    }

    @Test("sessions with random input never trap, and release every link once")
    func monkey() throws {
        var state: UInt64 = 1928
        func die(_ sides: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % sides
        }
        let words: [[UInt8]] = [
            Self.hello, [5], [0], Self.request("a.test"), [5, 1, 0, 1, 1, 2, 3, 4, 0, 80], [5, 3, 0, 9],
            [0x16, 3, 1, 0, 4], Array(Self.get.utf8), [4], Array("220 hi".utf8),
        ]
        for round in 0..<800 {
            let book = try book(.openWorld) { $0.mode = round % 2 == 0 ? .audit : .enforce }
            if round % 3 > 0 { book.client(Self.hello) }
            for _ in 0..<12 where !book.session.isClosed {
                switch die(8) {
                case 0..<4: book.client(words[die(words.count)])
                case 4: if !book.orders.isEmpty { try book.connected() }
                case 5: if !book.orders.isEmpty { try book.dialFailed(.refused) }
                case 6: book.origin(words[die(words.count)])
                default: if let armed = book.armed { book.pass(armed) }
                }
            }
            book.end(records: nil)
            for line in book.transcript where line.hasPrefix("!!") {
                book.blame("seed 1928, round \(round): \(line)", #_sourceLocation)
            }
        }
    }
}
