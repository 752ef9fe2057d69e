import ATSPolicy
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("blocked https loads")
struct RefusalTests {
    private static let connect = "connect https://bad.test reuse"
    private static let probe = "connect https://bad.test new"

    @Test(
        "an untrusted root is blocked in the configured style",
        arguments: [RefusalStyle.untrustedLeaf, .alert, .close])
    func untrusted(style: RefusalStyle) throws {
        let book = try Playbook(.strict) { $0.refusal = style }
        try book.tunnel(to: "bad.test", serving: .untrusted("bad.test"))
        let end = ["untrusted-leaf": [], "alert": ["finishClient"], "close": ["closeClient"]][style.rawValue] ?? []
        let record = "record blocked - sent=0 received=0 \(style.rawValue) trust.untrusted-root"
        #expect(
            book.transcript.filter { $0.hasPrefix("  ") && !$0.contains("connect") }
                == (["close #1", record] + end).map { "  " + $0 })
        switch style {
        case .untrustedLeaf, .mirror: #expect(book.app?.leaf?.issuer == "CN=atsgate refused: trust.untrusted-root")
        case .alert: #expect(book.app?.machine.state == .failed(.alertReceived(114)))
        case .close: #expect(book.app?.machine.state == .handshaking)
        }
        #expect(book.records.first?.origin?.facts?.anchor == .unknownRoot)
        book.end(records: 1)
    }

    @Test(
        "an origin that supports only RSA key exchange is dialed again to diagnose its refusal",
        arguments: [RefusalStyle.untrustedLeaf, .alert, .close])
    func staticRSA(style: RefusalStyle) throws {
        let book = try Playbook(.strict) { $0.refusal = style }
        let settings = try ServerTLSSettings.staticRSA("bad.test")
        try book.tunnel(to: "bad.test", serving: settings)
        book.expect(Self.connect, "close #1", Self.probe)
        #expect(book.armed == .handshake)
        book.serve(try book.connected(), as: try OriginPeer(settings))
        #expect(
            book.records.map(\.words) == ["blocked - sent=0 received=0 \(style.rawValue) ats.forward-secrecy"])
        #expect(book.records.first?.origin?.facts?.suite.keyExchange == .rsa)
        #expect(book.transcript.contains("  close #2"))
        if style == .alert { #expect(book.app?.machine.state == .failed(.alertReceived(40))) }
        book.end(records: 1)
    }

    @Test("without a second handshake the alert is recorded and sent on to the client")
    func undiagnosed() throws {
        let book = try Playbook(.strict)
        try book.tunnel(to: "bad.test", serving: .staticRSA("bad.test"))
        try book.dialFailed(.refused)
        book.carry()
        book.expect(
            Self.connect, "close #1", Self.probe, "record failed - sent=0 received=0 alert tls.alert", "finishClient")
        #expect(book.app?.machine.state == .failed(.alertReceived(40)))
        book.end(records: 1)
    }

    @Test("a slow diagnosis is abandoned")
    func slowDiagnosis() throws {
        let book = try Playbook(.strict)
        try book.tunnel(to: "bad.test", serving: .staticRSA("bad.test"))
        let probe = try book.connected()
        book.pass(.handshake)
        #expect(book.records.map(\.words) == ["failed - sent=0 received=0 alert tls.alert"])
        book.originEnded(on: probe)
        book.end(records: 1)
    }

    @Test("a client that ignores certificates gets the reason as a page, once")
    func indifferentClient() throws {
        let book = try Playbook(.strict)
        try book.tunnel(to: "bad.test", serving: .untrusted("bad.test"))
        #expect(book.app?.machine.state == .established)
        book.appSends("GET / HTTP/1.1\r\nHost: bad.test\r\n\r\n")
        book.expect(
            Self.connect, "close #1", "record blocked - sent=0 received=0 untrusted-leaf trust.untrusted-root",
            "finishClient")
        let page = book.app?.reads() ?? ""
        #expect(page.hasPrefix("HTTP/1.1 403 Forbidden\r\n"))
        #expect(page.contains("X-ATSGate-Error: NSURLErrorDomain -1200 [3:-9802]\r\n"))
        book.appSends("GET / HTTP/1.1\r\nHost: bad.test\r\n\r\n")
        book.expect()
        book.end(records: 1)
    }

    @Test("a client that rejects the untrusted leaf leaves without a second record")
    func sensibleClient() throws {
        let book = try Playbook(.strict)
        try book.tunnel(to: "bad.test", serving: .untrusted("bad.test"))
        book.clientEnded()
        #expect(book.transcript.last == "  closeClient")
        book.end(records: 1)
    }

    @Test(
        "an origin that is silent or does not speak TLS fails the load",
        arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", ""])
    func notTLS(words: String) throws {
        let book = try Playbook(.strict)
        try book.openTunnel("bad.test")
        try book.appStarts("bad.test")
        if words.isEmpty { book.pass(.handshake) } else { book.origin(words) }
        let rule = words.isEmpty ? "tls.timeout" : "tls.not-tls"
        book.expect(Self.connect, "close #1", "record failed - sent=0 received=0 close \(rule)", "closeClient")
        book.end(records: 1)
    }

    @Test("an origin that closes after the hello is dialed once more")
    func originCloses() throws {
        let book = try Playbook(.strict) { $0.refusal = .alert }
        let link = try book.openTunnel("bad.test")
        try book.appStarts("bad.test")
        book.originEnded(reset: true, on: link)
        book.expect(Self.connect, "close #1", Self.probe)
        book.serve(try book.connected(), as: try OriginPeer(.staticRSA("bad.test")))
        // No alert matches a connection that was closed.
        book.expect(
            "close #2", "record blocked - sent=0 received=0 close ats.forward-secrecy", "closeClient")
        book.end(records: 1)
    }

    @Test(
        "a client that rejects the gate's leaf gets its own finding, with or without an alert",
        arguments: [true, false])
    func rejectedLeaf(hasAlert: Bool) throws {
        let book = try Playbook(.strict)
        let link = try book.openTunnel("good.test")
        let app = try AppPeer(
            serverName: "good.test",
            offer: TLSOffer(minimum: .tls12, maximum: .tls12, suites: OSProfile.newest.atsSuites))
        app.machine.start()
        book.client(app.outbox.drained)
        book.serve(link, as: try OriginPeer(.sound("good.test")))
        // A fatal unknown_ca (RFC 5246 section 7.2.2), in the clear as TLS 1.2 sends it before the keys are on.
        if hasAlert { book.client([0x15, 3, 3, 0, 2, 2, 48]) } else { book.clientEnded() }
        #expect(book.records.map(\.words) == ["failed - sent=0 received=0 client.rejected-leaf"])
        #expect(book.records.first?.diagnosis?.findings.first?.observed.contains("alert 48") == hasAlert)
        book.end(records: 1)
    }

    @Test("audit mode allows bad certificates and weak handshakes, and records what a device would do")
    func audit() throws {
        let untrusted = try Playbook(.strict) { $0.mode = .audit }
        try untrusted.tunnel(to: "bad.test", serving: .untrusted("bad.test"))
        let weak = try Playbook(.strict) { $0.mode = .audit }
        let settings = try ServerTLSSettings.staticRSA("bad.test")
        try weak.tunnel(to: "bad.test", serving: settings)
        weak.serve(try weak.connected(), as: try OriginPeer(settings))
        for (book, rule) in [(untrusted, "trust.untrusted-root"), (weak, "ats.forward-secrecy")] {
            #expect(book.app?.leaf?.issuer == "CN=Gate")
            book.appSends("GET / HTTP/1.1\r\nHost: bad.test\r\n\r\n")
            #expect(book.peerReads().hasPrefix("GET / "))
            book.peerSends(TunnelTests.ok)
            #expect(book.records.map(\.words) == ["wouldBlock 200 sent=0 received=2 \(rule)"])
            book.clientEnded()
            #expect(!book.transcript.contains { $0.hasPrefix("  keep") })
            book.end(records: 1)
        }
    }
}
