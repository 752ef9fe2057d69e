import ATSPolicy
import Bytes
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("intercepted tunnels")
struct TunnelTests {
    static let get = "GET /x HTTP/1.1\r\nHost: good.test\r\n\r\n"
    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    static let allowed = "record allowed 200 sent=0 received=2"
    static let connect = "connect https://good.test reuse"

    @Test("the origin's handshake precedes the client's, whose leaf names the origin; loads are recorded")
    func intercepted() throws {
        let book = try Playbook(.strict)
        let link = try book.openTunnel("good.test")
        #expect(book.clientReads() == "HTTP/1.1 200 Connection established\r\nVia: 1.1 atsgate\r\n\r\n")
        #expect(book.armed == .idle)
        try book.appStarts("good.test")
        #expect(book.armed == .handshake)
        #expect(book.app?.machine.state == .handshaking)
        book.serve(link, as: try OriginPeer(.sound("good.test")))
        #expect(book.app?.machine.state == .established)
        #expect(book.app?.machine.negotiatedALPN == "http/1.1")
        #expect(book.app?.leaf?.dnsNames == ["good.test"])
        #expect(book.app?.leaf?.issuer == "CN=Gate")
        #expect(book.armed == .rest)
        for _ in 0..<2 {
            book.appSends(Self.get)
            #expect(book.peerReads() == "GET /x HTTP/1.1\r\nHost: good.test\r\nVia: 1.1 atsgate\r\n\r\n")
            book.peerSends(Self.ok)
            #expect(book.app?.reads().hasSuffix("\r\n\r\nok") == true)
        }
        book.expect(Self.connect, Self.allowed, Self.allowed)
        #expect(book.records.last?.origin?.facts?.version == .tls13)
        #expect(book.records.first?.load.target.origin == "https://good.test")
        book.clientEnded()
        book.expect("keep #1", "closeClient")
        book.end(records: 2)
    }

    @Test("the client's bytes may arrive before its 200", arguments: ["", "\u{1}"])
    func eagerHello(prefix: String) throws {
        let book = try Playbook(.strict)
        let app = try AppPeer(serverName: "good.test")
        app.machine.start()
        book.client(Array("CONNECT good.test:443 HTTP/1.1\r\nHost: good.test:443\r\n\r\n".utf8) + app.outbox.drained)
        book.serve(try book.connected(), as: try OriginPeer(.sound("good.test")))
        book.clientOutbox.consume("HTTP/1.1 200 Connection established\r\nVia: 1.1 atsgate\r\n\r\n".utf8.count)
        book.app = app
        book.carry()
        #expect(app.machine.state == .established)
        book.end(records: 1)
    }

    @Test("the client gets the origin's ALPN protocol", arguments: [[], ["http/1.1"], ["h2"], ["h2", "http/1.1"]])
    func mirrorsALPN(offered: [String]) throws {
        for served in [[], ["http/1.1"], ["h2", "http/1.1"]] as [[String]] {
            let book = try Playbook(.strict)
            let link = try book.openTunnel("good.test")
            book.serve(link, as: try OriginPeer(.sound("good.test", alpn: served)))
            try book.appStarts("good.test", alpn: offered)
            let chosen = served.first { offered.contains($0) }
            #expect(book.app?.machine.state == .established)
            // For a client that speaks only HTTP/2 the gate translates.
            #expect(book.app?.machine.negotiatedALPN == (offered == ["h2"] ? "h2" : chosen))
            book.end(records: 1)
        }
    }

    @Test("a tunnel without loads is recorded itself")
    func emptyTunnel() throws {
        let book = try Playbook(.strict)
        try book.tunnel(to: "good.test")
        book.clientEnded()
        book.expect(Self.connect, "keep #1", "record allowed - sent=0 received=0", "closeClient")
        book.end(records: 1)
    }

    @Test(
        "a client that connected to an address is judged by the name in its hello",
        arguments: ["192.0.2.1", "192.0.513"])
    func nameInHello(address: String) throws {
        let book = try Playbook(.strict)
        let link = try book.openTunnel(address)
        book.serve(link, as: try OriginPeer(.sound("good.test")))
        try book.appStarts("good.test")
        #expect(book.app?.leaf?.dnsNames == ["good.test"])
        book.appSends(Self.get)
        book.peerSends(Self.ok)
        #expect(book.records.first?.load.target.host == "good.test")
        book.clientEnded()
        book.expect("connect https://\(address) reuse", Self.allowed, "close #1", "closeClient")
        book.end(records: 1)
    }

    @Test("an idle link judged for an address is not reused for a name")
    func idleLinkForAnotherName() throws {
        let sound = ServerTLSSettings(
            identity: try CertificateRecipe(
                commonName: nil, ipAddresses: ["192.0.2.1"], notBefore: World.now - World.day,
                notAfter: World.now + 90 * World.day, extendedKeyUsages: [.serverAuth]
            ).issued(by: World.root.get()), alpn: ["http/1.1"])
        let first = try Playbook(.strict)
        let idle = try first.openTunnel("192.0.2.1")
        let peer = try OriginPeer(sound)
        first.serve(idle, as: peer)
        try first.appStarts("192.0.2.1")
        first.clientEnded()
        #expect(first.transcript.contains("  keep #1"))
        first.end(records: 1)

        let book = try Playbook(first.loop.policy, loop: first.loop)
        try book.openTunnel("192.0.2.1", over: idle)
        try book.appStarts("good.test")
        book.expect("connect https://192.0.2.1 reuse", "keep #idle", "connect https://192.0.2.1 new")
        book.serve(try book.connected(), as: try OriginPeer(sound))
        #expect(book.app?.leaf?.issuer == "CN=atsgate refused: trust.host-name")
        book.expect("close #1", "record blocked - sent=0 received=0 untrusted-leaf trust.host-name")
        book.end(records: 1)
    }

    @Test("an idle link serves a new tunnel without another handshake")
    func pooledLink() throws {
        let first = try Playbook(.strict)
        let idle = try first.tunnel(to: "good.test")
        let peer = first.peers[ObjectIdentifier(idle)]
        first.clientEnded()
        first.end(records: 1)
        let book = try Playbook(first.loop.policy, loop: first.loop)
        try book.openTunnel("good.test", over: idle)
        try book.appStarts("good.test")
        #expect(book.app?.machine.state == .established)
        book.appSends(Self.get)
        peer?.receive(book.sent(to: idle))
        #expect(peer?.reads().hasPrefix("GET /x ") == true)
        peer?.send(Self.ok)
        book.origin(peer?.outbox.drained ?? [], on: idle)
        book.expect(Self.connect, Self.allowed)
        #expect(book.records.first?.timing.handshake == nil)
        book.end(records: 1)
    }

    @Test("an idle link is judged again after the policy changed")
    func pooledLinkUnderNewLaw() throws {
        let first = try Playbook(.strict)
        let idle = try first.tunnel(to: "good.test")
        first.clientEnded()
        first.end(records: 1)
        first.loop.policy = try World.law(.strict)
        let book = try Playbook(first.loop.policy, loop: first.loop)
        try book.openTunnel("good.test", over: idle)
        try book.appStarts("good.test")
        book.expect(Self.connect, "close #idle", "connect https://good.test new")
        book.serve(try book.connected(), as: try OriginPeer(.sound("good.test")))
        #expect(book.app?.machine.state == .established)
        book.end(records: 1)
    }

    @Test("a link that closes before the client's hello is replaced", arguments: [true, false])
    func linkClosesEarly(isIdle: Bool) throws {
        let first = try Playbook(.strict)
        let idle = isIdle ? try first.tunnel(to: "good.test") : nil
        first.end(records: isIdle ? 1 : 0)
        let book = try Playbook(first.loop.policy, loop: first.loop)
        let link = try book.openTunnel("good.test", over: idle)
        book.originEnded(on: link)
        book.expect(Self.connect, "close \(book.name(of: link))")
        try book.appStarts("good.test")
        book.expect("connect https://good.test new")
        book.serve(try book.connected(), as: try OriginPeer(.sound("good.test")))
        #expect(book.app?.machine.state == .established)
        book.end(records: 1)
    }

    @Test("if no link can be made, the client's handshake fails and the reason is recorded")
    func linkCanNotBeReplaced() throws {
        let book = try Playbook(.strict)
        try book.openTunnel("good.test")
        book.originEnded()
        try book.appStarts("good.test")
        try book.dialFailed(.refused)
        book.expect(
            Self.connect, "close #1", "connect https://good.test new",
            "record failed - sent=0 received=0 close net.refused", "closeClient")
        book.end(records: 1)
    }
}
