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
        let rig = try Rig(lab: lab) {
            $0.profile = profile
            // One origin stalls in its handshake.
            $0.session.handshake = .seconds(2)
        }
        for (index, origin) in lab.origins.enumerated() {
            let expected = origin.expectation(on: profile)
            _ = try await rig.curl("-o", "/dev/null", origin.url)
            let records = await rig.sink.wait(for: index + 1)
            let record = try #require(records.count == index + 1 ? records.last : nil, "\(origin.name)")
            #expect(record.verdict.rawValue == expected.verdict, "\(origin.name) on \(os)")
            #expect(record.diagnosis?.findings.first?.rule == expected.rule, "\(origin.name) on \(os)")
            #expect(record.diagnosis?.apple?.code == expected.appleCode, "\(origin.name) on \(os)")
            #expect(record.diagnosis?.apple?.streamErrorCode == expected.streamErrorCode, "\(origin.name) on \(os)")
        }
        rig.finish()
    }
}
