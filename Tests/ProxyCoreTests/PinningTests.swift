import ATSPolicy
import ProxyCore
import Records
import Synchronization
import TLSEngine
import Testing

@Suite("clients that pin, and clients that lack the CA")
struct PinningTests {
    private static let phone = ClientSource(address: "192.0.2.7:5000")
    private static let minute: Int64 = 60_000_000

    private final class Said: Sendable {
        let sentences = Mutex<[String]>([])
    }

    private func gate(isOn: Bool = true, said: Said = Said()) throws -> (GatePolicy, LoopContext) {
        let law = try World.law(.strict)
        let watch = PinningWatch(isOn: isOn) { sentence in said.sentences.withLock { $0.append(sentence) } }
        return (law, try World.loop(law, pinning: watch))
    }

    private func session(
        _ gate: (GatePolicy, LoopContext), from place: ClientSource = phone, at ticks: Int64 = 0
    ) throws -> Playbook {
        let book = try Playbook(gate.0, loop: gate.1, from: place)
        book.moment = Timestamp(wall: World.now * 1_000, ticks: ticks)
        return book
    }

    /// Performs a load that shows that the client accepts the leaf.
    private func take(_ host: String, _ book: Playbook) throws {
        try book.tunnel(to: host)
        #expect(book.app?.leaf?.issuer == "CN=Gate")
        book.appSends("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        book.peerSends(TunnelTests.ok)
        book.end(records: 1)
    }

    /// Leaves after the handshake without a request, as an app whose code rejects the leaf; returns the findings.
    private func leave(_ host: String, after ticks: Int64, _ book: Playbook) throws -> [String] {
        try book.tunnel(to: host)
        book.moment.ticks += ticks
        book.clientEnded()
        book.end(records: 1)
        return book.records.first?.diagnosis?.findings.map(\.observed) ?? []
    }

    private func refuse(_ host: String, _ book: Playbook) throws -> String {
        let link = try book.openTunnel(host)
        let app = try AppPeer(
            serverName: host,
            offer: TLSOffer(minimum: .tls12, maximum: .tls12, suites: OSProfile.newest.atsSuites))
        app.machine.start()
        book.client(app.outbox.drained)
        book.serve(link, as: try OriginPeer(.sound(host)))
        book.client([0x15, 3, 3, 0, 2, 2, 48])
        book.end(records: 1)
        let finding = book.records.first?.diagnosis?.findings.first
        #expect(finding?.rule == .clientRejectedLeaf)
        return finding?.observed ?? ""
    }

    private func isPassedThrough(_ host: String, _ book: Playbook) throws -> Bool {
        book.client("CONNECT \(host):443 HTTP/1.1\r\nHost: \(host):443\r\n\r\n")
        return book.transcript.contains("  connect https://\(host) new")
    }

    /// A passthrough tunnel of a pinning client; returns its finding.
    private func pass(_ host: String, _ book: Playbook) throws -> String {
        let link = try book.openTunnel(host)
        let app = try AppPeer(serverName: host)
        app.machine.start()
        let hello = app.outbox.drained
        book.client(hello)
        book.serve(try book.connected(), as: try OriginPeer(.sound(host)))
        #expect(book.sent(to: link) == hello)
        book.clientEnded()
        book.originEnded(on: link)
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.allowed])
        let findings = book.records.first?.diagnosis?.findings ?? []
        #expect(findings.map(\.rule) == [.clientPins])
        return findings.first?.observed ?? ""
    }

    @Test("after a second rejection the host is passed through to that client for ten minutes, judged, and logged once")
    func pins() throws {
        let said = Said()
        let gate = try gate(said: said)
        try take("other.test", session(gate))
        #expect(try refuse("pinned.test", session(gate)).contains("--passthrough pinned.test"))
        #expect(said.sentences.withLock { $0.isEmpty })
        #expect(try refuse("pinned.test", session(gate)).contains("passed through for 10 minutes"))
        #expect(said.sentences.withLock { $0.count } == 1)

        #expect(try !pass("pinned.test", session(gate, at: 9 * Self.minute)).contains("expected"))

        let elsewhere = ClientSource(address: "192.0.2.8:5000")
        #expect(try !isPassedThrough("pinned.test", session(gate, from: elsewhere)))
        #expect(try !isPassedThrough("good.test", session(gate)))
        #expect(try !isPassedThrough("pinned.test", session(gate, at: 10 * Self.minute)))
    }

    @Test("a recently seen device is remembered, however many others are seen")
    func crowd() throws {
        let gate = try gate()
        try take("other.test", session(gate))
        for _ in 0..<2 { _ = try refuse("pinned.test", session(gate)) }
        // Each loopback address with its agent counts as a device.
        for number in 0..<300 {
            let place = ClientSource(address: "127.0.\(number / 250).\(number % 250 + 1):5000")
            _ = try refuse("pinned.test", session(gate, from: place))
        }
        #expect(try isPassedThrough("pinned.test", session(gate)))
    }

    @Test("a weak origin is blocked although its client pins")
    func pinnedAndWeak() throws {
        let gate = try gate()
        try take("other.test", session(gate))
        for _ in 0..<2 { _ = try refuse("pinned.test", session(gate)) }
        let book = try session(gate)
        try book.openTunnel("pinned.test")
        try book.appStarts("pinned.test")
        book.serve(try book.connected(), as: try OriginPeer(.untrusted("pinned.test")))
        #expect(book.records.map(\.verdict) == [.blocked])
        book.end(records: 1)
    }

    @Test("a client that never accepted a leaf lacks the CA: its finding explains that, and no host is passed through")
    func lacksAuthority() throws {
        let gate = try gate()
        for host in ["a.test", "b.test", "a.test", "a.test"] {
            #expect(try refuse(host, session(gate)).contains("install the CA"))
        }
        #expect(try !isPassedThrough("a.test", session(gate)))
    }

    @Test("local programs are distinguished by User-Agent, while apps on a device share its trust")
    func agents() throws {
        let gate = try gate()
        let here = ClientSource(address: "127.0.0.1:5000")
        // The agent inside the tunnel may differ from that of its CONNECT.
        let known = try session(gate, from: here)
        try known.tunnel(to: "other.test")
        known.appSends("GET / HTTP/1.1\r\nHost: other.test\r\nUser-Agent: Strange/1\r\n\r\n")
        known.peerSends(TunnelTests.ok)
        known.end(records: 1)
        let stranger = try session(gate, from: here)
        stranger.client("CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\nUser-Agent: Strange/1\r\n\r\n")
        let link = try stranger.connected()
        let app = try AppPeer(
            serverName: "a.test",
            offer: TLSOffer(minimum: .tls12, maximum: .tls12, suites: OSProfile.newest.atsSuites))
        app.machine.start()
        stranger.client(app.outbox.drained)
        stranger.serve(link, as: try OriginPeer(.sound("a.test")))
        stranger.client([0x15, 3, 3, 0, 2, 2, 48])
        stranger.end(records: 1)
        #expect(stranger.records.first?.diagnosis?.findings.first?.observed.contains("install the CA") == true)
    }

    @Test("a client that leaves right after its handshake counts as pinning; one that leaves later does not")
    func leaving() throws {
        let gate = try gate()
        try take("other.test", session(gate))
        for _ in 0..<3 { #expect(try leave("late.test", after: 1_000_000, session(gate)).isEmpty) }
        #expect(try !isPassedThrough("late.test", session(gate)))
        #expect(try leave("a.test", after: 900_000, session(gate)).first?.contains("left without a request") == true)
        #expect(try leave("a.test", after: 0, session(gate)).first?.contains("10 minutes") == true)
        #expect(try isPassedThrough("a.test", session(gate)))
    }

    @Test("a load between two rejections shows that the leaf is accepted")
    func takenAgain() throws {
        let gate = try gate()
        try take("other.test", session(gate))
        for _ in 0..<3 {
            _ = try leave("a.test", after: 0, session(gate))
            try take("a.test", session(gate))
        }
        #expect(try !isPassedThrough("a.test", session(gate)))
    }

    @Test(
        "a client whose request the gate rejects did accept the leaf, so leaving afterwards does not suggest pinning",
        arguments: [
            ("h2", StreamBook.rejected), ("http/1.1", "GET / HTTP/1.1\r\nHost: a.test\r\nX : y\r\n\r\n"),
            ("http/1.1", "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n"),
        ])
    func turnedAway(alpn: String, request: String) throws {
        let gate = try gate()
        try take("other.test", session(gate))
        for _ in 0..<3 {
            let book = try session(gate)
            let link = try book.openTunnel("a.test")
            book.serve(link, as: try OriginPeer(.sound("a.test", alpn: [alpn])))
            try book.appStarts("a.test", alpn: [alpn])
            book.appSends(request)
            book.clientEnded()
            book.end(records: 1)
            let rules = book.records.first?.diagnosis?.findings.map(\.rule) ?? []
            #expect(rules.allSatisfy { $0 == .httpMalformed })
        }
        #expect(try !isPassedThrough("a.test", session(gate)))
    }

    @Test("with passthrough off, a host is reported as pinned but still decrypted")
    func off() throws {
        let gate = try gate(isOn: false)
        try take("other.test", session(gate))
        for _ in 0..<3 { #expect(try refuse("a.test", session(gate)).contains("seems to pin this one")) }
        #expect(try !isPassedThrough("a.test", session(gate)))
    }

    @Test("if the dictionary pins the host, the finding names NSPinnedDomains")
    func declared() throws {
        let pins = PropertyValue.dictionary([
            PropertyMember(
                key: "NSPinnedDomains", keyLine: 2,
                node: PropertyNode(
                    .dictionary([
                        PropertyMember(
                            key: "a.test", keyLine: 3,
                            node: PropertyNode(
                                .dictionary([
                                    PropertyMember(
                                        key: "NSPinnedLeafIdentities", keyLine: 4,
                                        node: PropertyNode(
                                            .array([
                                                PropertyNode(
                                                    .dictionary([
                                                        PropertyMember(
                                                            key: "SPKI-SHA256-BASE64", keyLine: 5,
                                                            node: PropertyNode(
                                                                .string("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
                                                                line: 5))
                                                    ]), line: 5)
                                            ]), line: 4))
                                ]), line: 3))
                    ]), line: 2))
        ])
        let law = try World.law(pins) { $0.mode = .audit }
        let observed = try refuse("a.test", session((law, try World.loop(law))))
        #expect(observed.contains("NSPinnedDomains"))
    }

    @Test("TrustKit settings in the bundle are named as the reason, only for their hosts")
    func trustKit() throws {
        let law = try World.law(.strict) { $0.trustKitDomains = ["*.pinned.test"] }
        let gate = (law, try World.loop(law, pinning: PinningWatch { _ in }))
        try take("other.test", session(gate))
        for host in ["a.pinned.test", "a.test"] {
            let isNamed = host == "a.pinned.test"
            for _ in 0..<2 { #expect(try refuse(host, session(gate)).contains("TrustKit") == isNamed) }
            let reason = " This was expected: the bundle pins it by TrustKit (TSKPinnedDomains)."
            #expect(try pass(host, session(gate)).hasSuffix(reason) == isNamed)
        }
    }

    @Test("Apple's services are passed through for devices, not for local programs")
    func appleServices() throws {
        let law = try World.law(.strict) { $0.appleServices = .devices }
        let gate = (law, try World.loop(law))
        #expect(try isPassedThrough("gs.apple.com", session(gate)))
        #expect(try !isPassedThrough("gs.apple.com", session(gate, from: ClientSource(address: "127.0.0.1:1"))))
    }
}

@Suite("dictionaries of single listeners")
struct ListenerLawTests {
    @Test("clients of one listener are judged under its own dictionary and release, others are not")
    func own() throws {
        let old = ListenerPolicy(policyPath: "Old.plist", system: .named(.iOS10))
        let other = try World.law(.openWorld)
        let law = try World.law(.strict) {
            $0.laws = [
                old: JudgedSystem(judge: Judge(declaration: other.judge.declaration, profile: .iOS10))
            ]
        }
        let loop = try World.loop(law)
        for (place, verdict, system) in [
            (ClientSource(address: "127.0.0.1:1", law: old), Verdict.failed, "ios10"),
            (ClientSource(address: "127.0.0.1:1"), .blocked, "ios26"),
        ] {
            let book = try Playbook(law, loop: loop, from: place)
            book.client("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
            // An allowed load is dialed, a denied one is not.
            if verdict == .failed { try book.dialFailed(.refused) }
            #expect(book.records.map(\.verdict) == [verdict])
            #expect(book.records.first?.client.os == system)
            book.end(records: 1)
        }
    }
}
