import Foundation
import Processes
import Testing

extension Abuse {
    /// Whoever shares the network with a gate that listens to it.
    @Suite("neighbours", .enabled(if: Neighbour.isPossible, "needs root, ip(8) and network namespaces"))
    struct NeighbourTests {
        @Test("a neighbour's loads are under the law as anybody's, and are recorded with its address")
        func judged() async throws {
            let (status, records, address) = try await aside {
                let neighbour = try Neighbour()
                let site = try LabBehindGate(
                    policy: "{}",
                    options: ["--listen", "\(neighbour.gateAddress):0", "--allow-lan", "--json", "records.jsonl"])
                let port = site.folder.read("port").split(separator: "\n").last ?? ""
                let status = try neighbour.run(
                    "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-x",
                    "http://\(neighbour.gateAddress):\(port)", "http://blocked.example/")
                site.gate.stop()
                return (status, site.folder.read("records.jsonl"), neighbour.gateAddress)
            }
            #expect(status == "403")
            #expect(records.contains(#""address":"\#(address.dropLast())2"#))
        }

        @Test("a gate on loopback can not be reached from there")
        func unreachable() async throws {
            let status = try await aside {
                let neighbour = try Neighbour()
                let site = try LabBehindGate()
                return try neighbour.run(
                    "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "5", "-x",
                    "http://\(neighbour.gateAddress):\(site.port)", "http://blocked.example/")
            }
            #expect(status == "000")
        }
    }
}
