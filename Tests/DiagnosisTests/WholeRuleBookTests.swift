import ATSPolicy
import Diagnosis
import Records
import Testing

/// Facts about single rules that are defined outside of their own files, listed for every rule. A new rule fails here
/// until it is listed.
@Suite("every rule")
struct WholeRuleBookTests {
    /// For each rule: its server directives, the deciding key under an empty dictionary, and the releases that have it.
    private static let expected = """
        ats.cleartext-load | cleartext | no entry: secure default | -
        ats.os-tls-floor | versions | fixed by the release; no dictionary changes it | iOS 26 and later
        ats.tls-version | versions | no entry: secure default | every release
        ats.forward-secrecy | suites | no entry: secure default | every release
        ats.cipher-suite | suites | no entry: secure default | every release
        ats.niap | - | Info.plist NSRequiresNIAPTLSPackageVersion | iOS 27 and later
        ats.pinned-identity | - | Info.plist KEY | iOS 14 and later
        trust.self-signed | certificate | - | every release
        trust.incomplete-chain | chain | - | every release
        trust.untrusted-root | certificate | - | every release
        trust.unknown-root | chain | - | every release
        trust.distrusted-root | certificate | - | iOS 11 and later
        trust.invalid-chain | chain | - | every release
        trust.expired | certificate | - | every release
        trust.not-yet-valid | certificate | - | every release
        trust.revoked | certificate | - | every release
        trust.host-name | certificate | - | every release
        trust.no-san | reissue | - | iOS 13 and later
        trust.server-auth-eku | reissue | - | every release
        trust.validity-period | reissue | - | iOS 13 and later
        ats.key-size | certificate | no entry: secure default | every release
        ats.signature-hash | certificate | no entry: secure default | every release
        trust.key-size | certificate | - | iOS 11 and later
        trust.signature-hash | certificate | - | iOS 11 and later
        trust.root-key | certificate | - | iOS 10 and later
        ats.certificate-transparency | certificate | no entry: secure default | every release
        trust.certificate-transparency | certificate | - | iOS 13 and later
        tls.alert | - | - | -
        tls.closed | - | - | -
        tls.not-tls | - | - | -
        tls.timeout | - | - | -
        tls.large-hello | - | - | -
        net.name | - | - | -
        net.refused | - | - | -
        net.timeout | - | - | -
        net.reset | - | - | -
        net.parent | - | - | -
        net.decrypted | - | - | -
        app.trust-override | - | - | -
        app.pin | - | - | -
        http.malformed | - | - | -
        client.gone | - | - | -
        client.rejected-leaf | - | - | -
        client.pins | - | - | -
        client.other-traffic | - | - | -
        client.server-name | - | - | -
        client.address | - | - | -
        client.own-handshake | - | - | -
        client.unseen | - | - | -
        client.private-relay | - | - | -
        client.outside | - | - | -
        client.foreign-hello | - | - | -
        gate.stopped | - | - | -
        gate.descriptors | - | - | -
        gate.memory | - | - | -
        gate.loop | - | - | -
        gate.forbidden | - | - | -
        gate.chain-size | - | - | -
        gate.fault | - | - | -
        """

    private static func line(_ rule: RuleID) -> String {
        let topic = ServerChange.Topic(healing: rule).map { "\($0)" } ?? "-"
        let policy = RecordedPolicy(
            source: "Info.plist", bundleID: nil, os: "ios26", basis: RulingBasis(step: .secureDefault), line: nil)
        let words = DecidingKey(policy).words(for: rule.rawValue, keyPath: "NSAppTransportSecurity.KEY") ?? "-"
        return "\(rule.rawValue) | \(topic) | \(words) | \(RuleExplanation(rule).inForce ?? "-")"
    }

    @Test("each rule has its directives, its deciding key and its releases")
    func all() {
        #expect(RuleID.allCases.map(Self.line) == Self.expected.split(separator: "\n").map(String.init))
    }
}
