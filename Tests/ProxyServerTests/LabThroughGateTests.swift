import ATSPolicy
import Foundation
import Lab
import ProxyCore
import ProxyServer
import Records
import Testing

/// Every flawed origin, visited by curl through a real gate.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct LabThroughGateTests {
    @Test("each lab origin gets its expected verdict, rule and Apple codes")
    func expectedVerdicts() async throws {
        let lab = try SharedLabs.shared.get()
        let rig = try Rig()
        for (index, origin) in lab.origins.enumerated() {
            let outcome = try await rig.curl(origin.url)
            let records = await rig.sink.wait(for: index + 1)
            let record = try #require(records.count == index + 1 ? records.last : nil, "\(origin.name)")
            #expect(record.verdict.rawValue == origin.expectedVerdict, "\(origin.name)")
            #expect(record.diagnosis?.findings.first?.rule == origin.rule, "\(origin.name)")
            #expect(record.diagnosis?.apple?.code == origin.appleCode, "\(origin.name)")
            #expect(record.diagnosis?.apple?.streamErrorCode == origin.streamErrorCode, "\(origin.name)")
            if origin.scheme == .https, record.verdict != .allowed {
                #expect(outcome.status != 0, "\(origin.name) must fail in TLS")
            }
        }
        #expect(rig.finish().count == lab.origins.count)
    }

    @Test("other interpretations reach the records: C10 allows a bad certificate, C15 changes its code")
    func readings() async throws {
        let policy = #"""
            {"NSAppTransportSecurity":{"NSExceptionDomains":
            {"untrusted-root.lab.test":{"NSExceptionAllowsInsecureHTTPLoads":true}}}}
            """#
        let change: [(inout JudgeSwitches) -> Void] = [
            { _ in }, { $0.apple.untrustedRoot = .invalidChain }, { $0.insecureTrust = .any },
        ]
        var shown: [Int?] = []
        for change in change {
            let rig = try Rig(policy: policy) { change(&$0.switches) }
            _ = try await rig.curl("https://untrusted-root.lab.test/")
            let record = try #require(await rig.sink.wait(for: 1).first)
            #expect((record.verdict == .allowed) == (record.diagnosis?.apple == nil))
            shown.append(record.diagnosis?.apple?.streamErrorCode)
            rig.finish()
        }
        #expect(shown == [-9813, -9807, nil])
    }

    @Test("audit mode sends loads that a device would block and records them as wouldBlock")
    func audit() async throws {
        let lab = try SharedLabs.shared.get()
        let blocked = lab.origins.filter { $0.expectedVerdict == "blocked" }
        let rig = try Rig { $0.rules.mode = .audit }
        for origin in blocked {
            let outcome = try await rig.curl(origin.url)
            #expect(outcome.status == 0, "\(origin.name): \(outcome.complaint)")
        }
        let records = rig.finish()
        #expect(records.map(\.verdict) == blocked.map { _ in .wouldBlock })
        #expect(records.map { $0.diagnosis?.findings.first?.rule } == blocked.map(\.rule))
    }

    @Test("a passthrough host keeps its own certificate and is judged as well")
    func passthrough() async throws {
        let rig = try Rig { $0.rules.passthrough = ["good.lab.test", "expired.lab.test"] }
        let root = rig.folder.appending(path: "lab-root.pem").path
        for _ in 0..<2 {
            let good = try await Outcome.run(
                "curl", ["-sS", "--max-time", "20", "-x", rig.proxy, "--cacert", root, "https://good.lab.test/"])
            #expect(good.status == 0, "\(good.complaint)")
        }
        let bad = try await Outcome.run(
            "curl", ["-sS", "--max-time", "20", "-x", rig.proxy, "--cacert", root, "https://expired.lab.test/"])
        #expect(bad.status == 60)
        let records = rig.finish()
        #expect(records.map(\.verdict) == [.allowed, .allowed, .blocked])
        #expect(records.last?.diagnosis?.findings.first?.rule == .expired)
        #expect(records.first?.load.wireProtocol == .tunnel)
        #expect(records.first?.origin?.facts?.version == .tls13)
        #expect((records.first?.bytesReceived ?? 0) > 500)
    }

    @Test("each refusal style fails the client's TLS in its own way", arguments: RefusalStyle.allCases)
    func refusals(style: RefusalStyle) async throws {
        let rig = try Rig { $0.rules.refusal = style }
        let outcome = try await rig.curl("https://rsa-kx.lab.test/")
        let insecure = try await rig.curl("-k", "https://rsa-kx.lab.test/")
        let records = rig.finish()
        // No leaf can show a weak key exchange.
        let shown = style == .mirror ? RefusalStyle.untrustedLeaf : style
        #expect(records.map(\.refusal?.rawValue) == [shown.rawValue, shown.rawValue])
        switch style {
        case .untrustedLeaf, .mirror:
            #expect(outcome.status == 60)
            #expect(insecure.status == 0)
            #expect(insecure.output.contains("ats.forward-secrecy"))
        case .alert:
            #expect(outcome.status == 35)
            #expect(outcome.complaint.contains("handshake failure"))
        case .close:
            #expect(outcome.status == 35)
        }
    }

    @Test(
        "curl reports a mirrored defect, although it trusts the gate",
        arguments: [
            ("expired", "expired"), ("not-yet-valid", "not yet valid"), ("wrong-host", "subject name"),
            ("self-signed", "self"), ("rsa1024", "too"), ("sha1", "too"),
        ])
    func mirror(name: String, complaint: String) async throws {
        let rig = try Rig { $0.rules.refusal = .mirror }
        let outcome = try await rig.curl("https://\(name).lab.test/")
        #expect(outcome.status == 60 || outcome.status == 35)
        #expect(outcome.complaint.contains(complaint), "\(outcome.complaint)")
        let records = rig.finish()
        #expect(records.map(\.verdict) == [.blocked])
        #expect(records.map(\.refusal) == [.mirror])
    }

    @Test("a redirect to another origin, on another connection, names its parent; the hop is judged alone")
    func redirect() async throws {
        let rig = try Rig { $0.loops = 4 }
        let outcome = try await rig.curl(
            "-L", "-w", "%{http_code}", "https://good.lab.test/redirect?to=http%3A%2F%2Fcleartext.lab.test%2Fa")
        #expect(outcome.output.hasSuffix("403"))
        let records = rig.finish()
        #expect(records.count == 2)
        // Both may have begun within one millisecond.
        let hop = try #require(records.first { $0.load.target.host == "cleartext.lab.test" })
        let parent = try #require(records.first { $0.load.target.host == "good.lab.test" })
        #expect(parent.verdict == .allowed)
        #expect(hop.verdict == .blocked)
        #expect(hop.load.redirectedFrom?.hasPrefix("https://good.lab.test/redirect?to=") == true)
    }
}

extension ExceptionFix {
    /// The entry as JSON, for a policy file.
    var json: String {
        let members = settings.map { setting in
            switch setting.value {
            case .flag(let flag): "\"\(setting.key)\":\(flag)"
            case .text(let text): "\"\(setting.key)\":\"\(text)\""
            }
        }
        return "\"\(domain)\":{\(members.joined(separator: ","))}"
    }
}
