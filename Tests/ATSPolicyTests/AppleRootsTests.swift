import ATSPolicy
import Testing

@Suite("Apple's roots by release")
struct AppleRootsTests {
    private static let table = AppleRoots.published

    private func membership(_ name: String, _ system: String) throws -> AppleRoot.Membership {
        let release = try #require(OSRelease(name: system))
        return try #require(Self.table.roots(named: name).first).membership(on: release)
    }

    @Test("the table has 360 roots of Apple and 32 that Apple never had, each with a key, a name and a certificate")
    func shape() {
        let rows = Self.table.rows
        #expect(rows.count == 392)
        #expect(Set(rows.map { $0.key + $0.name }).count == rows.count)
        for row in rows {
            #expect(row.key.utf8.count == AppleRoot.keyDigits && !row.name.isEmpty && !row.certificates.isEmpty)
        }
        #expect(rows.count { $0.ios == .never && $0.macos == .never } == 113)
    }

    @Test(
        "known roots are in the stores of the right releases",
        arguments: [
            ("Sectigo Public Server Authentication Root R46", "ios17.3", AppleRoot.Membership.absent),
            ("Sectigo Public Server Authentication Root R46", "ios17.4", .present),
            ("Sectigo Public Server Authentication Root R46", "macos14.3", .absent),
            ("Sectigo Public Server Authentication Root R46", "macos14.4", .present),
            ("Sectigo Public Server Authentication Root R46", "visionos1", .absent),
            ("Sectigo Public Server Authentication Root R46", "visionos1.1", .present),
            ("Sectigo Public Server Authentication Root R46", "visionos2", .present),
            ("ISRG Root X1", "ios10", .absent), ("ISRG Root X1", "ios10.1", .present),
            ("ISRG Root X2", "ios15.3", .absent), ("ISRG Root X2", "ios15.4", .present),
            ("AddTrust External CA Root", "ios13.6", .present), ("AddTrust External CA Root", "ios14", .unknown),
            ("AddTrust External CA Root", "ios14.2", .removed), ("AddTrust External CA Root", "macos10.15.7", .present),
            ("AddTrust External CA Root", "macos11", .removed),
            ("AAA Certificate Services", "ios9", .present), ("AAA Certificate Services", "ios27", .present),
        ])
    func known(name: String, system: String, expected: AppleRoot.Membership) throws {
        #expect(try membership(name, system) == expected)
    }

    @Test("certificates with one key and name are one root, found by each of their hashes")
    func reissued() throws {
        let root = try #require(Self.table.roots(named: "gts root r1").first)
        #expect(root.certificates.count == 2)
        for certificate in root.certificates {
            #expect(Self.table.roots(withCertificate: certificate + String(repeating: "0", count: 52)) == [root])
        }
        #expect(Self.table.roots(withKey: "hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=") == [root])
    }

    @Test("a certificate is recognized by key and name together")
    func recognition() throws {
        var certificate = CertificateFacts()
        certificate.spkiSHA256 = "hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc="
        certificate.commonName = "GTS Root R1"
        #expect(Self.table.root(of: certificate)?.name == "GTS Root R1")
        certificate.commonName = "GTS Root R9"
        #expect(Self.table.root(of: certificate) == nil)
        certificate.commonName = nil
        #expect(Self.table.root(of: certificate)?.name == "GTS Root R1")
        #expect(Self.table.root(of: CertificateFacts()) == nil)
    }

    @Test("words name the releases")
    func words() throws {
        func words(_ name: String) throws -> String { try #require(Self.table.roots(named: name).first).words }
        #expect(try words("Sectigo Public Server Authentication Root R46") == "since iOS 17.4 and macOS 14.4")
        #expect(try words("AAA Certificate Services") == "since before iOS 9 and OS X 10.11")
        #expect(
            try words("AddTrust External CA Root")
                == "up to iOS 13.6, or a later release before 14.2 and macOS 10.15.6")
    }

    @Test(
        "other text than a row gives no root",
        arguments: ["", "a b c", "k : : DD 00", "k 1:2 : DD 00 N", "k x: : DD 00 N"])
    func badRows(text: String) {
        #expect(AppleRoot(row: text) == nil)
    }

    @Test("the first and the last iOS release have their certainty; those of macOS are from the source")
    func confidence() throws {
        let root = try #require(AppleRoot(row: "- 12:17<26 10.14:14<26 DI 00 Example Root"))
        func confidence(_ system: String) throws -> Confidence {
            root.confidence(on: try #require(OSRelease(name: system)))
        }
        #expect(try confidence("ios11") == .documented && confidence("ios17") == .documented)
        #expect(try confidence("ios26") == .inferred)
        #expect(try confidence("macos14") == .source && confidence("macos26") == .source)
    }

    @Test("from iOS 18 on a missing root is a finding of a load that passes, and strict roots block it")
    func warning() throws {
        let root = try #require(AppleRoot(row: "- 26: 26: DD 00 Example Root", key: RuleCases.facts.path[2].spkiSHA256))
        func verdict(_ system: String) throws -> HandshakeVerdict {
            let profile = AppleRoots([root]).replacing(in: try #require(OSProfile.named(system)))
            return RuleBook.standard.judge(RuleCases.good(profile))
        }
        let old = try verdict("ios16")
        #expect(old.rule == .unknownRoot && old.failure == .trust(.unknownRoot, isStrict: true))
        #expect(old.remedy != nil)
        let new = try verdict("ios18")
        #expect(new.rule == .unknownRoot && new.failure == nil)
        #expect(new.findings.first?.observed.contains("--strict-roots") == true)
        #expect(try verdict("ios26").findings.isEmpty)
    }

    @Test("a root that only the gate's machine lacks is named with --roots")
    func missingOnTheMachine() throws {
        let root = try #require(
            AppleRoot(row: "- 12: 10.14: DD 00 Example Root", key: RuleCases.facts.path[2].spkiSHA256))
        func observed(_ system: String, _ change: (inout HandshakeCase) -> Void) throws -> String {
            let profile = AppleRoots([root]).replacing(in: try #require(OSProfile.named(system)))
            let findings = RuleBook.standard.findings(on: RuleCases.good(profile, change))
            return try #require(findings.first).observed
        }
        #expect(try observed("ios16") { $0.facts.anchor = .unknownRoot }.contains("since iOS 12: get it"))
        #expect(try !observed("ios11") { $0.facts.anchor = .unknownRoot }.contains("--roots"))
        let incomplete: (inout HandshakeCase) -> Void = {
            $0.facts.path.removeLast()
            $0.facts.anchor = .incomplete
        }
        #expect(try observed("macos12", incomplete).contains("since macOS 10.14: get it"))
    }
}
