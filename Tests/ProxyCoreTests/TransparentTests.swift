import ATSPolicy
import Bytes
import HTTP2Engine
import ProxyCore
import Records
import TLSEngine
import Testing
import Text

/// Clients that asked no proxy: their connections were redirected to the gate.
@Suite("redirected connections")
struct TransparentTests {
    private static let get = "GET /x HTTP/1.1\r\nHost: good.test\r\n\r\n"
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    static func place(
        _ host: String = "192.0.2.1", port: Int = 443, label: String? = "phone", via: LoadEntrance = .transparent
    ) throws -> ClientSource {
        let address = try #require(IPAddress(host))
        return ClientSource(
            address: "198.51.100.9:5000", label: label,
            entrance: via, original: OriginalDestination(address: address, port: port))
    }

    private func book(
        _ declaration: PropertyValue = .strict, _ host: String = "192.0.2.1", port: Int = 443,
        label: String? = "phone", _ change: (inout PolicyDraft) -> Void = { _ in }
    ) throws -> Playbook {
        try Playbook(World.law(declaration, change), from: Self.place(host, port: port, label: label))
    }

    // MARK: TLS

    @Test("the origin is dialed at once, in silence; the hello names the host that is judged and recorded")
    func serverName() throws {
        let book = try book()
        #expect(book.orders.map(\.permit.target.origin) == ["https://192.0.2.1"])
        let link = try book.connected()
        #expect(book.clientOutbox.isEmpty)
        book.serve(link, as: try OriginPeer(.sound("good.test")))
        try book.appStarts("good.test")
        #expect(book.app?.leaf?.subject == "CN=good.test")
        book.appSends(Self.get)
        #expect(book.peerReads().hasPrefix("GET /x HTTP/1.1\r\n"))
        book.peerSends(Self.ok)
        #expect(book.app?.reads().hasSuffix("ok") == true)
        let record = try #require(book.records.first)
        #expect(record.verdict == .allowed && record.load.target.origin == "https://good.test")
        #expect(record.client.entrance == .transparent && record.client.label == "phone")
        book.end(records: 1)
    }

    @Test("a name under which the origin breaks a rule is refused in TLS")
    func refused() throws {
        let book = try book()
        book.serve(try book.connected(), as: try OriginPeer(.untrusted("bad.test")))
        try book.appStarts("bad.test")
        #expect(book.app?.leaf?.issuer == "CN=atsgate refused: trust.untrusted-root")
        #expect(book.records.map(\.verdict) == [.blocked])
        #expect(book.records.first?.load.target.host == "bad.test")
        book.end(records: 1)
    }

    @Test("without a name the address itself is judged: no certificate of a name does for it")
    func noServerName() throws {
        let book = try book()
        book.serve(try book.connected(), as: try OriginPeer(.sound("good.test")))
        try book.appStarts("")
        #expect(book.records.map(\.verdict) == [.blocked])
        #expect(book.records.first?.load.target.host == "192.0.2.1")
        #expect(book.records.first?.diagnosis?.findings.first?.rule == .hostName)
        book.end(records: 1)
    }

    @Test("a later connection for the same client is one for the name, and is kept for others of the same address")
    func kept() throws {
        let book = try book()
        let link = try book.connected()
        book.serve(link, as: try OriginPeer(.sound("good.test")))
        try book.appStarts("good.test")
        book.appSends(Self.get)
        book.peerSends(Self.ok)
        book.clientEnded()
        #expect(book.transcript.contains("  keep #1"))
        #expect(link.key.target.host == "good.test" && link.key.place?.host == "192.0.2.1")
        book.end(records: 1)
    }

    @Test("a host that is passed through is so by the name in the hello")
    func passthrough() throws {
        let book = try book { $0.passthrough = ["pass.test"] }
        let link = try book.connected()
        book.client(try AppPeer.hello("pass.test"))
        book.serve(try book.connected(), as: try OriginPeer(.sound("pass.test")))
        #expect(!book.sent(to: link).isEmpty)
        book.end(records: 1)
        #expect(book.records.first?.load.target.host == "pass.test")
    }

    // MARK: In the clear

    @Test("cleartext is judged by the host of each request, and goes to the address all the same")
    func host() throws {
        let book = try book(.openWorld, port: 80)
        let link = try book.connected()
        book.client(Self.get)
        #expect(book.originReads(on: link).hasPrefix("GET /x HTTP/1.1\r\nHost: good.test\r\n"))
        book.origin(Self.ok)
        book.client("GET / HTTP/1.1\r\nHost: denied.example\r\n\r\n")
        #expect(book.clientReads().contains("HTTP/1.1 403 "))
        book.client("GET / HTTP/1.1\r\nHost: other.test:8080\r\n\r\n")
        #expect(book.originReads(on: link).hasPrefix("GET / HTTP/1.1\r\nHost: other.test:8080\r\n"))
        book.origin(Self.ok)
        book.end(records: 3)
        #expect(book.links.count == 1)
        #expect(
            book.records.map { "\($0.verdict) \($0.load.target.origin)" } == [
                "allowed http://good.test", "blocked http://denied.example", "allowed http://other.test",
            ])
    }

    @Test("a request without a host is one for the address", arguments: ["GET / HTTP/1.0\r\n\r\n"])
    func noHost(request: String) throws {
        let book = try book(port: 8080)
        try book.connected()
        book.client(request)
        #expect(book.clientReads().contains(" 403 "))
        book.end(records: 1)
        #expect(book.records.map { $0.load.target.origin } == ["http://192.0.2.1:8080"])
    }

    @Test("HTTP/2 with prior knowledge is judged by its :authority", arguments: ["a.test", "x.local", "10.0.0.1"])
    func priorKnowledge(host: String) throws {
        // Cleartext is allowed to public names, and not to addresses.
        let book = try book(.openWorld, port: 80)
        try book.connected()
        let app = try StreamPeer(.origin)
        let origin = try StreamPeer(.client)
        let log = StreamLog()
        _ = try #require(app.machine.open(.plain("/1", host: host, scheme: "http"), handler: log))
        book.client(app.exchange([]))
        if !book.orders.isEmpty { try book.connected() }
        for _ in 0..<4 {
            let link = try #require(book.links.last)
            let down = origin.exchange(book.sent(to: link))
            if !down.isEmpty { book.origin(down, on: link) }
            origin.requests.first.map { if !$0.hasEnded || $0.end == nil { $0.stream?.answer(200, "ok") } }
            let said = app.exchange(book.clientOutbox.drained)
            if !said.isEmpty { book.client(said) }
        }
        let passes = host == "a.test"
        #expect(log.status == (passes ? 200 : host == "x.local" ? 403 : 421))
        #expect((log.text == "ok") == passes)
        book.clientLost()
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [passes ? .allowed : host == "x.local" ? .blocked : .failed])
        let rules = book.records.first?.diagnosis?.findings.map(\.rule) ?? []
        #expect(rules.contains(.clientAddress) == !passes)
    }

    @Test("a server that speaks first is heard, and the connection recorded as outside")
    func serverFirst() throws {
        let book = try book(port: 25)
        book.origin("220 hi\r\n", on: try book.connected())
        #expect(book.clientReads() == "220 hi\r\n")
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.outside])
    }

    @Test("a connection to the gate itself is closed without a word or a dial, and recorded")
    func ownAddress() throws {
        let book = try book(.openWorld, "127.0.0.1", port: 9802)
        #expect(book.orders.isEmpty && book.clientOutbox.isEmpty)
        #expect(book.records.map(\.words) == ["failed 508 sent=0 received=0 gate.loop"])
        book.client(Self.get)
        #expect(book.clientOutbox.isEmpty)
        book.end(records: 1)
    }

    @Test("an origin that can not be reached is told of by the name that the client asks for")
    func unreached() throws {
        let book = try book()
        try book.dialFailed(.refused)
        try book.appStarts("gone.test")
        try book.dialFailed(.refused)
        book.carry()
        book.end(records: 1)
        #expect(book.records.map { $0.load.target.host } == ["gone.test"])
        #expect(book.records.first?.diagnosis?.findings.first?.rule == .netRefused)
        let silent = try self.book(port: 25)
        try silent.dialFailed(.timeout)
        #expect(silent.armed == .linger)
        silent.pass(.linger)
        silent.end(records: 1)
        #expect(silent.records.map { $0.load.target.host } == ["192.0.2.1"])
        #expect(silent.records.first?.diagnosis?.findings.first?.rule == .netTimeout)
    }

    // MARK: Whose loads these are

    @Test(
        "without a label nothing is blocked, but recorded as outside, unless somebody says that it is to be judged",
        arguments: [
            (nil, nil, OutsideClients.pass, Verdict.outside), (nil, OutsideClients.judge, .pass, .blocked),
            (nil, nil, .judge, .blocked), ("app", nil, .pass, .blocked), ("app", .pass, .pass, .blocked),
            (nil, .pass, .judge, .outside),
        ] as [(String?, OutsideClients?, OutsideClients, Verdict)])
    func unlabelled(label: String?, listener: OutsideClients?, settings: OutsideClients, verdict: Verdict) throws {
        var place = try Self.place(port: 80, label: label)
        place.outside = listener
        let book = try Playbook(World.law(.strict) { $0.clients.outside = settings }, from: place)
        let link = try book.connected()
        book.client(Self.get)
        if verdict == .outside {
            #expect(book.originReads(on: link).hasPrefix("GET /x "))
            book.origin(Self.ok)
            #expect(book.records.first?.diagnosis?.findings.map(\.rule) == [.clientOutside])
        } else {
            #expect(book.clientReads().contains(" 403 "))
        }
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [verdict])
    }
}
