import ATSPolicy
import Bytes
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("witness mode watches and blocks no load")
struct WitnessTests {
    /// A tunnel whose origin the gate has judged, and whose client then handshakes with that origin.
    private func watch(
        judged: ServerTLSSettings, served: ServerTLSSettings? = nil, offering offer: TLSOffer = .atsNewest
    ) throws -> (book: Playbook, link: OriginLink) {
        let book = try Playbook(.strict) { $0.mode = .witness }
        let first = try book.openTunnel("a.test")
        book.clientOutbox.removeAll()
        let app = try AppPeer(serverName: "a.test", offer: offer)
        app.machine.start()
        book.client(app.outbox.drained)
        // The first connection is used for judging, and the client's own bytes get a second one.
        book.serve(first, as: try OriginPeer(judged))
        let second = try book.connected()
        book.app = app
        book.serve(second, as: try OriginPeer(served ?? judged))
        return (book, second)
    }

    private func device(_ book: Playbook) -> String {
        guard let device = book.records.first?.device else { return "none" }
        return "\(device.outcome.rawValue) \(device.how ?? "") \(device.confidence.rawValue)"
    }

    @Test(
        "a client that continues has accepted the origin's own certificate, which is recorded next to the verdict",
        arguments: [TLSVersion.tls12, .tls13])
    func accepted(version: TLSVersion) throws {
        var settings = try ServerTLSSettings.sound("a.test")
        settings.maximum = version
        let (book, link) = try watch(judged: settings)
        #expect(book.app?.machine.state == .established)
        #expect(book.app?.leaf?.sha256 == settings.identity.certificate.facts.sha256)
        book.appSends("ping")
        book.appSends("more")
        #expect(book.peerReads(on: link) == "pingmore")
        // No more bytes are inspected.
        #expect(book.session.clientSplice === link)
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.allowed])
        #expect(device(book) == "accepted application-data observed")
        #expect(book.records.first?.policy.mode == "witness")
    }

    @Test(
        "an origin that breaks a rule is neither blocked nor hidden from the client",
        arguments: [TLSVersion.tls12, .tls13])
    func untrusted(version: TLSVersion) throws {
        var settings = try ServerTLSSettings.untrusted("a.test")
        settings.maximum = version
        let (book, link) = try watch(judged: settings)
        #expect(book.app?.leaf?.sha256 == settings.identity.certificate.facts.sha256)
        book.appSends("ping")
        book.appSends("more")
        #expect(book.peerReads(on: link) == "pingmore")
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.wouldBlock])
        #expect(book.records.first?.diagnosis?.rule == .untrustedRoot)
        #expect(book.records.first?.refusal == nil)
        #expect(device(book) == "accepted application-data observed")
    }

    @Test("a client that sends an alert or leaves has refused; the verdict is unchanged")
    func refused() throws {
        var settings = try ServerTLSSettings.sound("a.test")
        settings.maximum = .tls12
        for (bytes, expected) in [
            ([21, 3, 3, 0, 2, 2, 42], "refused alert-42 observed"), ([], "refused closed-in-handshake inferred"),
        ] as [([UInt8], String)] {
            let book = try Playbook(.strict) { $0.mode = .witness }
            let first = try book.openTunnel("a.test")
            book.client(try AppPeer.hello("a.test"))
            book.serve(first, as: try OriginPeer(settings))
            book.serve(try book.connected(), as: try OriginPeer(settings))
            book.carry()
            if !bytes.isEmpty { book.client(bytes) }
            book.clientEnded()
            #expect(book.armed == .halfClosed)
            book.pass(.halfClosed)
            #expect(book.session.isClosed)
            #expect(book.records.map(\.verdict) == [.allowed])
            #expect(device(book) == expected)
        }
    }

    @Test("a client's alert reaches the origin before its connection is closed")
    func alertArrives() throws {
        let (book, link) = try watch(judged: .sound("a.test"))
        book.peers.removeAll()
        _ = book.sent(to: link)
        book.client([21, 3, 3, 0, 2, 2, 48])
        book.clientEnded()
        #expect(book.sent(to: link) == [21, 3, 3, 0, 2, 2, 48])
    }

    @Test("below TLS 1.3 the client's own handshake is judged")
    func ownHandshake() throws {
        var bad = try ServerTLSSettings.untrusted("a.test")
        bad.maximum = .tls12
        let (book, _) = try watch(judged: .sound("a.test"), served: bad)
        #expect(book.app?.machine.state == .established)
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.wouldBlock])
        #expect(
            book.records.first?.diagnosis?.findings.map(\.rule) == [.untrustedRoot, .clientOwnHandshake])
    }

    @Test(
        "a good handshake of the client replaces a bad verdict on the gate's own handshake", arguments: [true, false])
    func betterHandshake(isTLS: Bool) throws {
        var good = try ServerTLSSettings.sound("a.test")
        good.maximum = .tls12
        let book = try Playbook(.strict) { $0.mode = .witness }
        let first = try book.openTunnel("a.test")
        book.clientOutbox.removeAll()
        let app = try AppPeer(serverName: "a.test")
        app.machine.start()
        book.client(app.outbox.drained)
        if isTLS {
            book.serve(first, as: try OriginPeer(.untrusted("a.test")))
        } else {
            book.origin("HTTP/1.1 400 Bad Request\r\n\r\n", on: first)
        }
        let second = try book.connected()
        book.app = app
        book.serve(second, as: try OriginPeer(good))
        #expect(app.machine.state == .established)
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.allowed])
        let finding = try #require(book.records.first?.diagnosis?.findings.first)
        #expect(finding.rule == .clientOwnHandshake && book.records.first?.diagnosis?.findings.count == 1)
        // The finding still names the gate's own result.
        #expect(finding.observed.contains(isTLS ? "trust.untrusted-root" : "tls.not-tls"), "\(finding.observed)")
    }

    @Test("an origin that cannot be dialed again leaves the client's reaction unknown")
    func notReached() throws {
        let book = try Playbook(.strict) { $0.mode = .witness }
        let first = try book.openTunnel("a.test")
        book.client(try AppPeer.hello("a.test"))
        book.serve(first, as: try OriginPeer(.sound("a.test")))
        try book.dialFailed(.refused)
        #expect(book.records.map(\.verdict) == [.allowed])
        #expect(device(book) == "unknown not-reached observed")
    }

    @Test("a verdict is remembered, and then the first connection is the client's own")
    func remembered() throws {
        let law = try World.law(.strict) { $0.mode = .witness }
        let loop = try World.loop(law)
        for round in 0..<2 {
            let book = try Playbook(law, loop: loop)
            let first = try book.openTunnel("a.test")
            book.clientOutbox.removeAll()
            let app = try AppPeer(serverName: "a.test")
            app.machine.start()
            book.client(app.outbox.drained)
            book.app = app
            if round == 0 {
                book.app = nil
                book.serve(first, as: try OriginPeer(.sound("a.test")))
                book.app = app
                book.serve(try book.connected(), as: try OriginPeer(.sound("a.test")))
            } else {
                book.serve(first, as: try OriginPeer(.sound("a.test")))
                #expect(book.links.count == 1)
            }
            book.appSends("ping")
            book.appSends("more")
            book.end(records: 1)
            #expect(device(book) == "accepted application-data observed")
        }
    }

    @Test("an http load is sent and recorded as accepted")
    func cleartext() throws {
        let book = try Playbook(.strict) { $0.mode = .witness }
        book.client("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        try book.connected()
        book.origin("HTTP/1.1 204 No Content\r\n\r\n")
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.wouldBlock])
        #expect(device(book) == "accepted cleartext-request observed")
    }

    @Test("a tunnel without a hello or without TLS leaves the client's reaction unknown")
    func nothing() throws {
        let silent = try Playbook(.strict) { $0.mode = .witness }
        try silent.openTunnel("a.test")
        silent.end(records: 1)
        #expect(device(silent) == "unknown no-hello observed")
        let other = try Playbook(.strict) {
            $0.mode = .witness
            $0.otherTraffic = .refuse
        }
        let link = try other.openTunnel("a.test")
        other.client("\u{1}\u{2}mqtt")
        #expect(other.originReads(on: link) == "\u{1}\u{2}mqtt")
        other.end(records: 1)
        #expect(device(other) == "unknown not-tls observed")
    }

    @Test("every option that can refuse traffic is reset in witness mode and listed here")
    func choices() {
        let choices = Mirror(reflecting: LoadRules()).children.filter { choice in
            guard let kind = type(of: choice.value) as? any CaseIterable.Type else { return false }
            return kind.allCases.contains { "\($0)" == "refuse" }
        }
        #expect(choices.compactMap(\.label) == ["otherUpgrades", "otherTraffic"])
    }

    @Test("an unreadable hello is passed to the origin")
    func unreadable() throws {
        let book = try Playbook(.strict) { $0.mode = .witness }
        let link = try book.openTunnel("a.test")
        _ = book.clientReads()
        let bytes: [UInt8] = [22, 3, 1, 0, 8, 1, 0, 0, 4, 9, 9, 9, 9]
        book.client(bytes)
        #expect(book.sent(to: link) == bytes)
        // Only the origin answers.
        #expect(book.clientReads().isEmpty)
        book.origin([21, 3, 3, 0, 2, 2, 50], on: link)
        #expect(book.clientOutbox.drained == [21, 3, 3, 0, 2, 2, 50])
        book.end(records: 1)
        #expect(device(book) == "unknown not-tls observed")
    }

    @Test(
        "a hello with an impossible host name is watched like any other",
        arguments: ["a b.test", "a..test"])
    func malformedName(name: String) throws {
        let book = try Playbook(.strict) { $0.mode = .witness }
        let first = try book.openTunnel("a.test")
        book.clientOutbox.removeAll()
        let app = try AppPeer(serverName: name, isVerbatim: true)
        app.machine.start()
        book.client(app.outbox.drained)
        book.serve(first, as: try OriginPeer(.sound("a.test")))
        let second = try book.connected()
        book.app = app
        book.serve(second, as: try OriginPeer(.sound("a.test")))
        #expect(app.machine.state == .established)
        book.appSends("ping")
        book.appSends("more")
        book.end(records: 1)
        #expect(device(book) == "accepted application-data observed")
        #expect(book.records.map(\.verdict) == [.allowed])
        #expect(book.records.first?.diagnosis?.findings.map(\.rule).contains(.httpMalformed) == true)
        #expect(book.records.first?.load.target.host == "a.test")
    }

    @Test("outside witness mode records have no device outcome")
    func otherModes() throws {
        let book = try Playbook(.strict) { $0.mode = .audit }
        book.client("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        try book.connected()
        book.origin("HTTP/1.1 204 No Content\r\n\r\n")
        book.end(records: 1)
        #expect(device(book) == "none")
    }
}
