import ATSPolicy
import Bytes
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("loads inside intercepted tunnels")
struct TunnelLoadTests {
    private static let get = TunnelTests.get
    private static let ok = TunnelTests.ok
    private static let allowed = TunnelTests.allowed
    private static let connect = TunnelTests.connect

    @Test("an HTTP/1.0 request without Host gets the tunnel's host, because HTTP/1.1 requires one")
    func oldRequestWithoutHost() throws {
        let book = try Playbook(.strict)
        try book.tunnel(to: "good.test")
        book.appSends("GET /old HTTP/1.0\r\n\r\n")
        #expect(book.peerReads().hasPrefix("GET /old HTTP/1.1\r\nHost: good.test\r\n"))
        book.end(records: 1)
    }

    @Test("session tickets do no harm at any time", arguments: [true, false])
    func tickets(comeEarly: Bool) throws {
        let book = try Playbook(.strict)
        let link = try book.openTunnel("good.test")
        let peer = try OriginPeer(sendingTickets: try World.identity("good.test"))
        let app = try AppPeer(serverName: "good.test")
        app.machine.start()
        book.client(app.outbox.drained)
        // The origin finishes its handshake while the app's last flight is in transit.
        for _ in 0..<3 {
            peer.receive(book.sent(to: link))
            if comeEarly || peer.machine.state != .established { book.origin(peer.outbox.drained, on: link) }
        }
        book.clientOutbox.consume("HTTP/1.1 200 Connection established\r\nVia: 1.1 atsgate\r\n\r\n".utf8.count)
        book.app = app
        book.serve(link, as: peer)
        #expect(app.machine.state == .established)
        book.appSends(Self.get)
        book.peerSends(Self.ok)
        book.expect(Self.connect, Self.allowed)
        book.clientEnded()
        book.expect("keep #1", "closeClient")
        book.end(records: 1)
    }

    @Test("a response's head shares a TLS record with as much of its body as fits", arguments: [5, 20_000])
    func sharedRecord(bodyBytes: Int) throws {
        let book = try Playbook(.strict)
        let link = try book.tunnel(to: "good.test")
        book.appSends(Self.get)
        let peer = try #require(book.peers[ObjectIdentifier(link)])
        let body = String(repeating: "x", count: bodyBytes)
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(bodyBytes)\r\n\r\n\(body)")
        book.origin(peer.outbox.drained, on: link)
        let sizes = book.clientOutbox.bytes.recordSizes
        #expect(sizes.count == (bodyBytes == 5 ? 1 : 2))
        // RFC 8446 section 5.2: the longest plaintext, its type and, in all TLS 1.3 suites, a tag of 16 bytes.
        if bodyBytes > 5 { #expect(sizes.first == 16_384 + 1 + 16) }
        book.carry()
        #expect(try #require(book.app).reads().hasSuffix("\r\n\r\n" + body))
        book.end(records: 1)
    }

    @Test("after the origin closed, the next load dials, handshakes and is judged again")
    func secondLink() throws {
        let book = try Playbook(.strict)
        try book.tunnel(to: "good.test")
        book.appSends(Self.get)
        book.peerSends(Self.ok)
        book.originEnded()
        book.appSends(Self.get)
        book.expect(Self.connect, Self.allowed, "close #1", Self.connect)
        book.serve(try book.connected(), as: try OriginPeer(.sound("good.test")))
        #expect(book.peerReads().hasPrefix("GET /x "))
        book.peerSends(Self.ok)
        book.expect(Self.allowed)
        #expect(book.records.last?.timing.handshake != nil)
        book.end(records: 2)
    }

    @Test("a link that died unnoticed before a tunnel's first load is replaced", arguments: [true, false])
    func staleLink(isFromPool: Bool) throws {
        let first = try Playbook(.strict)
        let idle = isFromPool ? try first.tunnel(to: "good.test") : nil
        first.end(records: isFromPool ? 1 : 0)
        let book = try Playbook(first.loop.policy, loop: first.loop)
        let link = try book.openTunnel("good.test", over: idle)
        if !isFromPool { book.serve(link, as: try OriginPeer(.sound("good.test"))) }
        try book.appStarts("good.test")
        book.appSends(Self.get)
        book.originEnded(on: link)
        book.expect(Self.connect, "close \(book.name(of: link))", "connect https://good.test new")
        book.serve(try book.connected(), as: try OriginPeer(.sound("good.test")))
        #expect(book.peerReads().hasPrefix("GET /x "))
        book.originEnded(reset: true)
        #expect(book.records.map(\.words) == ["failed 502 sent=0 received=0 net.reset"])
        book.end(records: 1)
    }

    @Test("an origin that turned bad since the last load is refused with a page")
    func turnedBad() throws {
        let book = try Playbook(.strict)
        try book.tunnel(to: "good.test")
        book.originEnded()
        book.appSends(Self.get)
        book.serve(try book.connected(), as: try OriginPeer(.untrusted("good.test")))
        book.expect(
            Self.connect, "close #1", Self.connect, "close #2",
            "record blocked 403 sent=0 received=0 page trust.untrusted-root", "finishClient")
        #expect(book.peerReads().isEmpty)
        #expect(book.app?.reads().contains("X-ATSGate-Rule: trust.untrusted-root\r\n") == true)
        book.end(records: 1)
    }

    @Test("in audit mode a load to an origin that turned bad is sent and recorded as would-block")
    func turnedBadInAudit() throws {
        let book = try Playbook(.strict) { $0.mode = .audit }
        try book.tunnel(to: "good.test")
        book.originEnded()
        book.appSends(Self.get)
        book.serve(try book.connected(), as: try OriginPeer(.untrusted("good.test")))
        book.peerSends(Self.ok)
        book.expect(
            Self.connect, "close #1", Self.connect, "record wouldBlock 200 sent=0 received=2 trust.untrusted-root")
        book.clientEnded()
        book.expect("close #2", "closeClient")
        book.end(records: 1)
    }

    @Test("a later link that fails is diagnosed like the first one, with the same verdict")
    func laterHandshakeBreaks() throws {
        let book = try Playbook(.strict)
        try book.tunnel(to: "good.test")
        book.originEnded()
        book.appSends(Self.get)
        let weak = try ServerTLSSettings.staticRSA("good.test")
        book.serve(try book.connected(), as: try OriginPeer(weak))
        book.expect(Self.connect, "close #1", Self.connect, "close #2", "connect https://good.test new")
        book.serve(try book.connected(), as: try OriginPeer(weak))
        book.expect("close #3", "record blocked 403 sent=0 received=0 page ats.forward-secrecy", "finishClient")
        #expect(book.app?.reads().contains("X-ATSGate-Rule: ats.forward-secrecy\r\n") == true)
        #expect(book.records.first?.origin?.facts?.suite.keyExchange == .rsa)
        book.end(records: 1)
    }

    @Test("a request that is followed directly by the client's close_notify is answered")
    func closeNotifyBehindRequest() throws {
        let book = try Playbook(.strict)
        try book.tunnel(to: "good.test")
        book.app?.send(Self.get)
        book.app?.machine.sendClose()
        book.carry()
        #expect(book.peerReads().hasPrefix("GET /x "))
        book.peerSends(Self.ok)
        book.expect(Self.connect, Self.allowed, "keep #1", "closeClient")
        #expect(book.app?.reads().hasSuffix("ok") == true)
        book.end(records: 1)
    }

    @Test("a response until close is complete only after a close_notify", arguments: [true, false])
    func untilClose(hasNotify: Bool) throws {
        let book = try Playbook(.strict)
        let link = try book.tunnel(to: "good.test")
        book.appSends(Self.get)
        book.peerSends("HTTP/1.1 200 OK\r\n\r\nhello")
        if hasNotify {
            book.peers[ObjectIdentifier(link)]?.machine.sendClose()
            book.carry()
            book.expect(Self.connect, "record allowed 200 sent=0 received=5", "close #1")
        } else {
            book.originEnded()
            book.expect(
                Self.connect, "record failed 200 sent=0 received=5 net.reset", "close #1", "closeClient")
        }
        book.end(records: 1)
    }

    @Test("a response with the origin's close_notify is complete, and its link is not kept")
    func closeNotifyBehindAnswer() throws {
        for request in [Self.get, "GET /x HTTP/1.0\r\n\r\n"] {
            let book = try Playbook(.strict)
            let link = try book.tunnel(to: "good.test")
            book.appSends(request)
            let peer = book.peers[ObjectIdentifier(link)]
            peer?.send(Self.ok)
            peer?.machine.sendClose()
            book.carry()
            #expect(book.transcript.contains("  close #1"))
            #expect(book.records.map(\.words) == ["allowed 200 sent=0 received=2"])
            book.end(records: 1)
        }
    }

    @Test("a healthy link is kept although the client closes its connection")
    func keptAfterClose() throws {
        let book = try Playbook(.strict)
        try book.tunnel(to: "good.test")
        book.appSends("GET /x HTTP/1.1\r\nHost: good.test\r\nConnection: close\r\n\r\n")
        book.peerSends(Self.ok)
        book.expect(Self.connect, Self.allowed, "keep #1", "closeClient")
        book.end(records: 1)
    }

    @Test("tampered ciphertext ends the load", arguments: [true, false])
    func tampered(byOrigin: Bool) throws {
        let book = try Playbook(.strict)
        let link = try book.tunnel(to: "good.test")
        book.appSends("POST /x HTTP/1.1\r\nHost: good.test\r\nContent-Length: 1\r\n\r\nx")
        let bad: [UInt8] = [0x17, 3, 3, 0, 20] + [UInt8](repeating: 1, count: 20)
        if byOrigin { book.origin(bad, on: link) } else { book.client(bad) }
        let rule = byOrigin ? "502 sent=1 received=0 net.reset" : "- sent=1 received=0 client.gone"
        #expect(book.records.map(\.words) == ["failed \(rule)"])
        book.end(records: 1)
    }

    @Test("CONNECT inside a tunnel is refused")
    func tunnelInTunnel() throws {
        let book = try Playbook(.strict)
        try book.tunnel(to: "good.test")
        book.appSends("CONNECT b.test:443 HTTP/1.1\r\nHost: b.test:443\r\n\r\n")
        book.expect(Self.connect, "close #1", "finishClient")
        #expect(book.app?.reads().hasPrefix("HTTP/1.1 400 ") == true)
        book.end(records: 1)
    }

    @Test("bytes that an origin sends before the request are not a response")
    func unasked() throws {
        let book = try Playbook(.strict)
        book.originEnded(on: try book.tunnel(to: "good.test"))
        book.appSends(Self.get)
        let link = try book.connected()
        var settings = try ServerTLSSettings.sound("good.test")
        settings.maximum = .tls12
        let peer = try OriginPeer(settings)
        for _ in 0..<2 {
            peer.receive(book.sent(to: link))
            peer.send(Self.ok)
            book.origin(peer.outbox.drained, on: link)
        }
        book.expect(
            Self.connect, "close #1", Self.connect, "record failed 502 sent=0 received=0 http.malformed", "close #2")
        book.end(records: 1)
    }

    @Test("a draining gate serves the first load of an open tunnel, then closes it")
    func draining() throws {
        let book = try Playbook(.strict)
        let link = try book.openTunnel("good.test")
        book.tell(.draining, as: "draining")
        book.serve(link, as: try OriginPeer(.sound("good.test")))
        try book.appStarts("good.test")
        #expect(book.armed == .head)
        book.appSends(Self.get)
        book.peerSends(Self.ok)
        book.expect(Self.connect, Self.allowed, "keep #1", "closeClient")
        #expect(book.app?.reads().contains("Connection: close\r\n") == true)
        book.end(records: 1)
    }

    @Test("a new policy judges the next load of an open tunnel again")
    func newLawInTunnel() throws {
        let book = try Playbook(.strict)
        try book.tunnel(to: "good.test")
        book.appSends(Self.get)
        book.peerSends(Self.ok)
        book.loop.policy = try World.law(.strict)
        book.appSends(Self.get)
        book.expect(Self.connect, Self.allowed, "close #1", Self.connect)
        book.serve(try book.connected(), as: try OriginPeer(.untrusted("good.test")))
        book.expect(
            "close #2", "record blocked 403 sent=0 received=0 page trust.untrusted-root", "finishClient")
        book.end(records: 2)
    }
}

extension UnsafeRawBufferPointer {
    /// The lengths of the TLS records in this buffer, without their headers. Source: RFC 8446 section 5.1.
    fileprivate var recordSizes: [Int] {
        var sizes: [Int] = []
        var offset = 0
        while offset + 5 <= count {
            sizes.append(Int(self[offset + 3]) << 8 | Int(self[offset + 4]))
            offset += 5 + sizes[sizes.count - 1]
        }
        return sizes
    }
}
