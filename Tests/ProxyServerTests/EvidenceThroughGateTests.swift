import ATSPolicy
import Foundation
import Lab
import ProxyCore
import ProxyServer
import Records
import Testing

/// Timestamps and stapled responses, through a real gate that has a list of the lab's logs.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct EvidenceThroughGateTests {
    /// A gate with the lab's list of logs.
    private func rig(_ lab: Lab, _ profile: OSProfile = .newest) throws -> Rig {
        try Rig(lab: lab) {
            // In the rig's own folder, which is deleted with it; a missing list would end the start.
            let list = ($0.roots.first ?? "") + ".logs"
            try? lab.writeLogs(to: list)
            $0.profile = profile
            $0.ctLogs = list
            // One origin stalls in its handshake.
            $0.rules.limits.handshake = .seconds(2)
        }
    }

    private func visit(_ origins: [LabOrigin], _ rig: Rig, _ profile: OSProfile) async throws {
        let visits = origins.map { LabVisit($0, $0.expectation(on: profile, isListed: true)) }
        try await rig.visit(visits, as: profile)
        rig.finish()
    }

    @Test("with a list of logs every origin of the full lab matches its prediction on the newest release")
    func everyOrigin() async throws {
        let lab = try SharedLabs.full.get()
        try await visit(lab.origins, try rig(lab), .newest)
    }

    @Test("timestamps and staples match their predictions on every release", arguments: OSProfile.all.map(\.name))
    func everySystem(os: String) async throws {
        let profile = try #require(OSProfile.named(os))
        let lab = try SharedLabs.full.get()
        let origins = lab.origins.filter { $0.name.hasPrefix("sct") || $0.name.hasPrefix("staple") }
        #expect(origins.count == 10)
        try await visit(origins, try rig(lab, profile), profile)
    }

    @Test("a record shows the verified timestamps, the refused ones with reasons, and the staple's status")
    func recorded() async throws {
        let lab = try SharedLabs.full.get()
        let rig = try rig(lab)
        for name in ["sct-staple", "sct-forged"] { _ = try await rig.curl("https://\(name).lab.test/") }
        let facts = rig.finish().map(\.origin?.facts)
        #expect(facts.map { $0?.scts } == [SCTCounts(stapled: 2), SCTCounts()])
        #expect(facts.last??.sctReview?.refused == Array(repeating: .badSignature, count: 4))
        #expect(facts.first??.staple?.status == .good)
    }

    @Test("a broken list keeps the old policy, and a list whose logs are rejected takes effect")
    func reload() async throws {
        let lab = try SharedLabs.full.get()
        let folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-logs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let list = folder.appending(path: "logs.json")
        try lab.writeLogs(to: list.path)
        let rig = try Rig(lab: lab) { $0.ctLogs = list.path }
        let good = "https://good12.lab.test/"
        #expect(try await rig.curl(good).status == 0)
        try Data("{\"operators\": 1}".utf8).write(to: list)
        rig.gate.reload()
        #expect(try await rig.curl(good).status == 0)
        try Data(lab.logsJSON.replacing("\"usable\"", with: "\"rejected\"").utf8).write(to: list)
        rig.gate.reload()
        #expect(try await rig.curl(good).status == 60)
        let records = rig.finish()
        #expect(records.last?.diagnosis?.findings.map(\.rule) == [.certificateTransparency])
        #expect(records.last?.origin?.facts?.sctReview?.refused == [.unapprovedLog, .unapprovedLog])
    }

    @Test("an outdated list blocks no load; a broken one stops the start and names file and key")
    func oldAndBroken() async throws {
        let lab = try SharedLabs.full.get()
        let list = FileManager.default.temporaryDirectory.appending(path: "atsgate-logs-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: list) }
        let old = lab.logsJSON.replacing(
            /"log_list_timestamp": *"[^"]*"/, with: #""log_list_timestamp":"2020-01-01T00:00:00Z""#)
        try Data(old.utf8).write(to: list)
        let rig = try Rig(lab: lab) { $0.ctLogs = list.path }
        #expect(try await rig.curl("https://sct-none.lab.test/").status == 0)
        rig.finish()
        try Data("{\"operators\": 1}".utf8).write(to: list)
        let error = #expect(throws: GateError.self) { _ = try Rig(lab: lab) { $0.ctLogs = list.path } }
        #expect(error?.exitCode == 65)
        #expect(error?.sentence == "\(list.path): operators: this has the wrong type")
    }
}
