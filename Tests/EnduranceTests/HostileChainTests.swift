import Foundation
import Processes
import Testing

extension Endurance {
    /// Origins whose certificates have the maximum length. The tests check memory and the store, never time.
    @Suite("hostile chains")
    struct HostileChainTests {
        struct Chain: Sendable, CustomTestStringConvertible {
            let testDescription: String
            /// The number of names in the leaf, three bytes each.
            let names: Int
            /// The bytes that a load may use in the store.
            let perLoad: Int
        }

        /// The loader's results for loads at the same time.
        private struct Figures: Decodable, Sendable {
            let requests: Int
            let errors: Int
            /// Microseconds.
            let p50: Int
            let p99: Int
        }

        private struct Outcome: Sendable {
            let grownKiB: Int
            let storedBytes: Int
            let said: String
            let beside: Figures
        }

        static let chains = [
            Chain(testDescription: "longer than the limit for reading", names: 31_000, perLoad: 24 << 10),
            Chain(testDescription: "as long as the limit for reading", names: 10_400, perLoad: 24 << 10),
        ]

        /// KiB above idle.
        private static let limitKiB = 100 << 10
        /// `make soak` runs more.
        private static let loads = Int(ProcessInfo.processInfo.environment["HOSTILE_LOADS"] ?? "") ?? 1_000

        @Test("chains that differ each time use bounded memory and disk space", arguments: chains)
        func bounded(chain: Chain) async throws {
            let outcome = try await onOwnThread {
                let site = try LabBehindGate(policy: "{}")
                let memory = Memory(process: site.gate.identifier)
                try site.load(LabBehindGate.intercepted + "/")
                let idle = try memory.own()
                let beside = try site.loader(
                    "load", LabBehindGate.intercepted + "/",
                    ["--connections", "1", "--seconds", "600", "--loads", "200", "--pause", "10"])
                let attack = try Program(
                    "loader",
                    ["hostile", "--proxy", site.proxy, "--loads", "\(Self.loads)", "--names", "\(chain.names)"],
                    in: site.folder)
                guard attack.wait() == 0, beside.wait() == 0 else {
                    throw TestFailure(description: attack.said + beside.said)
                }
                let grown = try memory.own() - idle
                site.gate.stop()
                let stored = try FileManager.default.attributesOfItem(atPath: site.storePath)[.size] as? Int ?? .max
                let figures = try JSONDecoder().decode(Figures.self, from: Data(beside.written.utf8))
                return Outcome(grownKiB: grown, storedBytes: stored, said: attack.written, beside: figures)
            }
            print(
                "\(chain.testDescription): \(outcome.said) +\(outcome.grownKiB) KiB, \(outcome.storedBytes) bytes stored,"
                    + " other loads: \(outcome.beside)")
            #expect(outcome.grownKiB < Self.limitKiB)
            #expect(outcome.storedBytes < Self.loads * chain.perLoad + (1 << 20))
            #expect(outcome.beside.errors == 0)
        }
    }
}
