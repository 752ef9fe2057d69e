import ATSPolicy
import Testing
import Text

/// How the app's own code changes the system's verdict. Source: Security, SecProtocolConfiguration.m;
/// docs/law/rulings.md#demands, docs/law/trust.md#app-override.
@Suite struct RuleAppTrustTests {
    private static let everywhere = AppTrust(override: .everywhere)

    private func judge(_ trust: AppTrust, _ change: (inout HandshakeCase) -> Void = { _ in }) -> HandshakeVerdict {
        let handshake = RuleCases.good(.iOS26, change)
        return trust.judge(RuleBook.standard.judge(handshake), of: handshake)
    }

    @Test("the app may accept any certificate if ATS is not strict, and a finding names the override")
    func overrides() {
        for demands in [TLSDemands?.none, Self.lax] {
            let verdict = judge(Self.everywhere) {
                RuleCases.selfSigned(&$0)
                $0.facts.path[0].notAfter = RuleCases.now - 1
                $0.demands = demands
            }
            #expect(verdict.failure == nil && verdict.remedy == nil)
            #expect(verdict.findings.map(\.rule) == [.appTrustOverride, .selfSigned, .expired])
            #expect(verdict.findings.first?.observed == "trust.self-signed, which the app's own code accepts")
        }
    }

    private static var lax: TLSDemands {
        var demands = RuleCases.demands(.iOS26)
        demands.strictTrust = false
        return demands
    }

    @Test("the app cannot override strict ATS, a pin, ATS's own minimums or a failed handshake")
    func noSay() {
        let strict = judge(Self.everywhere) { RuleCases.selfSigned(&$0) }
        #expect(strict.failure == .trust(.selfSigned, isStrict: true))
        let pinned = judge(Self.everywhere) {
            RuleCases.selfSigned(&$0)
            $0.demands = Self.lax
            $0.demands?.pins = PinDemands(leaf: ["x"])
        }
        #expect(pinned.failure == .trust(.pinnedIdentity, isStrict: true))
        let weak = judge(Self.everywhere) {
            RuleCases.selfSigned(&$0)
            $0.demands = Self.lax
            $0.facts.anchor = .unknownRoot
            $0.facts.path.append(RuleCases.root)
            $0.facts.path[0].keyBits = 1_024
        }
        #expect(weak.findings.map(\.rule) == [.untrustedRoot, .keySize])
        #expect(weak.failure == .trust(.untrustedRoot, isStrict: false))
        let old = judge(Self.everywhere) { $0.facts.version = .tls10 }
        #expect(old.failure == .handshake(.versionNotOffered, rule: .tlsVersion))
    }

    @Test("an override can be limited to some hosts")
    func hosts() {
        func isAccepted(_ pattern: String) -> Bool {
            judge(AppTrust(override: .hosts(HostPatterns([pattern])))) {
                RuleCases.selfSigned(&$0)
                $0.demands = nil
            }.failure == nil
        }
        #expect(isAccepted("API.example.com") && isAccepted("*.example.com") && isAccepted("*.com"))
        #expect(isAccepted("api.example.com.") && isAccepted("*.example.com."))
        #expect(!isAccepted("example.com") && !isAccepted("*.api.example.com") && !isAccepted("www.example.com"))
    }

    @Test func pinsOfTheAppNeedOneMatchAnywhereInTheChain() {
        func verdict(_ pins: AppPin..., override: AppTrust.Override = .nowhere) -> HandshakeVerdict {
            judge(AppTrust(override: override, pins: pins)) {
                $0.facts.path[0].spkiSHA256 = "leaf"
                $0.facts.path[1].spkiSHA256 = "issuer"
                $0.facts.path[1].sha256 = "00ff"
            }
        }
        let host = RuleCases.host
        #expect(verdict(AppPin(host: host, .publicKey(sha256: "leaf"))).failure == nil)
        #expect(verdict(AppPin(host: host, .publicKey(sha256: "issuer"))).failure == nil)
        #expect(verdict(AppPin(host: host, .certificate(sha256: "00ff"))).failure == nil)
        #expect(verdict(AppPin(host: "other.example.com", .publicKey(sha256: "x"))).failure == nil)
        #expect(verdict(AppPin(host: "*.Example.com.", .publicKey(sha256: "x"))).rule == .appPin)
        let both = verdict(
            AppPin(host: host, .publicKey(sha256: "x")), AppPin(host: "*.example.com", .publicKey(sha256: "leaf")))
        #expect(both.failure == nil && both.findings.isEmpty)
        let refused = verdict(AppPin(host: host, .publicKey(sha256: "x")), override: .everywhere)
        #expect(refused.failure == .trust(.appPin, isStrict: true))
        #expect(refused.findings.map(\.rule) == [.appPin])
        #expect(refused.remedy?.exception == nil && refused.remedy?.sentences.count == 2)
    }

    @Test("a certificate that was served but is not in the path satisfies no pin, with or without a path")
    func onlyTheEvaluatedPathIsPinned() {
        let stray = RuleCases.certificate("pinned.example.com", by: "Anyone") { $0.spkiSHA256 = "pinned" }
        let trust = AppTrust(
            override: .everywhere, pins: [AppPin(host: RuleCases.host, .publicKey(sha256: "pinned"))])
        #expect(judge(trust) { $0.facts.served.append(stray) }.rule == .appPin)
        let withoutPath = judge(trust) {
            $0.demands = nil
            $0.facts.served.append(stray)
            $0.facts.path = []
            $0.facts.anchor = .broken
        }
        #expect(withoutPath.rule == .appPin)
    }

    @Test("a pin may reject what the override accepted; a strict trust failure stays")
    func pinsAfterOverride() {
        let trust = AppTrust(override: .everywhere, pins: [AppPin(host: "*.com", .publicKey(sha256: "x"))])
        let accepted = judge(trust) {
            RuleCases.selfSigned(&$0)
            $0.demands = nil
        }
        #expect(accepted.findings.map(\.rule) == [.appPin, .appTrustOverride, .selfSigned])
        #expect(judge(trust) { RuleCases.selfSigned(&$0) }.rule == .selfSigned)
        #expect(judge(.systemOnly) == HandshakeVerdict(findings: [], failure: nil, remedy: nil))
    }

    @Test func pinTextIsReadStrictly() {
        let key = String(repeating: "A", count: 43) + "="
        #expect(AppPin(host: "h", publicKey: "sha256/\(key)")?.identity == .publicKey(sha256: key))
        for text in [
            key, "sha1/\(key)", "sha256/", "sha256/\(key)=", "sha256/\(key.dropFirst())", "sha256/-\(key.dropFirst())",
        ] {
            #expect(AppPin(host: "h", publicKey: text) == nil, "\(text)")
        }
    }
}
