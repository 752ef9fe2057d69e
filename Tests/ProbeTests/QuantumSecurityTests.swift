import ATSPolicy
import Foundation
import Probe
import TLSEngine
import Testing

@Suite("quantum-secure, as Apple calls it", .timeLimit(.minutes(2)))
struct QuantumSecurityTests {
    private func security(_ group: String?, _ offer: TLSOffer?, on profile: OSProfile = .newest) -> QuantumSecurity {
        let facts = HandshakeFacts(
            version: .tls13, suite: CipherSuite(code: 0x1301, name: "TLS_AES_128_GCM_SHA256"), group: group, alpn: nil,
            served: [], path: [], anchor: .system)
        return QuantumSecurity(facts, offer: offer, profile: profile)
    }

    @Test("the group decides if it was offered; otherwise the release or the library is the reason")
    func answers() {
        let offer = TLSOffer(minimum: .tls12, maximum: .tls13, suites: OSProfile.newest.atsSuites, shape: .ios26)
        let rows: [(QuantumSecurity, Bool?, String)] = [
            (security("X25519MLKEM768", offer), true, "quantum-secure: yes"),
            (security("X25519", offer), false, "quantum-secure: no"),
            (security(nil, offer), false, "quantum-secure: no"),
            (
                security("X25519", offer.withoutHybridGroup), nil,
                "quantum-secure: unknown, this OpenSSL cannot offer X25519MLKEM768"
            ),
            (
                security("X25519", offer.withoutHybridGroup, on: .iOS18_4), false,
                "quantum-secure: no, iOS 18.4 does not offer X25519MLKEM768"
            ),
        ]
        for (security, isSecure, words) in rows { #expect(security.isSecure == isSecure && security.words == words) }
    }

    @Test("probe prints it for releases that offer the group, and its JSON has it for all")
    func printed() async throws {
        let bench = try ProbeBench(try SharedLabs.basic.get())
        // The lab's servers do not have the group.
        let word = OriginTLSContext.canOfferHybridGroup ? "no" : "unknown, this OpenSSL cannot offer X25519MLKEM768"
        let new = try await bench.probe("good.lab.test")
        #expect(new.words().contains("\n  group      X25519, quantum-secure: \(word)"))
        let value = OriginTLSContext.canOfferHybridGroup ? "false" : "null"
        #expect(ProbeReport(new).json.contains(#""quantumSecure":\#(value)"#))
        let old = try await bench.probe("good.lab.test", on: .iOS18_4)
        #expect(!old.words().contains("quantum-secure"))
        #expect(old.words(ProbeStyle(isVerbose: true)).contains("quantum-secure: no, iOS 18.4 does not offer"))
        #expect(ProbeReport(old).json.contains(#""quantumSecure":false"#))
        let cleartext = try await bench.probe("http://a.test/")
        #expect(ProbeReport(cleartext).json.contains(#""quantumSecure":null"#))
    }
}
