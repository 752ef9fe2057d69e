import ATSPolicy
import HTTP2Engine
import ProxyCore
import Records
import TLSEngine
import Testing

/// A reload between any two steps of a load: what is used is judged by the law in force when it is used.
@Suite("a law has an age")
struct LawAgeTests {
    static let web = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15"
    static let app = "App/1 CFNetwork/1490.0.4 Darwin/23.2.0"
    static let refused = "ats.forward-secrecy"

    /// RSA key exchange passes with `weak.test`.
    static let lenient: PropertyValue = [
        "NSExceptionDomains": ["weak.test": ["NSExceptionRequiresForwardSecrecy": false]]
    ]
    /// The same offer as without: only the certificate of `good.test` has to be another.
    static let pinning: PropertyValue = pinning("good.test")

    static func pinning(_ host: String) -> PropertyValue {
        let identity: PropertyValue = ["SPKI-SHA256-BASE64": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]
        let pins = PropertyValue.array([PropertyNode(identity, line: 1)])
        let entry = PropertyNode(["NSPinnedLeafIdentities": pins], line: 1)
        return ["NSPinnedDomains": .dictionary([PropertyMember(key: host, keyLine: 1, node: entry)])]
    }

    /// Both of these.
    static let lenientButPinned: PropertyValue = {
        guard case .dictionary(let lenient) = lenient, case .dictionary(let pinning) = pinning else { return .strict }
        return .dictionary(lenient + pinning)
    }()

    /// Everything passes with what web views load, and with nothing else.
    static let freeWeb: PropertyValue = ["NSAllowsArbitraryLoadsInWebContent": true]

    static func get(_ agent: String, host: String = "weak.test") -> String {
        "GET /x HTTP/1.1\r\nHost: \(host)\r\nUser-Agent: \(agent)\r\n\r\n"
    }

    /// Answers every order to connect, with an origin of these settings behind each. No load takes more than a few: a
    /// session that never finds a link good enough must fail its test, not hold it up.
    func serve(
        _ book: Playbook, _ settings: ServerTLSSettings, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for _ in 0..<10 where !book.orders.isEmpty {
            book.serve(try book.connected(), as: try OriginPeer(settings))
        }
        if !book.orders.isEmpty { book.blame("still connecting after ten connections", sourceLocation) }
    }

    func reload(_ book: Playbook, _ declaration: PropertyValue, passthrough: [String] = []) throws {
        book.loop.policy = try World.law(declaration) { $0.passthrough = passthrough }
    }

    func rule(_ record: LoadRecord?) -> String? { record?.diagnosis?.findings.first?.rule.rawValue }

    // MARK: A tunnel

    @Test("a hello that comes after a reload is met under the new law")
    func helloAfterReload() throws {
        let book = try Playbook(Self.lenient)
        let link = try book.openTunnel("weak.test")
        try reload(book, .strict)
        book.serve(link, as: try OriginPeer(.staticRSA("weak.test")))
        try book.appStarts("weak.test")
        try serve(book, .staticRSA("weak.test"))
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.blocked])
        #expect(rule(book.records.first) == Self.refused)
        #expect(book.records.first?.policy.basis?.entry == nil)
    }

    @Test("a handshake that a reload overtakes is done again under the new law", arguments: [false, true])
    func reloadWhileShaking(isLoosened: Bool) throws {
        let laws = isLoosened ? [PropertyValue.strict, Self.lenient] : [Self.lenient, .strict]
        let book = try Playbook(laws[0])
        let link = try book.openTunnel("weak.test")
        try book.appStarts("weak.test")
        try reload(book, laws[1])
        book.serve(link, as: try OriginPeer(.staticRSA("weak.test")))
        try serve(book, .staticRSA("weak.test"))
        book.appSends(Self.get(Self.app))
        book.peerSends(TunnelTests.ok)
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [isLoosened ? .allowed : .blocked])
        #expect(book.records.first?.policy.basis?.entry == (isLoosened ? "weak.test" : nil))
    }

    @Test("pins that a reload adds hold for a handshake in flight, and nothing of it is kept for others")
    func pinsWhileShaking() throws {
        let book = try Playbook(.strict)
        let link = try book.openTunnel("good.test")
        try book.appStarts("good.test")
        try reload(book, Self.pinning)
        book.serve(link, as: try OriginPeer(.sound("good.test")))
        try serve(book, .sound("good.test"))
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.blocked])
        #expect(rule(book.records.first) == "ats.pinned-identity")
        #expect(!book.transcript.contains { $0.hasPrefix("  keep") })
    }

    @Test("a link that was handed over before a reload is not kept after it")
    func heldOverReload() throws {
        let book = try Playbook(.strict)
        try book.tunnel(to: "good.test")
        try reload(book, Self.pinning)
        book.clientEnded()
        book.end(records: 1)
        #expect(!book.transcript.contains { $0.hasPrefix("  keep") })
    }

    // MARK: Relays

    @Test(
        "an HTTP answer is ruled on by the dictionary in force when it arrives",
        arguments: [EnforcementMode.enforce, .audit])
    func relay(mode: EnforcementMode) throws {
        let book = try Playbook(.openWorld)
        let link = try book.openTunnel("a.test")
        _ = book.clientReads()
        book.client("EHLO a\r\n")
        // The origin's bytes must not be spliced before the first of them are classified.
        #expect(book.session.originSpliceLimit(of: link) == nil)
        book.loop.policy = try World.law(.strict) { $0.mode = mode }
        book.origin(KeepAliveTests.ok, on: link)
        #expect(book.session.isClosed == (mode == .enforce))
        #expect(book.clientReads().isEmpty == (mode == .enforce))
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [mode == .enforce ? .blocked : .wouldBlock])
        #expect(rule(book.records.first) == "ats.cleartext-load")
    }

    @Test("a relay that is open stays open under a new dictionary")
    func relayContinues() throws {
        let book = try Playbook(.openWorld)
        let link = try book.openTunnel("a.test")
        book.client("EHLO a\r\n")
        book.origin("250 a\r\n", on: link)
        try reload(book, .strict)
        #expect(book.session.clientSplice === link)
        book.client("MAIL FROM:<a@a.test>\r\n")
        book.origin("250 ok\r\n", on: link)
        #expect(book.originReads(on: link) == "EHLO a\r\nMAIL FROM:<a@a.test>\r\n")
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.outside])
    }

    // MARK: Loads

    @Test("a load that waits for its connection is ruled by the law that is in force once it has one")
    func reloadWhileDialing() throws {
        let book = try Playbook(.openWorld)
        book.client("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        try reload(book, .strict)
        try book.connected()
        #expect(book.originReads().isEmpty)
        #expect(book.clientReads().hasPrefix("HTTP/1.1 403 "))
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.blocked])
    }

    @Test("a load of another loader is judged by its own law on a link that its tunnel has already")
    func anotherLoader() throws {
        let book = try Playbook(Self.freeWeb)
        book.client("CONNECT weak.test:443 HTTP/1.1\r\nHost: weak.test:443\r\nUser-Agent: \(Self.web)\r\n\r\n")
        book.serve(try book.connected(), as: try OriginPeer(.staticRSA("weak.test")))
        try book.appStarts("weak.test")
        for agent in [Self.web, Self.app] {
            book.appSends(Self.get(agent))
            try serve(book, .staticRSA("weak.test"))
            book.peerSends(TunnelTests.ok)
        }
        book.end(records: 2)
        #expect(book.records.map(\.verdict) == [.allowed, .blocked])
        #expect(rule(book.records.last) == Self.refused)
    }

    @Test("a strict loader's link carries the loads of one that asks for the same, and of no other")
    func sameDemands() throws {
        let book = try Playbook(.strict)
        try book.tunnel(to: "good.test")
        for agent in [Self.web, Self.app] {
            book.appSends(Self.get(agent, host: "good.test"))
            book.peerSends(TunnelTests.ok)
        }
        // OpenSSL's hello contradicts both agents.
        let allowed = TunnelTests.allowed + " client.foreign-hello"
        book.expect(TunnelTests.connect, allowed, allowed)
        book.end(records: 2)
    }

    // MARK: HTTP/2

    private static func ask(_ agent: String) -> HTTP2Request {
        .plain("/x", fields: [("User-Agent", agent)])
    }

    @Test("the next stream of a link in use is under the new law, the streams it carries go on under theirs")
    func nextStream() throws {
        let streams = try StreamBook()
        let first = try streams.ask(Self.ask(Self.app))
        try reload(streams.book, Self.pinning)
        let second = try streams.ask(Self.ask(Self.app))
        #expect(streams.origins[0]?.requests.count == 1)
        try streams.connected()
        streams.origins[0]?.requests.first?.stream?.answer(200, "ok")
        streams.carry()
        #expect(first.status == 200 && second.status == 403)
        streams.book.end(records: 2)
        #expect(streams.book.records.map(\.verdict) == [.blocked, .allowed])
    }

    @Test("a link of an older law whose origin gives back its last stream and leaves is let go of once")
    func leftAndOutdated() throws {
        let streams = try StreamBook()
        let log = try streams.ask(Self.ask(Self.app))
        let origin = try #require(streams.origin)
        try reload(streams.book, .strict)
        origin.machine.shutDown(.noError)
        origin.requests.first?.stream?.reset(.refusedStream)
        let before = streams.book.transcript.count
        streams.carry()
        #expect(streams.book.transcript.dropFirst(before).filter { $0.hasPrefix("  close ") }.count == 1)
        try streams.connected()
        streams.origin?.requests.first?.stream?.answer(200, "ok")
        streams.carry()
        #expect(log.text == "ok")
        streams.book.end(records: 1)
    }

    @Test("streams that wait for a link which a reload overtakes are judged under the new law")
    func waitingStreams() throws {
        let streams = try StreamBook()
        streams.book.originEnded()
        let first = try streams.ask(Self.ask(Self.app))
        let link = try streams.book.connected()
        try reload(streams.book, Self.pinning)
        streams.book.serve(link, as: try OriginPeer(.sound("good.test", alpn: ["h2"])))
        try serve(streams.book, .sound("good.test", alpn: ["h2"]))
        streams.carry()
        #expect(first.status == 403)
        streams.book.end(records: 1)
        #expect(streams.book.records.map(\.verdict) == [.blocked])
    }

    @Test("streams of other loaders are refused by their own law only", arguments: [true, false])
    func mixedStreams(isWebFirst: Bool) throws {
        let streams = try StreamBook(host: "weak.test", loop: World.loop(World.law(Self.freeWeb)))
        streams.book.originEnded()
        let logs = try (isWebFirst ? [Self.web, Self.app] : [Self.app, Self.web]).map { agent in
            try streams.ask(.plain("/x", host: "weak.test", fields: [("User-Agent", agent)]))
        }
        for _ in 0..<5 where !streams.book.orders.isEmpty {
            streams.book.serve(try streams.book.connected(), as: try OriginPeer(.staticRSA("weak.test")))
            streams.book.peerSends(TunnelTests.ok)
            streams.carry()
        }
        #expect(logs.map(\.status) == (isWebFirst ? [200, 403] : [403, 200]))
        streams.book.end(records: 2)
        let said = streams.book.records.map { "\($0.client.loader) \($0.verdict)" }
        #expect(said.sorted() == ["app blocked", "web allowed"])
    }
}
