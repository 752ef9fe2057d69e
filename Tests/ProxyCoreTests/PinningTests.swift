import ATSPolicy
import ProxyCore
import Records
import Synchronization
import TLSEngine
import Testing

@Suite("clients that pin, and those that lack the CA")
struct PinningTests {
    private static let phone = ClientPlace(address: "192.0.2.7:5000")
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
        _ gate: (GatePolicy, LoopContext), from place: ClientPlace = phone, at ticks: Int64 = 0
    ) throws -> Playbook {
        let book = try Playbook(gate.0, loop: gate.1, from: place)
        book.moment = Timestamp(wall: World.now * 1_000, ticks: ticks)
        return book
    }

    /// A tunnel whose client takes the leaf, and one whose client refuses it; the finding about that.
    private func take(_ host: String, _ book: Playbook) throws {
        try book.tunnel(to: host)
        #expect(book.app?.leaf?.issuer == "CN=Gate")
        book.appSends("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        book.peerSends(TunnelTests.ok)
        book.end(records: 1)
    }

    /// Its own code does not like the leaf, after the handshake: what it is told, in findings.
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
        return book.transcript.contains("  connect https://\(host) main new")
    }

    /// A tunnel that passes unopened; the finding about that.
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

    @Test("after the second refusal the host passes, for that client, for ten minutes, judged and marked, said once")
    func pins() throws {
        let said = Said()
        let gate = try gate(said: said)
        try take("other.test", session(gate))
        #expect(try refuse("pinned.test", session(gate)).contains("--passthrough pinned.test"))
        #expect(said.sentences.withLock { $0.isEmpty })
        #expect(try refuse("pinned.test", session(gate)).contains("passed through for 10 minutes"))
        #expect(said.sentences.withLock { $0.count } == 1)

        #expect(try !pass("pinned.test", session(gate, at: 9 * Self.minute)).contains("expected"))

        let elsewhere = ClientPlace(address: "192.0.2.8:5000")
        #expect(try !isPassedThrough("pinned.test", session(gate, from: elsewhere)))
        #expect(try !isPassedThrough("good.test", session(gate)))
        #expect(try !isPassedThrough("pinned.test", session(gate, at: 10 * Self.minute)))
    }

    @Test("however many others are seen, a device that was seen lately is not forgotten")
    func crowd() throws {
        let gate = try gate()
        try take("other.test", session(gate))
        for _ in 0..<2 { _ = try refuse("pinned.test", session(gate)) }
        // Each address of loopback with its agent is a device of its own.
        for number in 0..<300 {
            let place = ClientPlace(address: "127.0.\(number / 250).\(number % 250 + 1):5000")
            _ = try refuse("pinned.test", session(gate, from: place))
        }
        #expect(try isPassedThrough("pinned.test", session(gate)))
    }

    @Test("a weak origin is refused though its client pins")
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

    @Test("a client that has taken nothing lacks the CA: it is told so, and nothing is passed through")
    func lacksAuthority() throws {
        let gate = try gate()
        for host in ["a.test", "b.test", "a.test", "a.test"] {
            #expect(try refuse(host, session(gate)).contains("install the CA"))
        }
        #expect(try !isPassedThrough("a.test", session(gate)))
    }

    @Test("programs of this machine are told apart by their agents; apps of a device share its trust")
    func agents() throws {
        let gate = try gate()
        let here = ClientPlace(address: "127.0.0.1:5000")
        // What it says inside the tunnel may name another agent than its CONNECT.
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

    @Test("a client that leaves at once after its handshake pins, too; one that leaves later just goes")
    func leaving() throws {
        let gate = try gate()
        try take("other.test", session(gate))
        for _ in 0..<3 { #expect(try leave("late.test", after: 1_000_000, session(gate)).isEmpty) }
        #expect(try !isPassedThrough("late.test", session(gate)))
        #expect(try leave("a.test", after: 900_000, session(gate)).first?.contains("asked for nothing") == true)
        #expect(try leave("a.test", after: 0, session(gate)).first?.contains("10 minutes") == true)
        #expect(try isPassedThrough("a.test", session(gate)))
    }

    @Test("a load in between shows that the leaf is taken")
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
        "a client whose requests the gate itself turns away has asked: that it leaves then says nothing of pins",
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

    @Test("switched off, a host is named as pinned, and decrypted all the same")
    func off() throws {
        let gate = try gate(isOn: false)
        try take("other.test", session(gate))
        for _ in 0..<3 { #expect(try refuse("a.test", session(gate)).contains("seems to pin this one")) }
        #expect(try !isPassedThrough("a.test", session(gate)))
    }

    @Test("where the app itself says that it pins, the finding names the place")
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

    @Test("settings of TrustKit in the bundle are named as the reason, for their hosts and no others")
    func trustKit() throws {
        let law = try World.law(.strict) { $0.trustKitDomains = ["*.pinned.test"] }
        let gate = (law, try World.loop(law, pinning: PinningWatch { _ in }))
        try take("other.test", session(gate))
        for host in ["a.pinned.test", "a.test"] {
            let isNamed = host == "a.pinned.test"
            for _ in 0..<2 { #expect(try refuse(host, session(gate)).contains("TrustKit") == isNamed) }
            let reason = " It was to be expected: the bundle pins it by TrustKit (TSKPinnedDomains)."
            #expect(try pass(host, session(gate)).hasSuffix(reason) == isNamed)
        }
    }

    @Test("Apple's services are passed through for devices, not for programs of this machine")
    func appleServices() throws {
        let law = try World.law(.strict) { $0.appleServices = .devices }
        let gate = (law, try World.loop(law))
        #expect(try isPassedThrough("gs.apple.com", session(gate)))
        #expect(try !isPassedThrough("gs.apple.com", session(gate, from: ClientPlace(address: "127.0.0.1:1"))))
    }
}

@Suite("laws of single listeners")
struct ListenerLawTests {
    @Test("clients of one listener are judged under its own dictionary and system, others are not")
    func own() throws {
        let old = ListenerLaw(policyPath: "Old.plist", system: .named(.iOS10))
        let other = try World.law(.openWorld)
        let law = try World.law(.strict) {
            $0.laws = [
                old: JudgedSystem(judge: Judge(declaration: other.judge.declaration, profile: .iOS10))
            ]
        }
        let loop = try World.loop(law)
        for (place, verdict, system) in [
            (ClientPlace(address: "127.0.0.1:1", law: old), Verdict.failed, "ios10"),
            (ClientPlace(address: "127.0.0.1:1"), .blocked, "ios26"),
        ] {
            let book = try Playbook(law, loop: loop, from: place)
            book.client("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
            // A permit is dialed, a denial is not.
            if verdict == .failed { try book.dialFailed(.refused) }
            #expect(book.records.map(\.verdict) == [verdict])
            #expect(book.records.first?.client.os == system)
            book.end(records: 1)
        }
    }
}
