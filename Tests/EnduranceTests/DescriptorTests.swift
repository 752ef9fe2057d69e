import Foundation
import Processes
import Testing

extension Endurance {
    /// A gate with a low limit on open files.
    @Suite("the descriptors run out")
    struct DescriptorTests {
        private struct Outcome: Sendable {
            let spoke: Bool
            let said: String
            let recovered: Bool
        }

        @Test("the gate reports the shortage, and serves again once clients have disconnected")
        func exhausted() async throws {
            let outcome = try await onOwnThread {
                let site = try LabBehindGate(descriptors: 64)
                let crowd = try site.loader("idle", LabBehindGate.intercepted, ["--count", "60"])
                let spoke = (try? site.gate.wait(for: "word") { site.gate.said.contains("descriptor") }) != nil
                crowd.stop()
                let recovered = (try? site.load(LabBehindGate.intercepted + "/")) != nil
                return Outcome(spoke: spoke, said: String(site.gate.said.suffix(1_000)), recovered: recovered)
            }
            #expect(outcome.spoke, "standard error: \(outcome.said)")
            #expect(outcome.recovered)
        }
    }
}
