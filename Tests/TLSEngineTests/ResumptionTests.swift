import ATSPolicy
import Bytes
import TLSEngine
import Testing

@Suite("sessions with origins")
struct ResumptionTests {
    /// An origin that sends a ticket after each handshake, and a gate that remembers it.
    private struct Scene {
        let world: World
        let leaf: SigningIdentity
        let tickets: ClientTLSContext
        let context: OriginTLSContext
        let sessions = OriginSessions()
        let trust: TrustStore

        init() throws {
            world = try World()
            leaf = try world.leaf()
            tickets = try ClientTLSContext()
            context = try OriginTLSContext(offer: atsOffer)
            trust = try TrustStore(systemRootsPEM: [], userRootsPEM: [])
        }

        /// Makes one connection.
        ///
        /// - Parameter isSound: true if the gate found no fault in the handshake.
        func visit(
            _ visit: Visit = Visit(), at time: Int64 = now, under context: OriginTLSContext? = nil,
            served: SigningIdentity? = nil, isSound: Bool = true
        ) throws -> TLSMachine {
            let origin = try Side {
                try TLSMachine.origin(
                    context ?? self.context, serverName: visit.name, alpn: visit.alpn, outbox: $0,
                    memory: SessionScope(sessions, origin: visit.origin, now: time))
            }
            let server = try Side { try TLSMachine.client(tickets, outbox: $0) }
            origin.machine.start()
            move(from: origin, to: server, chunk: .max)
            let chain = [world.intermediate.certificate]
            server.machine.finish(leaf: Leaf(identity: served ?? leaf, intermediates: chain), alpn: nil)
            let flight = Array(server.outbox.bytes)
            server.outbox.consume(flight.count)
            origin.receive(flight)
            try #require(origin.machine.state == .established)
            _ = origin.machine.facts(trust: trust)
            if isSound { origin.machine.allowResumption() }
            carry(origin, server)
            try #require(server.machine.state == .established)
            return origin.machine
        }
    }

    struct Visit: Sendable {
        var name = "origin.test"
        var alpn = ["http/1.1"]
        var origin = "https://origin.test"
    }

    @Test("a resumed handshake has the facts of the original full one")
    func carriesFacts() throws {
        let scene = try Scene()
        let full = try scene.visit()
        let resumed = try scene.visit()
        #expect(!full.isResumed && !full.offersSession)
        #expect(resumed.isResumed && resumed.offersSession)
        let facts = try #require(resumed.facts(trust: scene.trust))
        #expect(facts == full.facts(trust: scene.trust))
        #expect(facts.served.map(\.commonName) == ["origin.test", "Test Intermediate"])
        #expect(facts.version == .tls13 && facts.group == "X25519")
    }

    @Test("the chain of a resumed handshake is judged by the current roots")
    func otherRoots() throws {
        let scene = try Scene()
        #expect(try scene.visit().facts(trust: scene.trust)?.anchor == .incomplete)
        let folder = try TemporaryFolder()
        let file = try folder.write(scene.world.root.certificatePEM, to: "root.pem")
        let believing = try TrustStore(systemRootsPEM: [file], userRootsPEM: [])
        let resumed = try scene.visit()
        #expect(resumed.isResumed)
        #expect(resumed.facts(trust: believing)?.anchor == .system)
    }

    @Test(
        "a session is used only for its origin, name and protocols",
        arguments: [
            Visit(name: "other.test"), Visit(alpn: []), Visit(alpn: ["h2", "http/1.1"]),
            Visit(origin: "https://origin.test:444"),
        ])
    func elsewhere(other: Visit) throws {
        let scene = try Scene()
        _ = try scene.visit()
        #expect(try !scene.visit(other).offersSession)
        #expect(try scene.visit().isResumed)
    }

    @Test("a session made under one offer is never used under another")
    func otherOffer() throws {
        let scene = try Scene()
        _ = try scene.visit()
        let other = try OriginTLSContext(offer: relaxedOffer)
        #expect(try !scene.visit(under: other).offersSession)
        #expect(try scene.visit().isResumed)
    }

    @Test("a ticket is used once")
    func usedOnce() throws {
        let scene = try Scene()
        _ = try scene.visit()
        #expect(try scene.visit(isSound: false).isResumed)
        #expect(try !scene.visit().offersSession)
    }

    @Test("no session is kept from an unsound handshake")
    func onlySound() throws {
        let scene = try Scene()
        _ = try scene.visit(isSound: false)
        #expect(try !scene.visit().offersSession)
    }

    @Test("a session may be used until the full handshake reaches its maximum age, also through resumptions")
    func age() throws {
        let age = OriginSessions.ageSeconds
        for (time, isYoung) in [(now + age - 1, true), (now + age, false), (now - 1, false)] {
            let scene = try Scene()
            _ = try scene.visit()
            #expect(try scene.visit(at: time).offersSession == isYoung)
        }
        let scene = try Scene()
        _ = try scene.visit()
        for time in [now + age / 2, now + age - 1] { #expect(try scene.visit(at: time).isResumed) }
        #expect(try !scene.visit(at: now + age).isResumed)
    }

    @Test("a changed certificate is seen as soon as the origin makes a full handshake")
    func changedCertificate() throws {
        let scene = try Scene()
        let old = try #require(scene.visit().facts(trust: scene.trust))
        let renewed = try scene.visit(served: try scene.world.leaf())
        #expect(renewed.offersSession && !renewed.isResumed)
        let facts = try #require(renewed.facts(trust: scene.trust))
        #expect(facts.served.first?.sha256 != old.served.first?.sha256)
        #expect(facts.served.last == old.served.last)
    }

    @Test("the number of remembered origins is limited, and recently used ones are kept")
    func bounded() throws {
        let limit = OriginSessions.originLimit
        for (others, isKept) in [(limit / 2, true), (2 * limit + 1, false)] {
            let scene = try Scene()
            _ = try scene.visit()
            for number in 0..<others { _ = try scene.visit(Visit(origin: "https://\(number).test")) }
            #expect(try scene.visit().offersSession == isKept)
        }
    }

    @Test("without a memory no session is offered, and received tickets are dropped")
    func withoutMemory() throws {
        let scene = try Scene()
        for _ in 0..<2 {
            let origin = try Side {
                try TLSMachine.origin(scene.context, serverName: "origin.test", alpn: ["http/1.1"], outbox: $0)
            }
            let server = try Side { try TLSMachine.client(scene.tickets, outbox: $0) }
            origin.machine.start()
            move(from: origin, to: server, chunk: .max)
            server.machine.finish(leaf: Leaf(identity: scene.leaf), alpn: nil)
            carry(origin, server)
            origin.machine.allowResumption()
            #expect(origin.machine.state == .established)
            #expect(!origin.machine.isResumed && !origin.machine.offersSession)
        }
    }

    @Test("a client's ticket is accepted for the same host and issuer only")
    func clientTickets() throws {
        let scene = try Scene()
        let ours = try CertificateAuthority.ephemeral(commonName: "Gate", now: now)
        let otherCA = try CertificateAuthority.ephemeral(commonName: "Nobody", now: now)
        func visit(_ authority: CertificateAuthority, host: String) throws -> Bool {
            let app = try Side {
                try TLSMachine.origin(
                    scene.context, serverName: host, alpn: [], outbox: $0,
                    memory: SessionScope(scene.sessions, origin: "the gate", now: now))
            }
            let gate = try Side { try TLSMachine.client(scene.tickets, outbox: $0) }
            app.machine.start()
            move(from: app, to: gate, chunk: .max)
            // A new mint each time, so that the leaf differs as well.
            gate.machine.finish(leaf: try LeafMint(authority: authority).leaf(for: host, now: now), alpn: nil)
            carry(app, gate)
            _ = app.machine.facts(trust: scene.trust)
            app.machine.allowResumption()
            #expect(gate.machine.state == .established)
            return app.machine.isResumed
        }
        #expect(try !visit(ours, host: "a.test"))
        #expect(try visit(ours, host: "a.test"))
        #expect(try !visit(otherCA, host: "a.test"))
        #expect(try !visit(ours, host: "b.test"))
    }
}
