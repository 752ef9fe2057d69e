import ATSPolicy
import Testing

/// The releases and roots for which the system's own trust rules are in force. Source: Apple support 103769;
/// docs/law/trust.md.
@Suite struct RuleTrustTests {
    private func rules(
        _ profile: String, ats: Bool = false, _ change: (inout HandshakeCase) -> Void
    ) throws -> [RuleID] {
        var handshake = RuleCases.good(try #require(OSProfile.named(profile)), change)
        if !ats { handshake.demands = nil }
        return RuleBook.standard.findings(on: handshake).map(\.rule)
    }

    @Test(
        "the requirements of 2019 are in force from iOS 13 and macOS 10.15 on",
        arguments: [
            ("ios9", false), ("ios12.4", false), ("macos10.14.6", false), ("ios13", true), ("macos10.15", true),
            ("ios26", true), ("visionos1", true),
        ])
    func requirementsOf2019(profile: String, inForce: Bool) throws {
        #expect(try rules(profile) { $0.facts.path[0].dnsNames = [] } == (inForce ? [.noSAN] : []))
        #expect(try rules(profile) { $0.facts.path[0].allowsServerAuth = nil } == (inForce ? [.serverAuthEKU] : []))
        let long = try rules(profile) { $0.facts.path[0].notAfter = RuleCases.now + 900 * 86_400 }
        #expect(long == (inForce ? [.validityPeriod] : []))
    }

    @Test(
        "RSA keys below 2048 bits are rejected from iOS 11 and macOS 10.13 on (Apple Platform Security)",
        arguments: [
            ("ios9", false), ("ios10.3", false), ("macos10.12", false), ("ios11", true), ("ios12.4", true),
            ("macos10.13", true), ("macos10.14.6", true), ("ios13", true), ("macos10.15", true), ("ios26", true),
            ("visionos1", true),
        ])
    func keySize(profile: String, inForce: Bool) throws {
        #expect(try rules(profile) { $0.facts.path[0].keyBits = 1_024 } == (inForce ? [.trustKeySize] : []))
    }

    @Test(
        "intermediates must be for servers from iOS 26.7, macOS 15.8 and 26.7 on (CVE-2026-86881)",
        arguments: [
            ("ios15.8", false), ("ios18.4", false), ("ios26.6", false), ("ios26.7", true), ("macos15.7", false),
            ("macos15.8", true), ("macos26.6", false), ("macos26.7", true),
        ])
    func intermediateUsages(profile: String, inForce: Bool) throws {
        #expect(try rules(profile) { $0.facts.path[1].allowsServerAuth = false } == (inForce ? [.serverAuthEKU] : []))
    }

    @Test("certificates issued before April 2021 need timestamps by months, and a second more than 15, 27 or 39 counts")
    func earlyTimestamps() throws {
        let start: Int64 = 1_577_836_800  // 2020-01-01
        let days: [(Int64, Int)] = [
            (455, 2), (456, 3), (821, 3), (822, 4), (851, 4), (1_186, 4), (1_187, 5),
        ]
        for (days, count) in days {
            let found = RuleBook.standard.findings(
                on: RuleCases.good(.iOS26) {
                    $0.now = start + 1
                    $0.transparency = .verified
                    $0.facts.path[0].notBefore = start
                    $0.facts.path[0].notAfter = start + days * 86_400
                })
            let finding = try #require(found.first { $0.rule == .certificateTransparency })
            #expect(finding.expected.hasPrefix("\(count) timestamps in the certificate"), "\(days) days")
        }
    }

    @Test("ATS requires key and hash minimums on every generation", arguments: ["ios9", "ios12", "ios26"])
    func atsMinimums(profile: String) throws {
        #expect(try rules(profile, ats: true) { $0.facts.path[0].keyBits = 1_024 } == [.keySize])
        #expect(try rules(profile, ats: true) { $0.facts.path[1].signatureHashBits = 160 } == [.signatureHash])
    }

    @Test("SHA-1 is rejected from iOS 11 on under system roots, from 13 on under all roots")
    func sha1() throws {
        for (profile, system, user) in [("ios10", false, false), ("ios11", true, false), ("ios13", true, true)] {
            for (anchor, inForce) in [(TrustAnchor.system, system), (.user, user)] {
                let found = try rules(profile) {
                    $0.facts.path[0].signatureHashBits = 160
                    $0.facts.anchor = anchor
                }
                #expect(found == (inForce ? [.trustSignatureHash] : []), "\(profile) \(anchor)")
            }
        }
    }

    @Test("before iOS 13 the common name counts if the certificate has no subjectAltName")
    func commonName() throws {
        #expect(try rules("ios12") { $0.facts.path[0].dnsNames = [] } == [])
        let other = try rules("ios12") {
            $0.facts.path[0].dnsNames = []
            $0.host = "other.example.com"
        }
        #expect(other == [.hostName])
        let wildcard = try rules("ios12") {
            $0.facts.path[0].dnsNames = []
            $0.facts.path[0].commonName = "*.example.com"
        }
        #expect(wildcard == [])
    }

    @Test(
        "Certificate Transparency is in force from iOS 12.1.1 and macOS 10.14.2 on",
        arguments: [
            ("ios12.1", false), ("ios12.1.1", true), ("macos10.14.1", false), ("macos10.14.2", true), ("ios26", true),
        ])
    func transparency(profile: String, inForce: Bool) throws {
        let found = try rules(profile) { $0.transparency = .verified }
        #expect(found == (inForce ? [.certificateTransparency] : []))
        #expect(try rules(profile) { $0.transparency = .counted } == [])
        let handshake = RuleCases.good(try #require(OSProfile.named(profile)))
        let warned = RuleBook.standard.rules.filter { $0.answer(on: handshake).outcome == .warn }.map(\.id)
        #expect(warned == (inForce ? [.certificateTransparency] : []))
    }

    @Test("findings of the trust rules have a remedy on the server and no exception")
    func remedies() throws {
        let changes: [(inout HandshakeCase) -> Void] = [
            { $0.facts.path[0].allowsServerAuth = false },
            { $0.facts.path[0].notAfter = $0.facts.path[0].notBefore + 399 * 86_400 },
            { $0.transparency = .verified },
            { $0.demands?.pins = PinDemands(leaf: []) },
        ]
        let words = ["serverAuth", "shorter validity period", "public transparency logs", "pinned key"]
        for (change, word) in zip(changes, words) {
            let remedy = try #require(RuleBook.standard.judge(RuleCases.good(.iOS26, change)).remedy)
            #expect(remedy.exception == nil && remedy.sentences.count == 2)
            #expect(remedy.sentences.first?.contains(word) == true, "\(remedy.sentences)")
        }
    }

    @Test("the validity limit is counted to the second: one second over 398 days is reported as 399 days")
    func daysAreWorded() {
        let finding = RuleBook.standard.findings(
            on: RuleCases.good {
                $0.facts.path[0].notAfter = $0.facts.path[0].notBefore + 398 * 86_400 + 1
            }
        ).first
        #expect(finding?.expected == "a certificate that is valid for at most 398 days")
        #expect(finding?.observed == "leaf “api.example.com” is valid for 399 days from 2026-05-28")
    }

    @Test("no key helps for a version below the floor of iOS 26, with either kind of failure")
    func ineffectiveMinimum() {
        for failure in [HandshakeFailure.versionNotOffered, .alertReceived(70)] {
            for (profile, isVoid) in [(OSProfile.iOS26, true), (.iOS18_4, false)] {
                let server =
                    RuleBook.standard.judge(
                        failure, diagnosis: nil, target: RuleCases.target, basis: RuleCases.secureDefault,
                        demands: RuleCases.demands(profile), offer: RuleCases.offer(profile), profile: profile
                    ).remedy?.sentences ?? []
                #expect(server.contains { $0.contains("a lower NSExceptionMinimumTLSVersion has no effect") } == isVoid)
            }
        }
    }
}

@Suite struct RuleKeyTests {
    private func rules(_ profile: OSProfile, _ change: (inout HandshakeCase) -> Void) -> [RuleID] {
        RuleBook.standard.findings(on: RuleCases.good(profile, change)).map(\.rule)
    }

    @Test("C4, C5: checks that ATS leaves out are made by the system from 13 on, and not before")
    func readings() {
        let waived: (inout HandshakeCase) -> Void = {
            $0.demands?.waivesKeySize = true
            $0.facts.path[0].keyBits = 1_024
        }
        #expect(rules(.iOS26, waived) == [.trustKeySize])
        #expect(rules(.iOS10, waived) == [])
        let leafOnly: (inout HandshakeCase) -> Void = {
            $0.demands?.checksLeafOnly = true
            $0.facts.path[1].keyBits = 1_024
            $0.facts.path[1].signatureHashBits = 160
        }
        #expect(rules(.iOS26, leafOnly) == [.trustKeySize, .trustSignatureHash])
        #expect(rules(.iOS9, leafOnly) == [])
        #expect(rules(.iOS9) { $0.facts.path[1].keyBits = 1_024 } == [.keySize])
    }

    @Test("C10: any certificate satisfies the system's rules, but neither ATS's own rules nor a pin")
    func anyCertificate() {
        let bad: (inout HandshakeCase) -> Void = {
            $0.demands?.acceptsAnyCertificate = true
            $0.facts.anchor = .unknownRoot
            $0.host = "other.example.com"
            $0.now = .max
        }
        #expect(rules(.iOS26, bad) == [])
        let worse: (inout HandshakeCase) -> Void = {
            bad(&$0)
            $0.facts.path[0].keyBits = 1_024
            $0.demands?.pins = PinDemands(leaf: ["other"], authority: nil, entries: ["example.com"])
        }
        #expect(rules(.iOS26, worse) == [.pinnedIdentity, .keySize])
    }

    @Test("an unknown root is an anchor without minimums, but an intermediate at the end of the path has them")
    func unknownRoot() {
        for isRoot in [true, false] {
            let rules = rules(.iOS26) {
                $0.facts.anchor = .unknownRoot
                $0.facts.path[2].isSelfIssued = isRoot
                $0.facts.path[2].keyBits = 1_024
            }
            #expect(rules.contains(.untrustedRoot) && rules.contains(.keySize) == !isRoot)
        }
    }

    @Test("a better path replaces the first one, which stays among the others")
    func otherPaths() {
        var facts = RuleCases.facts
        facts.otherPaths = [CertificatePath(facts.path, anchor: facts.anchor)]
        (facts.path, facts.anchor) = ([RuleCases.leaf], .incomplete)
        let handshake = HandshakeCase(
            facts: facts, host: RuleCases.host, demands: RuleCases.demands(.iOS26), profile: .iOS26,
            now: RuleCases.now, basis: RuleCases.secureDefault)
        #expect(handshake.facts.path == RuleCases.facts.path && handshake.facts.anchor == .system)
        #expect(handshake.facts.otherPaths == [CertificatePath([RuleCases.leaf], anchor: .incomplete)])
    }

    @Test("the key of a minimum version is named if lowering it helps")
    func minimumVersion() {
        func keyPath(
            _ profile: OSProfile, _ version: TLSVersion, minimum: TLSVersion = .tls12, entry: String? = nil
        ) -> String? {
            let findings = RuleBook.standard.findings(
                on: RuleCases.good(profile) {
                    $0.facts.version = version
                    $0.demands?.minimumTLS = minimum
                    $0.basis = RulingBasis(step: .exception, entry: entry)
                })
            return findings.first { $0.rule == .tlsVersion }?.keyPath
        }
        let key = "NSAppTransportSecurity.NSExceptionDomains.api.example.com.NSExceptionMinimumTLSVersion"
        #expect(keyPath(.iOS17, .tls10) == key)
        #expect(keyPath(.iOS26, .tls11) == nil)
        // An entry that did not raise the minimum is no help either.
        #expect(keyPath(.iOS26, .tls11, entry: "api.example.com") == nil)
        #expect(keyPath(.iOS26, .tls11, minimum: .tls13, entry: "api.example.com") == key)
    }

    @Test("NIAP requires the extended master secret under TLS 1.2, and an entry can turn it off")
    func niap() {
        let verdict = RuleBook.standard.judge(
            RuleCases.good {
                $0.demands?.niap = .fcp21
                $0.facts.usesExtendedMasterSecret = false
            })
        #expect(verdict.findings.map(\.rule) == [.niap])
        #expect(verdict.failure == .handshake(.library(0), rule: .niap))
        let none = ExceptionFix.Setting("NSExceptionRequiresNIAPTLSPackageVersion", .text("none"))
        #expect(verdict.remedy?.exception == ExceptionFix(domain: RuleCases.host, settings: [none]))
        let both = RuleBook.standard.judge(
            RuleCases.good {
                $0.demands?.niap = .fcp21
                $0.demands?.suites = [RuleCases.staticRSA]
                $0.facts.usesExtendedMasterSecret = false
            })
        #expect(both.findings.map(\.rule) == [.cipherSuite, .niap])
        #expect(both.remedy?.exception?.settings == [none])
    }

    @Test("Certificate Transparency that an entry requires is turned off with the same key")
    func transparency() {
        let verdict = RuleBook.standard.judge(
            RuleCases.good(.iOS17) {
                $0.demands?.requiresCertificateTransparency = true
                $0.transparency = .verified
            })
        #expect(verdict.findings.map(\.rule) == [.atsCertificateTransparency])
        #expect(
            verdict.remedy?.exception?.settings
                == [ExceptionFix.Setting("NSRequiresCertificateTransparency", .flag(false))])
    }
}
