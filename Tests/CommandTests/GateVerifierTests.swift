import Foundation
import Processes
import Testing

/// The helper of docs/uitest, compiled as it stands there, against a gate.
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

    @Test("green where nothing was refused, red with what was; loads of before do not count")
    func verdicts() async throws {
        try load(LabBehindGate.plain)
        let gate = try GateVerifier(page)
        let nothing = await failure { try await gate.expect() }
        #expect(nothing == "atsgate: no load was seen")
        try load(LabBehindGate.intercepted)
        try await gate.expect()
        try load(LabBehindGate.plain)
        let red = await failure { try await gate.expect() }
        #expect(red == "atsgate: cleartext.lab.test: 1 refused by ats.cleartext-load")
        try await gate.expect(host: "good.*")
        try await gate.expect(refusedBy: ["ats.cleartext-load"])
        let missing = await failure { try await gate.expect(refusedBy: ["trust.expired"], host: "good.lab.test") }
        #expect(missing == "atsgate: nothing was refused by trust.expired")
    }

    @Test("an address that is none, and another start's token, are told as such")
    func strangers() async throws {
        #expect(throws: GateVerifier.Failure.self) { try GateVerifier("") }
        #expect(throws: GateVerifier.Failure.self) { try GateVerifier("http://127.0.0.1:9803/") }
        let old = try GateVerifier(page.prefix { $0 != "=" } + "=old")
        let words = await failure { try await old.expect() }
        #expect(words.contains("token"))
    }
}
