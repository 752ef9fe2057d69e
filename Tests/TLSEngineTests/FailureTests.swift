import ATSPolicy
import Bytes
import Seeded
import TLSEngine
import Testing

@Suite("failed handshakes have distinct failures")
struct FailureTests {
    private func started(_ offer: TLSOffer = atsOffer) throws -> Side {
        let context = try OriginTLSContext(offer: offer)
        let side = try Side { try TLSMachine.origin(context, serverName: "origin.test", alpn: [], outbox: $0) }
        side.machine.start()
        return side
    }

    /// A ServerHello without extensions in one record (RFC 5246 section 7.4.1.3).
    private func serverHello(version: UInt8, suite: UInt16) -> [UInt8] {
        let body: [UInt8] =
            [3, version] + [UInt8](repeating: 9, count: 32) + [0, UInt8(suite >> 8), UInt8(suite & 0xFF), 0]
        let handshake: [UInt8] = [2, 0, 0, UInt8(body.count)] + body
        return [22, 3, version, 0, UInt8(handshake.count)] + handshake
    }

    @Test("a version outside the offer is recognized", arguments: [0, 1, 2] as [UInt8])
    func versionNotOffered(minor: UInt8) throws {
        let side = try started()
        side.receive(serverHello(version: minor, suite: 0xC02F))
        #expect(side.machine.state == .failed(.versionNotOffered))
    }

    @Test(
        "a suite outside the offer is recognized, whether or not the library knows it",
        arguments: [0x0005, 0x009C, 0x000A] as [UInt16])
    func suiteNotOffered(suite: UInt16) throws {
        let side = try started()
        side.receive(serverHello(version: 3, suite: suite))
        #expect(side.machine.state == .failed(.suiteNotOffered))
    }

    @Test(
        "bytes that are not TLS are recognized",
        arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-x", "220 mail ready\r\n"])
    func notTLS(text: String) throws {
        let side = try started()
        side.receive(Array(text.utf8))
        #expect(side.machine.state == .failed(.notTLS(Array(text.utf8.prefix(16)))))
    }

    @Test(
        "a short answer that is not TLS and ends immediately is recognized",
        arguments: [Array("no".utf8), [22, 65], [24], [22, 2, 0]])
    func shortNotTLS(bytes: [UInt8]) throws {
        let side = try started()
        side.receive(bytes)
        side.machine.inputEnded(reset: false)
        #expect(side.machine.state == .failed(.notTLS(bytes)))
    }

    @Test("a cleartext alert is recognized, in one piece or byte by byte", arguments: [1, 7])
    func plaintextAlert(chunk: Int) throws {
        let side = try started()
        let alert: [UInt8] = [21, 3, 3, 0, 2, 2, 71]
        for start in stride(from: 0, to: alert.count, by: chunk) {
            side.receive(Array(alert[start..<min(start + chunk, alert.count)]))
        }
        #expect(side.machine.state == .failed(.alertReceived(71)))
        #expect(side.machine.alertReceived == 71)
    }

    @Test("the end of the stream is recognized", arguments: [true, false])
    func closed(reset: Bool) throws {
        let side = try started()
        side.machine.inputEnded(reset: reset)
        #expect(side.machine.state == .failed(.closed(reset: reset)))
    }

    @Test("an established stream that ends without close_notify was truncated")
    func truncated() throws {
        let (origin, server) = try meeting(atsOffer, try World().settings())
        carry(origin, server)
        server.machine.inputEnded(reset: false)
        #expect(server.machine.state == .failed(.closed(reset: false)))
    }

    @Test("an alert after the handshake fails the machine and keeps its number")
    func alertAfterHandshake() throws {
        var settings = try World().settings()
        settings.maximum = .tls12
        let (origin, server) = try meeting(atsOffer, settings)
        carry(origin, server)
        // The receiver answers a tampered record with bad_record_mac.
        origin.send("hello")
        var record = Array(origin.outbox.bytes)
        origin.outbox.removeAll()
        record[record.count - 1] ^= 1
        server.receive(record)
        guard case .failed(.library) = server.machine.state else {
            Issue.record("\(server.machine.state)")
            return
        }
        carry(origin, server)
        #expect(origin.machine.state == .failed(.alertReceived(20)))
        #expect(origin.machine.alertReceived == 20)
    }

    @Test("random bytes never trap and never establish a connection", arguments: 0..<40 as Range<UInt64>)
    func garbage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let server = try meeting(atsOffer, try World().settings()).server
        let gateContext = try ClientTLSContext()
        let gate = try Side { try TLSMachine.client(gateContext, outbox: $0) }
        for side in [try started(), server, gate] {
            for _ in 0..<20 {
                var bytes = (0..<Int.random(in: 0...400, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                if Bool.random(using: &random), bytes.count > 5 {
                    bytes.replaceSubrange(0..<5, with: [22, 3, UInt8.random(in: 0...4, using: &random), 0, 40])
                }
                side.receive(bytes)
            }
            #expect(side.machine.state != .established)
        }
    }

    @Test("a damaged flight never traps", arguments: 0..<60 as Range<UInt64>)
    func mutatedFlights(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var settings = try World().settings()
        settings.maximum = seed.isMultiple(of: 2) ? .tls12 : .tls13
        let (origin, server) = try meeting(atsOffer, settings)
        for _ in 0..<6 {
            for (from, to) in [(origin, server), (server, origin)] {
                var bytes = Array(from.outbox.bytes)
                from.outbox.removeAll()
                if let index = bytes.indices.randomElement(using: &random), Int.random(in: 0..<3, using: &random) == 0 {
                    bytes[index] = UInt8.random(in: 0...255, using: &random)
                }
                to.receive(bytes)
            }
        }
    }
}
