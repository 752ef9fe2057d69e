import ATSPolicy
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("server names in the hello, and the hosts that are judged for them")
struct HelloNameTests {
    /// Allows one host without forward secrecy.
    private static let loose: PropertyValue = [
        "NSExceptionDomains": ["loose.test": ["NSExceptionRequiresForwardSecrecy": false]]
    ]

    private func passthrough(mode: EnforcementMode = .enforce) throws -> Playbook {
        try Playbook(.strict) {
            $0.passthrough = ["pass.test"]
            $0.mode = mode
        }
    }

    // MARK: Passthrough hosts

    @Test(
        "a passthrough host is judged with the client's own server name, byte for byte",
        arguments: [
            ("", ServerName.absent), ("pass.test", .name("pass.test")), ("pass.test.", .name("pass.test.")),
            ("PASS.test", .name("PASS.test")), ("192.0.2.1", .name("192.0.2.1")),
        ])
    func sameName(name: String, asked: ServerName) throws {
        let book = try passthrough()
        try book.openTunnel("pass.test")
        book.client(try AppPeer.hello(name, isVerbatim: true))
        let peer = try OriginPeer(sendingTickets: World.identity("pass.test"))
        book.serve(try book.connected(), as: peer)
        #expect(peer.machine.clientHello?.serverName == asked)
        book.end(records: 1)
    }

    @Test("a hello without a name has the origin's default host judged for the tunnel's host")
    func defaultHost() throws {
        for (served, verdict) in [("bad.test", Verdict.blocked), ("pass.test", .allowed)] {
            let book = try passthrough()
            let link = try book.openTunnel("pass.test")
            book.client(try AppPeer.hello(""))
            book.serve(try book.connected(), as: try OriginPeer(.sound(served)))
            #expect(book.originReads(on: link).isEmpty == (verdict == .blocked))
            book.end(records: 1)
            #expect(book.records.map(\.verdict) == [verdict])
            #expect(book.records.first?.load.target.host == "pass.test")
            #expect(book.records.first?.diagnosis?.findings.first?.rule == (verdict == .blocked ? .hostName : nil))
        }
    }

    @Test(
        "a verdict remembered for one server name does not apply to another, or to none",
        arguments: ["", "pass.test.", "PASS.test"])
    func remembered(name: String) throws {
        let book = try passthrough()
        try book.openTunnel("pass.test")
        book.client(try AppPeer.hello("pass.test"))
        book.serve(try book.connected(), as: try OriginPeer(.sound("pass.test")))
        book.end(records: 1)
        for (name, isKnown) in [("pass.test", true), (name, false)] {
            let again = try Playbook(book.loop.policy, loop: book.loop)
            try again.openTunnel("pass.test")
            again.client(try AppPeer.hello(name, isVerbatim: true))
            #expect(again.orders.isEmpty == isKnown)
            again.end(records: 1)
        }
    }

    @Test(
        "an unreadable server name is refused for every host, because servers may interpret it differently",
        arguments: [true, false], [0, 1])
    func unreadableName(isPassed: Bool, fault: Int) throws {
        let book = isPassed ? try passthrough() : try Playbook(.strict)
        let link = try book.openTunnel("pass.test")
        var hello = try AppPeer.hello("pass.test")
        let name = Array("pass.test".utf8)
        let place = try #require(hello.indices.first { hello[$0...].starts(with: name) })
        // A non-ASCII byte, or an entry of another type than host_name (RFC 6066 section 3).
        if fault == 0 { hello[place] = 0xE4 } else { hello[place - 3] = 1 }
        book.client(hello)
        #expect(book.originReads(on: link).isEmpty)
        #expect(book.records.map(\.words) == ["failed - sent=0 received=0 http.malformed"])
        book.end(records: 1)
    }

    @Test("a malformed hello gets an alert, for passthrough hosts as well", arguments: [true, false])
    func unreadableHello(isPassed: Bool) throws {
        let book = isPassed ? try passthrough() : try Playbook(.strict)
        let link = try book.openTunnel("pass.test")
        _ = book.clientReads()
        book.client([22, 3, 1, 0, 8, 1, 0, 0, 4, 9, 9, 9, 9])
        #expect(book.originReads(on: link).isEmpty)
        #expect(book.clientOutbox.drained.first == 21)
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.failed])
    }

    // MARK: Two names

    @Test(
        "a tunnel whose hello contains another name must meet the demands of both",
        arguments: [EnforcementMode.enforce, .audit])
    func stricterOfBoth(mode: EnforcementMode) throws {
        for name in ["loose.test", "strict.test"] {
            let book = try Playbook(Self.loose) { $0.mode = mode }
            let link = try book.openTunnel("loose.test")
            try book.appStarts(name)
            book.serve(link, as: try OriginPeer(.staticRSA("loose.test", "strict.test")))
            // An offer that satisfies both names shares no cipher suite with the origin, so the gate retries with every
            // suite.
            if name == "strict.test" {
                book.serve(try book.connected(), as: try OriginPeer(.staticRSA("loose.test", "strict.test")))
            }
            book.end(records: 1)
            let findings = book.records.first?.diagnosis?.findings.map(\.rule) ?? []
            guard name == "strict.test" else {
                #expect(book.records.map(\.verdict) == [.allowed])
                #expect(findings.isEmpty)
                continue
            }
            #expect(book.records.map(\.verdict) == [mode == .enforce ? .blocked : .wouldBlock])
            #expect(findings.first == .forwardSecrecy)
            if mode == .enforce { #expect(book.records.first?.load.target.host == "strict.test") }
        }
    }

    @Test("an origin that is valid for both names carries loads, and each record shows the other name")
    func bothNames() throws {
        let book = try Playbook(Self.loose)
        let link = try book.openTunnel("loose.test")
        try book.appStarts("strict.test")
        let peer = try OriginPeer(.sound(forAll: ["loose.test", "strict.test"]))
        book.serve(link, as: peer)
        book.appSends("GET / HTTP/1.1\r\nHost: loose.test\r\n\r\n")
        book.peerSends(TunnelTests.ok)
        book.end(records: 1)
        #expect(book.records.map(\.words) == ["allowed 200 sent=0 received=2 client.server-name"])
        #expect(book.records.first?.load.target.host == "loose.test")
        #expect(book.records.first?.diagnosis?.findings.first?.observed.contains("strict.test") == true)
    }

    @Test("an idle link of the tunnel's host is not reused for a hello with another name")
    func idleLink() throws {
        let first = try Playbook(Self.loose)
        let idle = try first.tunnel(to: "loose.test")
        first.end(records: 1)
        let book = try Playbook(first.loop.policy, loop: first.loop)
        try book.openTunnel("loose.test", over: idle)
        try book.appStarts("strict.test")
        book.expect(
            "connect https://loose.test reuse", "keep #idle", "connect https://loose.test new")
        book.serve(try book.connected(), as: try OriginPeer(.sound("loose.test")))
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.blocked])
        #expect(book.records.first?.load.target.host == "strict.test")
    }
}
