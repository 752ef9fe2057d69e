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
        let lab = try LabShelf.full.get()
        let visits = lab.origins.map { Visit($0, $0.expectation(on: profile)) }
        try await check(visits, on: profile)
    }

    @Test("under NIAP's package, too, where the system reads that key", arguments: ["ios26", "ios26.4"])
    func package(os: String) async throws {
        let profile = try #require(OSProfile.named(os))
        let lab = try LabShelf.full.get()
        let visits = lab.origins.map { Visit($0, $0.expectationUnderNIAP(on: profile)) }
        try await check(
            visits, on: profile, policy: #"{"NSAppTransportSecurity":{"NSRequiresNIAPTLSPackageVersion":"FCP_v2.1"}}"#)
    }

    /// Entries that are void on a system are written all the same, as in an app for several systems.
    @Test(
        "under its minimal exception an origin passes, and where that is void a rule says why",
        arguments: OSProfile.all.map(\.name))
    func minimalExceptions(os: String) async throws {
        let profile = try #require(OSProfile.named(os))
        let lab = try LabShelf.full.get()
        var entries: [String] = []
        var visits: [Visit] = []
        for origin in lab.origins {
            guard let fix = OSProfile.all.lazy.compactMap({ origin.minimalException(on: $0) }).first else { continue }
            entries.append(fix.json)
            visits.append(Visit(origin, origin.expectationDespiteException(on: profile)))
        }
        // Cleartext, two old versions, static RSA and each of its six suites.
        #expect(visits.count == 10)
        // All pass, but for two old versions since 26 and two suites that left the list with 15.4.
        let void = (profile.tlsFloor > .tls11 ? 2 : 0) + (profile.release.generation < OSVersion(15, 4) ? 0 : 2)
        #expect(visits.count { $0.expected.rule != nil } == void)
        let domains = entries.joined(separator: ",")
        try await check(
            visits, on: profile, policy: "{\"NSAppTransportSecurity\":{\"NSExceptionDomains\":{\(domains)}}}")
    }

    private struct Visit {
        let origin: LabOrigin
        let expected: LabExpectation

        init(_ origin: LabOrigin, _ expected: LabExpectation) {
            self.origin = origin
            self.expected = expected
        }
    }

    private func check(_ visits: [Visit], on profile: OSProfile, policy: String? = nil) async throws {
        let rig = try Rig(policy: policy, lab: try LabShelf.full.get()) {
            $0.profile = profile
            // One origin stalls in its handshake.
            $0.session.handshake = .seconds(2)
        }
        for (index, visit) in visits.enumerated() {
            let (origin, expected) = (visit.origin, visit.expected)
            _ = try await rig.curl("-o", "/dev/null", origin.url)
            let records = await rig.sink.wait(for: index + 1)
            let record = try #require(records.count == index + 1 ? records.last : nil, "\(origin.name)")
            let place: Comment = "\(origin.name) on \(profile.name)"
            #expect(record.verdict.rawValue == expected.verdict, place)
            #expect(record.diagnosis?.findings.first?.rule == expected.rule, place)
            #expect(record.diagnosis?.apple?.code == expected.appleCode, place)
            #expect(record.diagnosis?.apple?.streamErrorCode == expected.streamErrorCode, place)
        }
        rig.finish()
    }
}
