import Foundation
import Processes
import TestSupport
import Testing

/// The helper of docs/uitest, compiled unchanged, against a gate.
@Suite("The helper for UI tests", .timeLimit(.minutes(5)))
struct GateVerifierTests {
    private let rig: LabBehindGate

    init() throws {
        rig = try LabBehindGate(
            policy: #"{"NSExceptionDomains": {"lab.test": {"NSIncludesSubdomains": true}}}"#,
            options: ["--web", "127.0.0.1:0", "--web-url-file", "page"])
        try rig.gate.wait(for: "page") { !rig.folder.read("page").isEmpty }
    }

    private var page: String { rig.folder.read("page") }

    private func load(_ url: String) throws {
        _ = try Binary.tool([
            "curl", "-s", "-o", "/dev/null", "--noproxy", "", "-x", "http://\(rig.proxy)", "--cacert",
            rig.folder.path("ca/ca-cert.pem"), url,
        ])
    }

    private func failure(_ claim: () async throws -> Void) async -> String {
        do {
            try await claim()
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test("the helper passes if nothing was blocked, fails with the blocked loads, and ignores earlier loads")
    func verdicts() async throws {
        try load(LabBehindGate.plain)
        let gate = try GateVerifier(page)
        let nothing = await failure { try await gate.expect() }
        #expect(nothing == "atsgate: no loads were seen")
        try load(LabBehindGate.intercepted)
        try await gate.expect()
        try load(LabBehindGate.plain)
        let red = await failure { try await gate.expect() }
        #expect(red == "atsgate: cleartext.lab.test: 1 blocked by ats.cleartext-load")
        try await gate.expect(host: "good.*")
        try await gate.expect(refusedBy: ["ats.cleartext-load"])
        let missing = await failure { try await gate.expect(refusedBy: ["trust.expired"], host: "good.lab.test") }
        #expect(missing == "atsgate: no load was blocked by trust.expired")
    }

    @Test("an invalid address, and the token of an earlier start, are reported as such")
    func strangers() async throws {
        #expect(throws: GateVerifier.Failure.self) { try GateVerifier("") }
        #expect(throws: GateVerifier.Failure.self) { try GateVerifier("http://127.0.0.1:9803/") }
        let old = try GateVerifier(page.prefix { $0 != "=" } + "=old")
        let words = await failure { try await old.expect() }
        #expect(words.contains("token"))
    }
}
