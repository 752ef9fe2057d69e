import ATSPolicy
import Bytes
import TLSEngine
import Testing

@Suite("handshakes between two machines in memory")
struct HandshakeTests {
    @Test("a handshake and a load have the same result for every size of piece", arguments: [TLSVersion.tls12, .tls13])
    func everyPieceSize(version: TLSVersion) throws {
        let world = try World()
        var settings = try world.settings()
        settings.maximum = version
        for chunk in Array(1...64) + [100, 517, 1_000, 5_000] {
            let (origin, server) = try meeting(atsOffer, settings)
            carry(origin, server, chunk: chunk)
            #expect(origin.machine.state == .established)
            #expect(server.machine.state == .established)
            origin.send("ping")
            server.send("pong")
            carry(origin, server, chunk: chunk)
            #expect(server.text == "ping")
            #expect(origin.text == "pong")
        }
    }

    @Test("the first flight may be split anywhere")
    func everySplitOfTheFirstFlight() throws {
        let settings = try World().settings()
        let length = try meeting(atsOffer, settings).origin.outbox.count
        for cut in 1..<length {
            let (origin, server) = try meeting(atsOffer, settings)
            let hello = Array(origin.outbox.bytes)
            origin.outbox.consume(hello.count)
            server.receive(Array(hello[..<cut]))
            #expect(server.machine.state == .handshaking)
            server.receive(Array(hello[cut...]))
            carry(origin, server)
            #expect(origin.machine.state == .established)
        }
    }

    @Test("the server's first flight may be split anywhere", arguments: [TLSVersion.tls12, .tls13])
    func everySplitOfTheAnswer(version: TLSVersion) throws {
        var settings = try World().settings()
        settings.maximum = version
        var cut = 1
        var length = 2
        while cut < length {
            let (origin, server) = try meeting(atsOffer, settings)
            move(from: origin, to: server, chunk: .max)
            let answer = Array(server.outbox.bytes)
            server.outbox.consume(answer.count)
            length = answer.count
            origin.receive(Array(answer[..<min(cut, length)]))
            origin.receive(Array(answer[min(cut, length)...]))
            carry(origin, server)
            #expect(origin.machine.state == .established)
            #expect(server.machine.state == .established)
            cut += 3
        }
    }

    @Test("every version from 1.0 to 1.3 works at security level 0", arguments: TLSVersion.allCases)
    func everyVersion(version: TLSVersion) throws {
        var settings = try World().settings()
        settings.minimum = version
        settings.maximum = version
        let (origin, server) = try meeting(relaxedOffer, settings)
        carry(origin, server)
        #expect(origin.machine.state == .established)
        let facts = origin.machine.facts(trust: try TrustStore(systemRootsPEM: [], userRootsPEM: []))
        #expect(facts?.version == version)
    }

    @Test("the server's preferred protocol of the offer is chosen")
    func negotiatesALPN() throws {
        var settings = try World().settings()
        settings.alpn = ["http/1.1", "h2"]
        let (origin, server) = try meeting(atsOffer, settings)
        carry(origin, server)
        #expect(origin.machine.negotiatedALPN == "http/1.1")
        #expect(server.machine.negotiatedALPN == "http/1.1")
        settings.alpn = ["spdy"]
        let stranger = try meeting(atsOffer, settings)
        carry(stranger.origin, stranger.server)
        #expect(stranger.origin.machine.negotiatedALPN == nil)
    }

    @Test("static RSA is refused under an ATS offer and accepted without forward secrecy")
    func staticRSA() throws {
        let world = try World()
        var settings = world.settings(for: try world.leaf(key: .rsa(bits: 2_048)))
        settings.maximum = .tls12
        settings.cipherList = "AES128-GCM-SHA256"
        let strict = try meeting(atsOffer, settings)
        carry(strict.origin, strict.server)
        // handshake_failure (RFC 8446 section 6.2).
        #expect(strict.origin.machine.state == .failed(.alertReceived(40)))
        for offer in [relaxedOffer, .diagnostic] {
            let (origin, server) = try meeting(offer, settings)
            carry(origin, server)
            let facts = origin.machine.facts(trust: try TrustStore(systemRootsPEM: [], userRootsPEM: []))
            #expect(facts?.suite.name == "TLS_RSA_WITH_AES_128_GCM_SHA256")
            #expect(facts?.suite.code == 0x009C)
            #expect(facts?.suite.keyExchange == .rsa)
            #expect(facts?.group == nil)
        }
    }

    @Test("finite-field Diffie-Hellman is only in the diagnostic offer")
    func finiteField() throws {
        let world = try World()
        var settings = world.settings(for: try world.leaf(key: .rsa(bits: 2_048)))
        settings.maximum = .tls12
        settings.cipherList = "DHE-RSA-AES128-GCM-SHA256"
        let strict = try meeting(relaxedOffer, settings)
        carry(strict.origin, strict.server)
        #expect(strict.origin.machine.state == .failed(.alertReceived(40)))
        let (origin, server) = try meeting(.diagnostic, settings)
        carry(origin, server)
        let facts = origin.machine.facts(trust: try TrustStore(systemRootsPEM: [], userRootsPEM: []))
        #expect(facts?.suite.keyExchange == .dhe)
        #expect(facts?.group == "DH-2048")
    }
}
