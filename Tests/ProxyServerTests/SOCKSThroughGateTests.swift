import ATSPolicy
import Dialing
import Foundation
import Lab
import ProxyServer
import Records
import TLSEngine
import Testing

/// curl as a SOCKS5 client of a real gate.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct SOCKSThroughGateTests {
    private func rig(_ change: (inout GateSettings) -> Void = { _ in }) throws -> Rig {
        try Rig {
            $0.listeners = [
                ListenAddress(host: "127.0.0.1", port: 0, label: "tv", assumedLoader: .media, entrance: .socks),
                ListenAddress(host: "127.0.0.1", port: 0),
            ]
            change(&$0)
        }
    }

    private func curl(_ rig: Rig, _ arguments: String...) async throws -> Outcome {
        let always = ["-sS", "--max-time", "20", "--cacert", rig.gate.authority.certificatePath ?? ""]
        let socks = ["--socks5-hostname", "127.0.0.1:\(rig.port)"]
        return try await Outcome.run("curl", always + socks + arguments)
    }

    @Test("each lab origin gets the same verdict and rule as by CONNECT")
    func lab() async throws {
        let lab = try SharedLabs.shared.get()
        let rig = try rig()
        for (index, origin) in lab.origins.enumerated() {
            _ = try await curl(rig, origin.url)
            let records = await rig.sink.wait(for: index + 1)
            let record = try #require(records.count == index + 1 ? records.last : nil, "\(origin.name)")
            // Cleartext that is denied to an app is allowed to media.
            if origin.scheme == .http { continue }
            #expect(record.verdict.rawValue == origin.expectedVerdict, "\(origin.name)")
            #expect(record.diagnosis?.findings.first?.rule == origin.rule, "\(origin.name)")
        }
        #expect(rig.finish().allSatisfy { $0.client.label == "tv" && $0.client.loader == .media })
    }

    @Test("http is blocked with the page, and HTTP and SOCKS listeners work at the same time")
    func cleartext() async throws {
        let rig = try rig { $0.listeners[0].assumedLoader = nil }
        let page = try await curl(rig, "-i", "http://cleartext.lab.test/")
        #expect(page.output.contains("403 Forbidden") && page.output.contains("ats.cleartext-load"))
        let other = "http://127.0.0.1:\(rig.gate.addresses[1].port)"
        let plain = try await rig.curl("-x", other, "-i", "http://cleartext.lab.test/", proxied: false)
        #expect(plain.output.contains("403 Forbidden"))
        #expect(rig.finish().map(\.verdict) == [.blocked, .blocked])
    }

    @Test("a request may contain an address instead of a name")
    func address() async throws {
        let rig = try rig()
        let always = ["-sS", "--max-time", "20", "-o", "/dev/null", "-w", "%{http_code}"]
        let socks = ["--socks5", "127.0.0.1:\(rig.port)"]
        let outcome = try await Outcome.run("curl", always + socks + ["http://127.0.0.1:\(Rig.cleartextPort)/"])
        #expect(outcome.output == "200", "\(outcome.complaint)")
        let records = rig.finish()
        #expect(records.map(\.verdict) == [.allowed])
        #expect(records.map { $0.load.target.origin } == ["http://127.0.0.1:\(Rig.cleartextPort)"])
    }

    @Test("a failed dial gets a SOCKS reply and a record")
    func refused() async throws {
        let rig = try rig {
            $0.connectTo.append(ConnectTo(host: "closed.test", port: nil, toHost: "127.0.0.1", toPort: 1))
        }
        let outcome = try await curl(rig, "https://closed.test/")
        #expect(outcome.status == 97 || outcome.status == 7, "\(outcome.complaint)")
        let records = rig.finish()
        #expect(records.map { $0.diagnosis?.findings.first?.rule } == [.netRefused])
    }

    @Test("a client that offers a password but also no authentication is served")
    func password() async throws {
        let rig = try rig()
        let outcome = try await curl(rig, "--proxy-user", "a:b", "https://good.lab.test/")
        #expect(outcome.status == 0, "\(outcome.complaint)")
        rig.finish()
    }
}
