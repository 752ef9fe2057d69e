import ATSPolicy
import Bytes
import TLSEngine
import Testing

@Suite("the client side holds the hello until the session decides")
struct HeldHelloTests {
    private func meet(
        serverName: String = "api.example.com", alpn: [String] = ["h2", "http/1.1"], offer: TLSOffer = atsOffer
    ) throws -> (app: Side, gate: Side) {
        let appContext = try OriginTLSContext(offer: offer)
        let gateContext = try ClientTLSContext()
        let app = try Side {
            try TLSMachine.origin(appContext, serverName: serverName, alpn: alpn, outbox: $0)
        }
        let gate = try Side { try TLSMachine.client(gateContext, outbox: $0) }
        app.machine.start()
        return (app, gate)
    }

    @Test("the held hello contains name and protocols, and no answer is sent")
    func holdsHello() throws {
        let (app, gate) = try meet()
        #expect(gate.machine.clientHello == nil)
        move(from: app, to: gate, chunk: 1)
        #expect(gate.machine.state == .helloHeld)
        #expect(gate.outbox.isEmpty)
        let hello = ClientHello(serverName: .name("api.example.com"), alpn: ["h2", "http/1.1"])
        #expect(gate.machine.clientHello == hello)
    }

    @Test("an IP literal is not sent as a name", arguments: ["192.0.2.1", "2001:db8::1"])
    func noNameForAddresses(host: String) throws {
        let (app, gate) = try meet(serverName: host, alpn: [])
        move(from: app, to: gate, chunk: .max)
        #expect(gate.machine.clientHello?.serverName == .absent)
        #expect(gate.machine.clientHello?.alpn == [])
    }

    @Test("a trailing dot is not sent")
    func noTrailingDot() throws {
        let (app, gate) = try meet(serverName: "example.com.")
        move(from: app, to: gate, chunk: .max)
        #expect(gate.machine.clientHello?.serverName == .name("example.com"))
    }

    @Test("finish serves the given leaf and protocol", arguments: ["h2", "http/1.1", nil])
    func finishes(alpn: String?) throws {
        let authority = try CertificateAuthority.ephemeral(commonName: "Test CA", now: now)
        let leaf = try LeafMint(authority: authority).leaf(for: "api.example.com", now: now)
        let (app, gate) = try meet()
        move(from: app, to: gate, chunk: .max)
        gate.machine.finish(leaf: leaf, alpn: alpn)
        carry(app, gate)
        #expect(gate.machine.state == .established)
        #expect(gate.machine.negotiatedALPN == alpn)
        #expect(app.machine.negotiatedALPN == alpn)
        let trust = try TrustStore(systemRootsPEM: [], userRootsPEM: [])
        let facts = try #require(app.machine.facts(trust: trust))
        #expect(facts.served.first?.dnsNames == ["api.example.com"])
        #expect(gate.machine.facts(trust: trust) == nil)
        app.send("GET")
        carry(app, gate)
        #expect(gate.text == "GET")
    }

    @Test("a protocol that the client did not offer is not selected")
    func unofferedProtocol() throws {
        let authority = try CertificateAuthority.ephemeral(commonName: "Test CA", now: now)
        let leaf = try LeafMint(authority: authority).leaf(for: "api.example.com", now: now)
        let (app, gate) = try meet(alpn: ["http/1.1"])
        move(from: app, to: gate, chunk: .max)
        gate.machine.finish(leaf: leaf, alpn: "h2")
        carry(app, gate)
        #expect(app.machine.negotiatedALPN == nil)
        #expect(app.machine.state == .established)
    }

    @Test(
        "each alert arrives as sent", arguments: [40, 42, 43, 44, 45, 46, 47, 48, 49, 70, 71, 80, 112, 120] as [UInt8])
    func refuses(alert: UInt8) throws {
        let (app, gate) = try meet()
        move(from: app, to: gate, chunk: .max)
        gate.machine.refuse(alert: alert)
        carry(app, gate)
        #expect(app.machine.state == .failed(.alertReceived(alert)))
        #expect(app.machine.alertReceived == alert)
        guard case .failed(.library) = gate.machine.state else {
            Issue.record("\(gate.machine.state)")
            return
        }
    }

    @Test("bytes that arrive while the hello is held are kept, up to a limit")
    func floodWhileHeld() throws {
        let (app, gate) = try meet()
        move(from: app, to: gate, chunk: .max)
        gate.receive([UInt8](repeating: 7, count: 65_536))
        #expect(gate.machine.state == .helloHeld)
        gate.receive([7])
        #expect(gate.machine.state == .failed(.library(0)))
    }

    @Test("a client that leaves while its hello is held is closed", arguments: [true, false])
    func leavesWhileHeld(reset: Bool) throws {
        let (app, gate) = try meet()
        move(from: app, to: gate, chunk: .max)
        gate.machine.inputEnded(reset: reset)
        #expect(gate.machine.state == .failed(.closed(reset: reset)))
    }

    @Test("a client that supports only TLS 1.1 is held, too, and then rejected for its version")
    func oldClient() throws {
        let old = TLSOffer(minimum: .tls10, maximum: .tls11, suites: relaxedOffer.suites)
        let (app, gate) = try meet(offer: old)
        move(from: app, to: gate, chunk: .max)
        #expect(gate.machine.state == .helloHeld)
        let authority = try CertificateAuthority.ephemeral(commonName: "Test CA", now: now)
        gate.machine.finish(leaf: try LeafMint(authority: authority).leaf(for: "a.test", now: now), alpn: nil)
        carry(app, gate)
        // protocol_version (RFC 8446 section 6.2).
        #expect(app.machine.state == .failed(.alertReceived(70)))
    }
}
