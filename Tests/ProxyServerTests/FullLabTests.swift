import ATSPolicy
import Foundation
import Lab
import ProxyCore
import ProxyServer
import Records
import Testing

/// Every origin of the full lab, under every canonical profile, through a real gate.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct FullLabTests {
    @Test("prediction and verdict agree under the secure defaults", arguments: OSProfile.all.map(\.name))
    func everyOrigin(os: String) async throws {
        let profile = try #require(OSProfile.named(os))
        let lab = try SharedLabs.full.get()
        let visits = lab.origins.filter { !$0.isSilent }.map { LabVisit($0, $0.expectation(on: profile)) }
        try await check(visits, on: profile)
    }

    /// A test for all releases at the same time, because each has to wait for the timeout.
    @Test("a silent origin matches its prediction on every release, and under NIAP's package")
    func silence() async throws {
        let origin = try #require(try SharedLabs.full.get().origins.first(where: \.isSilent))
        try await withThrowingTaskGroup { group in
            for profile in OSProfile.all {
                group.addTask { try await check([LabVisit(origin, origin.expectation(on: profile))], on: profile) }
            }
            for os in Self.systemsWithPackage {
                let profile = try #require(OSProfile.named(os))
                let visit = LabVisit(origin, origin.expectationUnderNIAP(on: profile))
                group.addTask { try await check([visit], on: profile, policy: Self.package) }
            }
            try await group.waitForAll()
        }
    }

    private static let systemsWithPackage = ["ios26", "ios26.4", "ios27"]
    private static let package = #"{"NSAppTransportSecurity":{"NSRequiresNIAPTLSPackageVersion":"FCP_v2.1"}}"#

    @Test(
        "prediction and verdict agree under NIAP's package on releases that read that key",
        arguments: systemsWithPackage)
    func package(os: String) async throws {
        let profile = try #require(OSProfile.named(os))
        let lab = try SharedLabs.full.get()
        let visits = lab.origins.filter { !$0.isSilent }.map { LabVisit($0, $0.expectationUnderNIAP(on: profile)) }
        try await check(visits, on: profile, policy: Self.package)
    }

    /// Entries without effect on a release are included as well, as in an app for several releases.
    @Test(
        "an origin is allowed under its minimal exception; if that has no effect, a rule gives the reason",
        arguments: OSProfile.all.map(\.name))
    func minimalExceptions(os: String) async throws {
        let profile = try #require(OSProfile.named(os))
        let lab = try SharedLabs.full.get()
        var entries: [String] = []
        var visits: [LabVisit] = []
        for origin in lab.origins {
            guard let fix = OSProfile.all.lazy.compactMap({ origin.minimalException(on: $0) }).first else { continue }
            entries.append(fix.json)
            visits.append(LabVisit(origin, origin.expectationDespiteException(on: profile)))
        }
        // Cleartext, two old versions, static RSA and each of its six suites.
        #expect(visits.count == 10)
        // All are allowed, except two old versions since 26 and two suites that left the list with 15.4.
        let void = (profile.tlsFloor > .tls11 ? 2 : 0) + (profile.release.generation < OSVersion(15, 4) ? 0 : 2)
        #expect(visits.count { $0.expected.rule != nil } == void)
        let domains = entries.joined(separator: ",")
        try await check(
            visits, on: profile, policy: "{\"NSAppTransportSecurity\":{\"NSExceptionDomains\":{\(domains)}}}")
    }

    private func check(_ visits: [LabVisit], on profile: OSProfile, policy: String? = nil) async throws {
        let rig = try Rig(policy: policy, lab: try SharedLabs.full.get()) {
            $0.profile = profile
            // The timeout for the silent origin.
            $0.rules.limits.handshake = .seconds(2)
        }
        try await rig.visit(visits, as: profile)
        rig.finish()
    }
}

extension LabOrigin {
    /// The expected result if the dictionary contains the exception that helps on other releases: allowed, or the rule
    /// that gives the reason why it has no effect.
    /// A version below the release's floor is refused by the system itself (observed, documented;
    /// docs/law/tls.md#system-floor). A suite that left the list is missing from it, regardless of the key (source;
    /// docs/law/tls.md#suites-without-forward-secrecy).
    fileprivate func expectationDespiteException(on profile: OSProfile) -> LabExpectation {
        guard !passesWithException(on: profile) else {
            return LabExpectation(verdict: "allowed", rule: nil, appleCode: nil, streamErrorCode: nil)
        }
        let usual = expectation(on: profile)
        return LabExpectation(
            verdict: usual.verdict, rule: ruleDespiteException ?? .cipherSuite, appleCode: usual.appleCode,
            streamErrorCode: usual.streamErrorCode)
    }
}
