import ATSPolicy
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("server names in the hello, and the hosts that are judged for them")
struct HelloNameTests {
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
            ("PASS.test", .name("PASS.test")),
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

    // MARK: Another name than the tunnel's

    @Test(
        "a hello for another host is refused in enforce mode; in audit mode the origin is judged for the tunnel's host",
        arguments: ["other.test", "sub.pass.test"], [true, false])
    func otherName(name: String, isPassed: Bool) throws {
        for mode in [EnforcementMode.enforce, .audit] {
            let book = isPassed ? try passthrough(mode: mode) : try Playbook(.strict) { $0.mode = mode }
            var link = try book.openTunnel("pass.test")
            if isPassed { book.client(try AppPeer.hello(name, isVerbatim: true)) } else { try book.appStarts(name) }
            guard mode == .audit else {
                #expect(book.orders.isEmpty && book.originReads(on: link).isEmpty)
                book.end(records: 1)
                #expect(book.records.map(\.words) == ["failed - sent=0 received=0 client.server-name"])
                #expect(book.records.first?.load.target.host == "pass.test")
                continue
            }
            if isPassed { link = try book.connected() }
            book.serve(link, as: try OriginPeer(.sound(name)))
            book.end(records: 1)
            #expect(book.records.map(\.verdict) == [.wouldBlock])
            #expect(book.records.first?.load.target.host == "pass.test")
            #expect(book.records.first?.diagnosis?.findings.map(\.rule) == [.hostName, .clientServerName])
        }
    }

    @Test("audit mode records the loads that follow a hello for another host as would-block")
    func auditedLoad() throws {
        let book = try Playbook(.strict) { $0.mode = .audit }
        let link = try book.openTunnel("pass.test")
        try book.appStarts("other.test")
        book.serve(link, as: try OriginPeer(.sound(forAll: ["pass.test", "other.test"])))
        book.appSends("GET / HTTP/1.1\r\nHost: pass.test\r\n\r\n")
        book.peerSends(TunnelTests.ok)
        book.end(records: 1)
        #expect(book.records.map(\.words) == ["wouldBlock 200 sent=0 received=2 client.server-name"])
    }

    @Test("a hello for an address that is not the one that the client asked for is refused")
    func otherAddress() throws {
        for host in ["192.0.2.1", "pass.test"] {
            let book = try Playbook(.strict)
            try book.openTunnel(host)
            book.client(try AppPeer.hello("192.0.2.2", isVerbatim: true))
            book.end(records: 1)
            #expect(book.records.map(\.words) == ["failed - sent=0 received=0 client.server-name"])
        }
    }
}
