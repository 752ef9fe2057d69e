import ATSPolicy
import Bytes
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("the client's own handshake with a passthrough host")
struct OwnHandshakeTests {
    private static let staticRSA = CipherSuite(code: 0x009C, name: "TLS_RSA_WITH_AES_128_GCM_SHA256")
    static let tls12 = TLSOffer(minimum: .tls12, maximum: .tls12, suites: OSProfile.newest.atsSuites)

    /// A tunnel whose host passes the gate's own handshake, and whose client then gets `served`.
    ///
    /// - Parameter bytewise: the origin's bytes arrive one at a time.
    func pass(
        judged: ServerTLSSettings, served: ServerTLSSettings, offering offer: TLSOffer = Self.tls12,
        mode: EnforcementMode = .enforce, bytewise: Bool = false
    ) throws -> Playbook {
        let book = try Playbook(.strict) {
            $0.passthrough = ["a.test"]
            $0.mode = mode
        }
        let link = try book.openTunnel("a.test")
        book.clientOutbox.removeAll()
        let app = try AppPeer(serverName: "a.test", offer: offer)
        app.machine.start()
        let hello = app.outbox.drained
        book.client(hello)
        book.serve(try book.connected(), as: try OriginPeer(judged))
        book.app = app
        let peer = try OriginPeer(served)
        if bytewise {
            peer.receive(book.sent(to: link))
            for byte in peer.outbox.drained { book.origin([byte], on: link) }
        }
        book.serve(link, as: peer)
        return book
    }

    func rules(_ book: Playbook) -> [RuleID] { book.records.first?.diagnosis?.findings.map(\.rule) ?? [] }

    @Test("a TLS 1.2 handshake like the judged one passes without a finding, in any pieces", arguments: [true, false])
    func same(bytewise: Bool) throws {
        var settings = try ServerTLSSettings.sound("a.test")
        settings.maximum = .tls12
        let book = try pass(judged: settings, served: settings, bytewise: bytewise)
        #expect(book.app?.machine.state == .established)
        book.appSends("ping")
        #expect(book.peerReads(on: book.links[0]) == "ping")
        // A second handshake could follow, so the connection is not spliced.
        #expect(book.session.clientSplice == nil && book.session.originSpliceLimit(of: book.links[0]) == nil)
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.allowed])
        #expect(rules(book).isEmpty)
    }

    @Test("a client that offers only static RSA is blocked, regardless of what the gate's own handshake negotiated")
    func weakOffer() throws {
        var settings = try ServerTLSSettings.staticRSA("a.test")
        settings.cipherList = "ECDHE-RSA-AES128-GCM-SHA256:AES128-GCM-SHA256"
        let weak = TLSOffer(minimum: .tls12, maximum: .tls12, suites: [Self.staticRSA])
        let book = try pass(judged: settings, served: settings, offering: weak)
        #expect(book.app?.machine.state != .established)
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.blocked])
        #expect(book.records.first?.bytesReceived == 0)
        #expect(rules(book) == [.forwardSecrecy, .clientOwnHandshake])
        #expect(book.records.first?.origin?.facts?.suite == Self.staticRSA)

        let audited = try pass(judged: settings, served: settings, offering: weak, mode: .audit)
        #expect(audited.app?.machine.state == .established)
        audited.end(records: 1)
        #expect(audited.records.map(\.verdict) == [.wouldBlock])
        #expect(rules(audited) == [.forwardSecrecy, .clientOwnHandshake])
    }

    @Test(
        "an origin that serves the client a bad certificate and the gate a good one is blocked",
        arguments: [true, false])
    func otherCertificate(bytewise: Bool) throws {
        var bad = try ServerTLSSettings.untrusted("a.test")
        bad.maximum = .tls12
        let book = try pass(judged: .sound("a.test"), served: bad, bytewise: bytewise)
        book.carry()
        #expect(book.app?.leaf?.issuer == "CN=atsgate refused: trust.untrusted-root")
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.blocked])
        #expect(rules(book) == [.untrustedRoot, .clientOwnHandshake])
    }

    @Test("a different certificate that is as good is allowed and recorded")
    func secondCertificate() throws {
        var other = try ServerTLSSettings.sound("a.test")
        other.maximum = .tls12
        let book = try pass(judged: .sound("a.test"), served: other)
        #expect(book.app?.machine.state == .established)
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.allowed])
        #expect(rules(book) == [.clientOwnHandshake])
        #expect(book.records.first?.origin?.facts?.version == .tls12)
        #expect(
            book.records.first?.origin?.facts?.served.first?.sha256 == other.identity.certificate.facts.sha256)
    }

    @Test("in audit mode a good certificate for the client clears the findings of the gate's own handshake")
    func goodAfterBad() throws {
        var good = try ServerTLSSettings.sound("a.test")
        good.maximum = .tls12
        let book = try pass(judged: .untrusted("a.test"), served: good, mode: .audit)
        #expect(book.app?.machine.state == .established)
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.allowed])
        #expect(rules(book) == [.clientOwnHandshake])

        // TLS 1.3 hides its certificate, so that of the gate's own handshake counts.
        let hidden = try pass(
            judged: .untrusted("a.test"), served: .sound("a.test"), offering: .atsNewest, mode: .audit)
        hidden.end(records: 1)
        #expect(hidden.records.map(\.verdict) == [.wouldBlock])
    }

    @Test("TLS 1.3 is judged by its visible part, and the record shows that the certificate was hidden")
    func sealed() throws {
        let settings = try ServerTLSSettings.sound("a.test")
        let book = try pass(judged: settings, served: settings, offering: .atsNewest)
        #expect(book.app?.machine.state == .established)
        // TLS 1.3 has no second handshake, so the connection is spliced.
        #expect(book.session.clientSplice === book.links[0])
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.allowed])
        #expect(rules(book) == [.clientUnseen])
    }

    @Test("an encrypted part of the hello gets a finding, in any pieces", arguments: [true, false])
    func encryptedPart(bytewise: Bool) throws {
        var settings = try ServerTLSSettings.sound("a.test")
        settings.maximum = .tls12
        let book = try Playbook(.strict) { $0.passthrough = ["a.test"] }
        let link = try book.openTunnel("a.test")
        let app = try AppPeer(serverName: "a.test", offer: Self.tls12)
        app.machine.start()
        let hello = Self.withEncryptedPart(app.outbox.drained)
        for piece in bytewise ? hello.map({ [$0] }) : [hello] { book.client(piece) }
        book.serve(try book.connected(), as: try OriginPeer(.sound("a.test")))
        let peer = try OriginPeer(settings)
        peer.receive(book.sent(to: link))
        book.origin(peer.outbox.drained, on: link)
        book.end(records: 1)
        #expect(rules(book).contains(.clientUnseen))
        let observed = book.records.first?.diagnosis?.findings.first { $0.rule == .clientUnseen }?.observed
        #expect(observed == "Its hello has an encrypted part, which may name another host than a.test.")
    }

    /// Returns a single-record hello with an encrypted_client_hello of three bytes after its other extensions.
    private static func withEncryptedPart(_ hello: [UInt8]) -> [UInt8] {
        let added: [UInt8] = [0xFE, 0x0D, 0, 3, 1, 2, 3]
        var changed = hello + added
        // After version and random follow session, suites and compressions, each with its length before it.
        var extensions = 43
        extensions += 1 + Int(hello[extensions])
        extensions += 2 + (Int(hello[extensions]) << 8 | Int(hello[extensions + 1]))
        extensions += 1 + Int(hello[extensions])
        for length in [3, 7, extensions] {
            let grown = (Int(hello[length]) << 8 | Int(hello[length + 1])) + added.count
            (changed[length], changed[length + 1]) = (UInt8(grown >> 8), UInt8(grown & 0xFF))
        }
        return changed
    }

    @Test("a hello that fills the origin's outbox pauses its client until the outbox drains")
    func longHello() throws {
        let book = try Playbook(.strict) {
            $0.passthrough = ["a.test"]
            $0.limits.highWaterBytes = 100
        }
        let link = try book.openTunnel("a.test")
        book.originsAreSlow = true
        book.client(try AppPeer.hello("a.test"))
        book.serve(try book.connected(), as: try OriginPeer(.sound("a.test")))
        #expect(book.session.awaitedLink === link)
        #expect(book.isClientPaused)
        _ = book.sent(to: link)
        book.originDrained(on: link)
        #expect(book.session.awaitedLink == nil)
        #expect(!book.isClientPaused)
        book.end(records: 1)
    }

    @Test("a second hello after a HelloRetryRequest must not name another host", arguments: [true, false])
    func secondHello(isSame: Bool) throws {
        var settings = try ServerTLSSettings.sound("a.test")
        settings.groups = "P-384"
        let book = try Playbook(.strict) { $0.passthrough = ["a.test"] }
        let link = try book.openTunnel("a.test")
        book.clientOutbox.removeAll()
        let app = try AppPeer(serverName: "a.test")
        app.machine.start()
        book.client(app.outbox.drained)
        book.serve(try book.connected(), as: try OriginPeer(.sound("a.test")))
        if isSame {
            book.app = app
            book.serve(link, as: try OriginPeer(settings))
            #expect(app.machine.state == .established)
        } else {
            let peer = try OriginPeer(settings)
            peer.receive(book.sent(to: link))
            book.origin(peer.outbox.drained, on: link)
            book.client(try AppPeer.hello("bad.test"))
            #expect(book.originReads(on: link).isEmpty)
            #expect(book.session.isClosed)
        }
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [isSame ? .allowed : .failed])
        #expect(rules(book).first == (isSame ? .clientUnseen : .httpMalformed))
    }

    @Test(
        "an alert does not disarm the check: a hello for another host after it never reaches the origin",
        arguments: [[1, 90], [2, 90], [1, 112], [1, 0], [2, 40]] as [[UInt8]], [true, false])
    func secondHelloBehindAlert(alert: [UInt8], isAtOnce: Bool) throws {
        var settings = try ServerTLSSettings.sound("a.test")
        settings.groups = "P-384"
        let book = try Playbook(.strict) { $0.passthrough = ["a.test"] }
        let link = try book.openTunnel("a.test")
        let second = [0x15, 3, 3, 0, 2] + alert + (try AppPeer.hello("bad.test"))
        let first = try AppPeer.hello("a.test")
        book.client(first + (isAtOnce ? second : []))
        book.serve(try book.connected(), as: try OriginPeer(.sound("a.test")))
        let peer = try OriginPeer(settings)
        let heard = book.sent(to: link)
        #expect(heard == first)
        peer.receive(heard)
        book.origin(peer.outbox.drained, on: link)
        if !isAtOnce { book.client(second) }
        #expect(book.originReads(on: link).isEmpty)
        #expect(book.session.isClosed)
        book.end(records: 1)
    }

    @Test(
        "an answer that comes before the client's second hello ends the tunnel, and is not passed on",
        arguments: [true, false])
    func answerBeforeSecondHello(isAtOnce: Bool) throws {
        var settings = try ServerTLSSettings.sound("a.test")
        settings.groups = "P-384"
        let book = try Playbook(.strict) { $0.passthrough = ["a.test"] }
        let link = try book.openTunnel("a.test")
        let hello = try AppPeer.hello("a.test")
        book.client(hello)
        book.serve(try book.connected(), as: try OriginPeer(.sound("a.test")))
        let retrying = try OriginPeer(settings)
        retrying.receive(book.sent(to: link))
        let hasty = try OriginPeer(.sound("a.test"))
        hasty.receive(hello)
        if !isAtOnce { book.origin(retrying.outbox.drained, on: link) }
        book.clientOutbox.removeAll()
        book.origin((isAtOnce ? retrying.outbox.drained : []) + hasty.outbox.drained, on: link)
        #expect(book.session.isClosed)
        #expect(book.clientOutbox.isEmpty)
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.failed])
    }

    @Test(
        "an origin's response that is not TLS is not passed on",
        arguments: [EnforcementMode.enforce, .audit])
    func noTLS(mode: EnforcementMode) throws {
        let book = try Playbook(.strict) {
            $0.passthrough = ["a.test"]
            $0.mode = mode
        }
        let link = try book.openTunnel("a.test")
        book.clientOutbox.removeAll()
        book.client(try AppPeer.hello("a.test"))
        book.serve(try book.connected(), as: try OriginPeer(.sound("a.test")))
        book.origin("HTTP/1.1 200 OK\r\n\r\n", on: link)
        #expect(book.clientReads().isEmpty == (mode == .enforce))
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [mode == .enforce ? .failed : .allowed])
        #expect(rules(book) == [.tlsNotTLS])
    }

    @Test("a silent origin times out, and one that leaves is recorded as a reset")
    func silence() throws {
        for isGone in [true, false] {
            let book = try Playbook(.strict) { $0.passthrough = ["a.test"] }
            let link = try book.openTunnel("a.test")
            book.client(try AppPeer.hello("a.test"))
            book.serve(try book.connected(), as: try OriginPeer(.sound("a.test")))
            #expect(book.armed == .handshake)
            if isGone { book.originEnded(on: link) } else { book.pass(.handshake) }
            book.end(records: 1)
            #expect(book.records.map(\.verdict) == [.failed])
            #expect(rules(book) == [isGone ? .netReset : .tlsTimeout])
        }
    }
}
