import ATSPolicy
import Records
import Testing

@Suite("Text for the deciding key")
struct DecidingKeyTests {
    private static let root = "NSAppTransportSecurity."
    private static let domains = root + "NSExceptionDomains."

    private func words(
        _ rule: RuleID, key: String? = nil, line: Int? = nil, entry: String? = nil, builtIn: Bool = false,
        source: String? = "Info.plist", keyPath: String? = domains + "a.test.NSExceptionMinimumTLSVersion"
    ) -> String? {
        let basis = RulingBasis(step: .exception, keyPath: key, entry: entry, isBuiltIn: builtIn)
        let policy = RecordedPolicy(source: source, bundleID: nil, os: "ios26", basis: basis, line: line)
        return DecidingKey(policy).words(for: rule.rawValue, keyPath: keyPath)
    }

    @Test("a key that is not in the file is never named as the deciding one")
    func absentKeys() {
        #expect(words(.cleartextLoad) == "no entry: secure default")
        #expect(words(.forwardSecrecy) == "no entry: secure default")
        #expect(words(.tlsVersion, entry: "a.test") == "Info.plist NSExceptionDomains.a.test")
        #expect(words(.osTLSFloor) == "fixed by the release; no dictionary changes it")
        #expect(words(.tlsVersion, entry: "apple.com", builtIn: true)?.contains("built into the system") == true)
    }

    @Test("the deciding key is named with its file and line")
    func presentKeys() {
        let sibling = Self.root + "NSAllowsLocalNetworking"
        #expect(words(.cleartextLoad, key: sibling, line: 8) == "Info.plist:8 NSAllowsLocalNetworking")
        let entry = Self.domains + "a.test"
        #expect(
            words(.tlsVersion, key: entry, line: 14, entry: "a.test") == "Info.plist:14 NSExceptionDomains.a.test")
        // The ruling's key is another key of the entry, so its line is not that of the entry.
        let insecure = entry + ".NSExceptionAllowsInsecureHTTPLoads"
        #expect(
            words(.tlsVersion, key: insecure, line: 15, entry: "a.test") == "Info.plist NSExceptionDomains.a.test")
        #expect(words(.niap) == "Info.plist NSRequiresNIAPTLSPackageVersion")
        let pins = Self.root + "NSPinnedDomains.a.test"
        #expect(words(.pinnedIdentity, source: nil, keyPath: pins) == "NSPinnedDomains.a.test")
    }

    @Test(
        "no key is named for certificates and networks", arguments: [RuleID.expired, .netTimeout, .tlsAlert])
    func noKeys(rule: RuleID) {
        #expect(words(rule) == nil)
    }
}
