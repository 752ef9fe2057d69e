import ATSPolicy
import Bytes
import TLSEngine
import Testing

/// Certificates with excessive contents.
@Suite("long chains")
struct LongChainTests {
    private func settings(
        names: [String], addresses: [String] = [], commonName: String = "origin.test"
    ) throws
        -> ServerTLSSettings
    {
        ServerTLSSettings(
            identity: try CertificateRecipe(
                commonName: commonName, dnsNames: names, ipAddresses: addresses, notBefore: now - day,
                notAfter: now + 90 * day, extendedKeyUsages: [.serverAuth]
            ).issued(by: nil))
    }

    private func state(_ settings: ServerTLSSettings) throws -> Side {
        let (origin, server) = try meeting(atsOffer, settings)
        carry(origin, server)
        return origin
    }

    private static let trust = Result { try TrustStore(systemRootsPEM: [], userRootsPEM: []) }

    private func leaf(_ settings: ServerTLSSettings, for hosts: [String] = []) throws -> CertificateFacts {
        let facts = try state(settings).machine.facts(trust: try Self.trust.get(), for: hosts)
        #expect(facts?.served == facts?.path)
        return try #require(facts?.served.first)
    }

    @Test("a chain of up to 32 KiB is read, and a longer one has its own failure")
    func limit() throws {
        // Two bytes before each name, and the rest of the certificate.
        for (names, isRead) in [(10_600, true), (10_900, false), (31_000, false)] {
            for version in [TLSVersion.tls12, .tls13] {
                var settings = try settings(names: Array(repeating: "a", count: names))
                settings.maximum = version
                let state = try state(settings).machine.state
                #expect(state == (isRead ? .established : .failed(.chainTooLarge)), "\(names) \(version)")
            }
        }
    }

    @Test("64 names are kept in order, and the rest is counted")
    func names() throws {
        let all = (0..<200).map { "h\($0).test" }
        let leaf = try leaf(try settings(names: all))
        #expect(leaf.dnsNames == Array(all.prefix(64)))
        #expect(leaf.unkeptNames == 136)
        let few = try self.leaf(try settings(names: Array(all.prefix(64))))
        #expect(few.dnsNames.count == 64 && few.unkeptNames == nil)
    }

    @Test(
        "the matching name of the requested host is always kept",
        arguments: [
            ("h150.test", "h150.test"), ("H199.TEST.", "h199.test"), ("a.wild.test", "*.wild.test"),
            ("192.0.2.9", "192.0.2.9"),
        ])
    func wanted(host: String, name: String) throws {
        let names = (0..<200).map { "h\($0).test" } + ["*.wild.test"]
        let settings = try settings(names: names, addresses: ["192.0.2.9"])
        let leaf = try leaf(settings, for: ["other.test", host])
        #expect((leaf.dnsNames + leaf.ipAddresses).last == name || leaf.dnsNames.last == name)
        #expect(leaf.dnsNames.count + leaf.ipAddresses.count == 65 && leaf.unkeptNames == 137)
        // The cached chain does not depend on the host of the first request.
        let other = try self.leaf(settings, for: ["h100.test"])
        #expect(other.dnsNames.last == "h100.test" && other.ipAddresses.isEmpty)
    }

    @Test("names that are too long to keep still count as names")
    func hugeName() throws {
        let leaf = try leaf(try settings(names: [String(repeating: "a", count: 4_000)]))
        #expect(leaf.dnsNames.isEmpty && leaf.unkeptNames == 1 && leaf.hasSubjectAltName)
    }

    @Test("changing chains use a bounded amount of memory")
    func bounded() throws {
        let trust = try TrustStore(systemRootsPEM: [], userRootsPEM: [])
        let before = ByteBudget.heldBytes(for: .chains)
        for _ in 0..<60 {
            let settings = try settings(names: Array(repeating: "a", count: 10_000))
            #expect(try state(settings).machine.facts(trust: trust) != nil)
        }
        // Each has 160 KB of names.
        let held = ByteBudget.heldBytes(for: .chains) - before
        #expect((1 << 20)...(9 << 20) ~= held, "\(held)")
    }
}
