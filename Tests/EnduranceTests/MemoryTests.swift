import Foundation
import Processes
import Testing

extension Endurance {
    /// Memory use of the gate. The tests check memory, never time.
    @Suite("memory of the gate")
    struct MemoryTests {
        /// A body and its route.
        struct BodyRoute: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let url: String
            let options: [String]
        }

        private static let bodyBytes = 200 << 20
        /// A fortieth of the goal's 5 GB body, with the same limit: above idle, in KiB.
        private static let limitKiB = 64 * 1_024
        private static let tunnels = 200

        private static let down = "/bytes/\(bodyBytes)"
        private static let whole = ["--size", "\(bodyBytes)"]
        private static let sent = ["--upload", "\(bodyBytes)"]

        static let journeys = [
            BodyRoute(testDescription: "plain download", url: LabBehindGate.plain + down, options: whole),
            BodyRoute(testDescription: "plain upload", url: LabBehindGate.plain + "/upload", options: sent),
            BodyRoute(testDescription: "intercepted download", url: LabBehindGate.intercepted + down, options: whole),
            BodyRoute(testDescription: "intercepted upload", url: LabBehindGate.intercepted + "/upload", options: sent),
            BodyRoute(
                testDescription: "plain download by a client that stops reading for a while",
                url: LabBehindGate.plain + down,
                options: whole + ["--stall", "2"]),
            BodyRoute(
                testDescription: "intercepted download by a client that stops reading for a while",
                url: LabBehindGate.intercepted + down, options: whole + ["--stall", "2"]),
        ]

        @Test("a large body is relayed, not buffered", arguments: journeys)
        func body(journey: BodyRoute) async throws {
            let growth = try await onOwnThread {
                let site = try LabBehindGate()
                let memory = Memory(process: site.gate.identifier)
                let idle = try memory.resident()
                return try memory.peak { try site.loader("body", journey.url, journey.options) } - idle
            }
            #expect(growth < Self.limitKiB, "KiB above idle")
        }

        @Test(
            "an idle tunnel needs little memory",
            arguments: [(LabBehindGate.intercepted, 80), (LabBehindGate.passthrough, 20)])
        func tunnel(url: String, limitKiB: Int) async throws {
            let growth = try await onOwnThread {
                let site = try LabBehindGate()
                let memory = Memory(process: site.gate.identifier)
                // Memory that only the first tunnel needs is not counted.
                try site.load(url + "/")
                let idle = try memory.own()
                let loader = try site.loader("idle", url, ["--count", "\(Self.tunnels)"])
                try loader.wait(for: "tunnels") { loader.written.contains("\n") }
                guard loader.written.contains(#""held":\#(Self.tunnels),"#) else {
                    throw TestFailure(description: loader.written)
                }
                // Memory for handshakes is released after a second without new ones.
                var growth = 0
                _ = try holds(within: 10) {
                    growth = try memory.own() - idle
                    return growth < Self.tunnels * limitKiB
                }
                return growth
            }
            #expect(growth < Self.tunnels * limitKiB, "KiB for \(Self.tunnels) tunnels")
        }
    }
}
