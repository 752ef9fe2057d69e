import ATSPolicy
import Testing
import Text

@Suite struct PinTests {
    private static let domains = "NSPinnedDomains"

    private static func list(_ identities: String...) -> PropertyValue {
        .array(
            identities.map {
                PropertyNode(["SPKI-SHA256-BASE64": .string($0), "Comment": "not read"])
            })
    }

    private static func pins(
        _ entries: PropertyValue, host: String, switches: JudgeSwitches = JudgeSwitches(), ats: Bool = true
    ) throws -> PinDemands? {
        let dictionary: PropertyValue =
            ats ? [domains: entries] : ["NSAllowsArbitraryLoads": true, domains: entries]
        return try Verdicts(dictionary, host: host, switches: switches).demands?.pins
    }

    @Test("all matching entries are merged, at any depth and regardless of case")
    func union() throws {
        let entries: PropertyValue = [
            "Example.COM": ["NSIncludesSubdomains": true, "NSPinnedLeafIdentities": Self.list("a")],
            "a.example.com": ["NSPinnedLeafIdentities": Self.list("b", "c")],
            "A.example.com": ["NSPinnedCAIdentities": Self.list("d")],
            "com": ["NSIncludesSubdomains": true, "NSPinnedLeafIdentities": Self.list("never")],
        ]
        let pins = try #require(try Self.pins(entries, host: "a.example.com"))
        #expect(pins.leaf == ["a", "b", "c"] && pins.authority == ["d"])
        #expect(Set(pins.entries) == ["Example.COM", "a.example.com", "A.example.com"])
        let parent = try #require(try Self.pins(entries, host: "example.com"))
        #expect(parent.leaf == ["a", "never"] && parent.authority == nil)
        #expect(try Self.pins(entries, host: "b.a.example.com") == nil)
    }

    @Test func aListWithoutAUsableIdentityMatchesNoKey() throws {
        let empty: [PropertyValue] = [
            [], ["text"], [["SPKI": "x"]], [["SPKI-SHA256-BASE64": 1]], "no list at all",
        ]
        for list in empty {
            let pins = try Self.pins(["example.com": ["NSPinnedLeafIdentities": list]], host: "example.com")
            #expect(pins?.leaf == [] && pins?.authority == nil)
        }
        let mixed: PropertyValue = ["text", ["SPKI-SHA256-BASE64": "x"]]
        #expect(
            try Self.pins(["example.com": ["NSPinnedCAIdentities": mixed]], host: "example.com")?.authority == ["x"])
        #expect(try Self.pins(["example.com": ["NSIncludesSubdomains": true]], host: "example.com") == nil)
    }

    @Test("a switch decides if pins apply while ATS is off")
    func withoutATS() throws {
        let entries: PropertyValue = ["example.com": ["NSPinnedLeafIdentities": Self.list("a")]]
        let off = JudgeSwitches(pinWhenATSOff: false)
        #expect(try Self.pins(entries, host: "example.com", ats: false)?.leaf == ["a"])
        #expect(try Self.pins(entries, host: "example.com", switches: off, ats: false) == nil)
        #expect(try Self.pins(entries, host: "example.com", switches: off)?.leaf == ["a"])
    }

    @Test("a pin mismatch is strict even if the app may override trust, and decides before an untrusted root")
    func alwaysStrict() {
        let verdict = RuleBook.standard.judge(
            RuleCases.good {
                $0.facts.anchor = .unknownRoot
                $0.demands?.strictTrust = false
                $0.demands?.pins = PinDemands(leaf: ["x"], entries: ["example.com"])
            })
        #expect(verdict.findings.map(\.rule) == [.pinnedIdentity, .untrustedRoot])
        #expect(verdict.failure == .trust(.pinnedIdentity, isStrict: true))
        #expect(
            verdict.findings.first?.keyPath
                == "NSAppTransportSecurity.NSPinnedDomains.example.com.NSPinnedLeafIdentities")
        #expect(verdict.remedy?.exception == nil)
        #expect(verdict.remedy?.sentences.last?.contains("pins apply in addition to every exception") == true)
        let error = AppleErrorTests.error(.trust(.pinnedIdentity, isStrict: true), .iOS26)
        #expect(error.code == -1200 && error.streamErrorCode == -9802 && error.detailCode == -9886)
    }

    @Test func aChainOfOneNeverSatisfiesACAPin() {
        let handshake = RuleCases.good {
            RuleCases.selfSigned(&$0)
            $0.facts.anchor = .user
            $0.facts.path[0].spkiSHA256 = "a"
            $0.demands?.pins = PinDemands(leaf: ["a"], authority: ["a"])
        }
        let findings = RuleBook.standard.findings(on: handshake)
        #expect(findings.map(\.rule) == [.pinnedIdentity])
        #expect(findings.first?.observed == "a chain of one certificate, which no CA pin can match")
    }

    @Test("hosts pinned by TrustKit are read from an Info.plist, with their subdomains if it includes them")
    func trustKit() throws {
        let plist: PropertyValue = [
            "CFBundleIdentifier": .string("com.example.app"),
            "TSKConfiguration": [
                "TSKPinnedDomains": ["one.test": [:], "all.test": ["TSKIncludeSubdomains": .boolean(true)]]
            ],
        ]
        let hosts = try Declaration(root: PropertyNode(plist), source: "Info.plist").trustKitDomains
        let found = ["one.test", "a.one.test", "all.test", "a.all.test", "test"].filter(hosts.contains)
        #expect(found == ["one.test", "all.test", "a.all.test"])
    }
}
