import ATSPolicy
import Bytes
import Seeded
import TLSEngine
import Testing

@Suite("the cleartext part of an origin's handshake, read in passing")
struct OriginFlightTests {
    /// The first flight of an origin, in answer to a hello.
    private func flight(_ change: (inout ServerTLSSettings) -> Void = { _ in }) throws -> [UInt8] {
        var settings = try World().settings()
        change(&settings)
        let (origin, server) = try meeting(atsOffer, settings)
        move(from: origin, to: server, chunk: .max)
        return Array(server.outbox.bytes)
    }

    /// All sights except `going`, without repetitions.
    private func observations(_ bytes: [UInt8], cut: Int? = nil) -> [OriginFlight.Observation] {
        var flight = OriginFlight()
        var observations: [OriginFlight.Observation] = []
        func note(_ observation: OriginFlight.Observation) {
            if observation != .going, observations.last != observation { observations.append(observation) }
        }
        for piece in cut.map({ [bytes[..<$0], bytes[$0...]] }) ?? bytes.indices.map({ bytes[$0...$0] }) {
            Array(piece).withUnsafeBytes { note(flight.read($0)) }
            // Bytes after a request for another hello may have arrived already.
            for _ in 0..<2 { note(flight.read(UnsafeRawBufferPointer(start: nil, count: 0))) }
        }
        return observations
    }

    @Test(
        "up to TLS 1.2 version, suite and certificates are seen, at every split", arguments: [TLSVersion.tls12, .tls11])
    func shown(version: TLSVersion) throws {
        var settings = try World().settings()
        settings.maximum = version
        let offer = TLSOffer(minimum: .tls10, maximum: .tls13, suites: [])
        let (origin, server) = try meeting(offer, settings)
        move(from: origin, to: server, chunk: .max)
        let bytes = Array(server.outbox.bytes)
        carry(origin, server)
        let roots = try TrustStore(systemRootsPEM: [], userRootsPEM: [])
        let facts = try #require(origin.machine.facts(trust: roots))
        #expect(facts.version == version)
        let chain = [settings.identity.certificate.der] + settings.intermediates.map(\.der)
        let expected = [OriginFlight.Observation.shown(version, suite: facts.suite.code, chain: chain)]
        for cut in bytes.indices { #expect(observations(bytes, cut: cut) == expected) }
        #expect(observations(bytes) == expected)
    }

    @Test("in TLS 1.3 version and suite are seen, at every split")
    func sealed() throws {
        let bytes = try flight { $0.modernSuites = "TLS_AES_256_GCM_SHA384" }
        for cut in bytes.indices { #expect(observations(bytes, cut: cut) == [.sealed(.tls13, suite: 0x1302)]) }
        #expect(observations(bytes) == [.sealed(.tls13, suite: 0x1302)])
    }

    @Test("a first hello has a length if its records contain all of it and nothing else")
    func lengthOfFirstHello() {
        func length(_ bytes: [UInt8]) -> Int? { bytes.withUnsafeBytes { SecondHello.lengthOfFirst(in: $0) } }
        let message: [UInt8] = [1, 0, 0, 6, 9, 9, 9, 9, 9, 9]
        for piece in [1, 3, 7, 10] {
            let hello = HelloRecording.records(message, piece: piece)
            #expect(length(hello) == hello.count && length(hello + hello) == hello.count)
            #expect(length(Array(hello.dropLast())) == nil && length(Array(hello.dropLast(piece + 5))) == nil)
        }
        #expect(length(HelloRecording.records(message + [1])) == nil && length([]) == nil)
    }

    @Test("a HelloRetryRequest is recognized, and the second hello's name is read at every split")
    func retry() throws {
        var settings = try World().settings()
        settings.groups = "P-384"
        let (origin, server) = try meeting(atsOffer, settings)
        move(from: origin, to: server, chunk: .max)
        let first = Array(server.outbox.bytes)
        move(from: server, to: origin, chunk: .max)
        let hello = Array(origin.outbox.bytes)
        move(from: origin, to: server, chunk: .max)
        let bytes = first + Array(server.outbox.bytes)
        let suite: UInt16 = 0x1301
        let expected = [OriginFlight.Observation.retry(.tls13, suite: suite), .sealed(.tls13, suite: suite)]
        for cut in bytes.indices { #expect(observations(bytes, cut: cut) == expected) }
        for cut in hello.indices {
            var second = SecondHello()
            let early = Array(hello[..<cut]).withUnsafeBytes { second.read($0) }
            let observation = early == .going ? Array(hello[cut...]).withUnsafeBytes { second.read($0) } : early
            #expect(observation == .name(.name("origin.test")))
        }
    }

    @Test("a resumed session without a certificate is recognized")
    func resumed() {
        let hello: [UInt8] =
            [22, 3, 3, 0, 42, 2, 0, 0, 38, 3, 3] + [UInt8](repeating: 9, count: 32) + [0, 0xC0, 0x2F, 0]
        #expect(observations(hello + [20, 3, 3, 0, 1, 1]) == [.resumed(.tls12, suite: 0xC02F)])
        #expect(observations(hello + [22, 3, 3, 0, 4, 4, 0, 0, 0]) == [.resumed(.tls12, suite: 0xC02F)])
        // A suite without certificates.
        #expect(observations(hello + [22, 3, 3, 0, 4, 14, 0, 0, 0]) == [.shown(.tls12, suite: 0xC02F, chain: [])])
        #expect(observations([21, 3, 3, 0, 2, 1, 112] + hello).isEmpty)
        #expect(observations([21, 3, 3, 0, 2, 2, 40] + hello) == [.refused(alert: 40)])
    }

    @Test(
        "bytes that are not TLS, or cannot be judged, are unreadable",
        arguments: [
            Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), Array("SSH-2.0-x\r\n".utf8), [22, 2, 0, 0, 0],
            [22, 3, 3, 0x48, 1], [22, 3, 3, 0, 0], [20, 3, 3, 0, 1, 1], [23, 3, 3, 0, 1, 1],
            [22, 3, 3, 0, 4, 11, 0, 0, 0], [22, 3, 3, 0, 4, 2, 0, 0, 0], [22, 3, 3, 0, 4, 2, 0xFF, 0xFF, 0xFF],
        ] as [[UInt8]])
    func unreadable(bytes: [UInt8]) { #expect(observations(bytes) == [.unreadable]) }

    @Test("reading stops at the largest size of a chain")
    func bounded() {
        let record: [UInt8] = [22, 3, 3, 0x40, 0] + [UInt8](repeating: 0, count: 16_384)
        var flight = OriginFlight()
        var observation = OriginFlight.Observation.going
        var given = 0
        while observation == .going, given <= OriginFlight.limitBytes {
            observation = record.withUnsafeBytes { flight.read($0) }
            given += record.count
        }
        #expect(observation == .unreadable)
    }

    @Test("damaged flights never trap and yield the same at every split", arguments: 0..<40 as Range<UInt64>)
    func mutated(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var bytes = try flight { $0.maximum = seed.isMultiple(of: 2) ? .tls12 : .tls13 }
        for _ in 0..<3 {
            guard let index = bytes.prefix(200).indices.randomElement(using: &random) else { continue }
            bytes[index] = UInt8.random(in: 0...255, using: &random)
        }
        let expected = observations(bytes)
        for _ in 0..<20 {
            let cut = Int.random(in: 0..<bytes.count, using: &random)
            #expect(observations(bytes, cut: cut) == expected)
        }
        var second = SecondHello()
        _ = bytes.withUnsafeBytes { second.read($0) }
    }
}
