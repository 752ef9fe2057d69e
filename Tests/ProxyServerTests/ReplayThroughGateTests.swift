import ATSPolicy
import Declarations
import Foundation
import Lab
import ProxyCore
import ProxyServer
import Records
import Testing

/// Recorded runs of the full lab, replayed under each other's dictionaries and compared with live runs.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ReplayThroughGateTests {
    @Test("a replay equals the live run; it is undecidable only if the live run's hello would differ")
    func equalsLiveInBulk() async throws {
        let laws = [
            try Law("ios26", #"{"NSAllowsArbitraryLoads":true}"#), try Law("ios26", "{}"),
            try Law("ios17", Self.wildcard(#""NSExceptionRequiresForwardSecrecy":false"#)),
            try Law("ios10", Self.wildcard(#""NSExceptionMinimumTLSVersion":"TLSv1.0""#)),
        ]
        // The silent origin is loaded under all dictionaries concurrently, while the others are visited.
        let origins = try SharedLabs.full.get().origins
        async let silence = withThrowingTaskGroup { group in
            for (index, law) in laws.enumerated() {
                group.addTask { (index, try await law.run(origins.filter(\.isSilent))) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        var runs: [[String: LoadRecord]] = []
        for law in laws { runs.append(try await law.run(origins.filter { !$0.isSilent })) }
        for (index, run) in try await silence { runs[index].merge(run) { first, _ in first } }
        #expect(runs.allSatisfy { $0.count == origins.count })
        var decided = 0
        for (from, recorded) in runs.enumerated() {
            for (to, live) in runs.enumerated() {
                for (host, record) in recorded {
                    let place: Comment = "\(host), recorded under dictionary \(from), judged under dictionary \(to)"
                    let replayed = laws[to].replay.replay(record)
                    let wanted = try #require(live[host], place)
                    if replayed.verdict == .undecidable {
                        #expect(from != to, place)
                        #expect(record.handshake?.offer != wanted.origin?.handshake.offer, place)
                        #expect(replayed.why != nil, place)
                        continue
                    }
                    decided += 1
                    #expect(replayed.verdict == wanted.verdict.replayed, place)
                    #expect(replayed.rule == wanted.diagnosis?.findings.first?.rule, place)
                }
            }
        }
        #expect(decided > 16 * 60)
    }

    private static func wildcard(_ keys: String) -> String {
        "{\"NSExceptionDomains\":{\"lab.test\":{\"NSIncludesSubdomains\":true,\(keys)}}}"
    }
}

/// A dictionary and a release, for running the lab and for replays.
private struct Law {
    let profile: OSProfile
    let text: String
    let replay: LoadReplay

    init(_ os: String, _ text: String) throws {
        profile = try #require(OSProfile.named(os))
        self.text = text
        replay = LoadReplay(
            judge: Judge(declaration: try DeclarationReader.parse(Array(text.utf8), source: "test"), profile: profile))
    }

    /// Runs the gate and returns the record of each of these origins, by name.
    func run(_ origins: [LabOrigin]) async throws -> [String: LoadRecord] {
        let rig = try Rig(policy: text, lab: try SharedLabs.full.get()) {
            $0.profile = profile
            // The timeout for the silent origin.
            $0.rules.limits.handshake = .seconds(2)
        }
        let urls = origins.flatMap { ["-o", "/dev/null", $0.url] }
        _ = try await rig.curl(["--parallel", "--parallel-immediate", "--parallel-max", "8"] + urls)
        let records = await rig.sink.wait(for: origins.count)
        rig.finish()
        return Dictionary(records.map { ($0.load.target.host, $0) }) { first, _ in first }
    }
}
