import ATSPolicy
import Foundation
import Lab
import ProxyServer
import Records
import Testing

/// Limits of clients from other machines, and loops through the gate itself.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct NeighbourTests {
    private static let permissive = "{\"NSAppTransportSecurity\":{\"NSAllowsArbitraryLoads\":true}}"

    /// An address of this machine that is not loopback; a client from there counts as a neighbour.
    private static let ownAddress: String? = {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        var next = list
        while let one = next?.pointee {
            next = one.ifa_next
            guard let address = one.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET) else { continue }
            let text = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                let value = UInt32(bigEndian: $0.pointee.sin_addr.s_addr)
                return "\(value >> 24).\(value >> 16 & 255).\(value >> 8 & 255).\(value & 255)"
            }
            if !text.hasPrefix("127.") && !text.hasPrefix("169.254.") { return text }
        }
        return nil
    }()

    private func status(_ rig: Rig, from host: String, to url: String) async throws -> String {
        try await rig.curl(
            ["-x", "http://\(host):\(rig.port)", "-o", "/dev/null", "-w", "%{http_code}", url], proxied: false
        ).output
    }

    @Test("a neighbour reaches no service of the host, however the host is spelled", .enabled(if: ownAddress != nil))
    func neighbour() async throws {
        let own = try #require(Self.ownAddress)
        let port = try SharedLabs.shared.get().origins.first { $0.name == "cleartext.lab.test" }?.realPort ?? 0
        let rig = try Rig(policy: Self.permissive) { settings in
            settings.listeners = [ListenAddress(host: "0.0.0.0", port: 0)]
            settings.allowsLAN = true
        }
        for host in ["127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]", "2130706433", "127.1", own] {
            #expect(try await status(rig, from: own, to: "http://\(host):\(port)/") == "403", "\(host)")
        }
        // A target of the gate's own settings is reachable nevertheless.
        #expect(try await status(rig, from: own, to: "http://cleartext.lab.test/") == "200")
        // A client on the host itself is not restricted.
        #expect(try await status(rig, from: "127.0.0.1", to: "http://127.0.0.1:\(port)/") == "200")
        let refused = rig.finish().filter { $0.verdict == .failed }
        #expect(refused.count == 7)
        #expect(
            refused.allSatisfy { $0.diagnosis?.findings.first?.rule == .gateForbidden && $0.diagnosis?.apple == nil })
    }

    @Test("a neighbour gets no idle connection that a local client has left", .enabled(if: ownAddress != nil))
    func idleConnections() async throws {
        let own = try #require(Self.ownAddress)
        let port = try SharedLabs.shared.get().origins.first { $0.name == "cleartext.lab.test" }?.realPort ?? 0
        let rig = try Rig(policy: Self.permissive) { settings in
            settings.listeners = [ListenAddress(host: "0.0.0.0", port: 0)]
            settings.allowsLAN = true
            settings.loops = 1
        }
        for host in ["127.0.0.1", "localhost"] {
            let url = "http://\(host):\(port)/"
            for _ in 0..<2 { #expect(try await status(rig, from: "127.0.0.1", to: url) == "200") }
            #expect(try await status(rig, from: own, to: url) == "403")
            // Local clients may still use it.
            #expect(try await status(rig, from: "127.0.0.1", to: url) == "200")
        }
        // All clients may use a target of the settings.
        for host in ["127.0.0.1", own] {
            #expect(try await status(rig, from: host, to: "http://cleartext.lab.test/") == "200")
        }
        let records = rig.finish()
        #expect(records.count { $0.diagnosis?.findings.first?.rule == .gateForbidden } == 2)
        // Five loads reused a connection.
        #expect(records.count { $0.verdict == .allowed && $0.timing.connect == nil } == 5)
    }

    @Test("the settings can give neighbours access to the host", .enabled(if: ownAddress != nil))
    func allowed() async throws {
        let own = try #require(Self.ownAddress)
        let port = try SharedLabs.shared.get().origins.first { $0.name == "cleartext.lab.test" }?.realPort ?? 0
        let rig = try Rig(policy: Self.permissive) { settings in
            settings.listeners = [ListenAddress(host: "0.0.0.0", port: 0)]
            settings.allowsLAN = true
            settings.allowsLANToHost = true
        }
        #expect(try await status(rig, from: own, to: "http://127.0.0.1:\(port)/") == "200")
        rig.finish()
    }

    @Test(
        "a tunnel to the gate itself ends at the first load, under every spelling",
        arguments: ["127.0.0.1", "localhost", "0.0.0.0", "2130706433", "127.1", "0x7f000001"])
    func nested(host: String) async throws {
        let rig = try Rig(policy: Self.permissive)
        let outcome = try await rig.curl("--proxytunnel", "http://\(host):\(rig.port)/")
        #expect(outcome.status != 0)
        // Only the tunnel is a load; a loop would add another one.
        let records = rig.finish()
        #expect(records.map { $0.diagnosis?.findings.first?.rule } == [.gateLoop])
        #expect(records.first?.status == 508)
    }
}
