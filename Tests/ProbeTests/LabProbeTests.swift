import ATSPolicy
import Foundation
import Lab
import Probe
import Records
import Testing

/// Probes every origin of the basic lab on several releases; with `PROBE_SWEEP`, every origin of the full lab on all.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct LabProbeTests {
    private static let isSweep = ProcessInfo.processInfo.environment["PROBE_SWEEP"] != nil
    private static let systems = isSweep ? OSProfile.all.map(\.name) : ["ios9", "ios17", "macos15.4", "ios26.4"]

    @Test("probe gives the verdict, rule and Apple's codes that the lab predicts", arguments: systems)
    func predictions(os: String) async throws {
        let profile = try #require(OSProfile.named(os))
        let lab = try (Self.isSweep ? SharedLabs.full : SharedLabs.basic).get()
        let bench = try ProbeBench(lab)
        let judge = Judge(declaration: .secureDefaults, profile: profile)
        try await workInOrder(on: lab.origins, jobs: 8) { origin -> ProbeResult? in
            guard let target = try? ProbeTarget(origin.url) else { return nil }
            return await bench.prober.probe(target, by: judge, seeksException: false)
        } take: { index, result in
            let origin = lab.origins[index]
            let expected = origin.expectation(on: profile)
            let place: Comment = "\(origin.name) on \(os)"
            let result = try #require(result, place)
            #expect(result.verdict.rawValue == (expected.verdict == "allowed" ? "pass" : "fail"), place)
            #expect(result.rule == expected.rule, place)
            guard result.verdict == .fail else { return }
            #expect(result.diagnosis?.apple?.code == expected.appleCode, place)
            #expect(result.diagnosis?.apple?.streamErrorCode == expected.streamErrorCode, place)
        }
    }

    @Test("the proven smallest exception is the lab's, if one helps", arguments: systems)
    func exceptions(os: String) async throws {
        let profile = try #require(OSProfile.named(os))
        let lab = try (Self.isSweep ? SharedLabs.full : SharedLabs.basic).get()
        let bench = try ProbeBench(lab)
        let failing = lab.origins.filter { $0.expectation(on: profile).verdict == "blocked" }
        try await workInOrder(on: failing, jobs: 8) { origin in
            try? await bench.probe(origin.url, on: profile)
        } take: { index, result in
            let place: Comment = "\(failing[index].name) on \(os)"
            let result = try #require(result, place)
            #expect(result.exception == failing[index].minimalException(on: profile), place)
            #expect((result.proof == nil) == (result.exception == nil), place)
        }
    }
}
