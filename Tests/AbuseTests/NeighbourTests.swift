import Foundation
import Processes
import TestSupport
import Testing

extension Abuse {
    /// Machines on the same network as a gate that listens on it.
    @Suite("neighbours", .enabled(if: Neighbour.isPossible, "needs root, ip(8) and network namespaces"))
    struct NeighbourTests {
        @Test("a neighbour's loads are judged like others, and recorded with its address")
        func judged() async throws {
            let (status, records, address) = try await onOwnThread {
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

        @Test("a neighbour cannot reach this machine's live page over an idle connection")
        func idleConnections() async throws {
            let (own, others) = try await onOwnThread {
                let neighbour = try Neighbour()
                let site = try LabBehindGate(
                    options: [
                        "--listen", "\(neighbour.gateAddress):0", "--allow-lan", "--web", "127.0.0.1:0",
                        "--web-url-file", "page",
                    ])
                let port = site.folder.read("port").split(separator: "\n").last ?? ""
                try site.gate.wait(for: "the page") { !site.folder.read("page").isEmpty }
                let page = site.folder.read("page").prefix { $0 != "?" && $0 != "#" && $0 != "\n" }
                let words = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--noproxy", "", "-x"]
                var (own, others) = (Set<String>(), Set<String>())
                // Each event loop has its own idle connections. With this many turns both clients meet on one loop.
                for _ in 0..<16 {
                    let here = try Program(
                        path: "/usr/bin/env", words + ["http://127.0.0.1:\(site.port)", String(page)], in: site.folder)
                    here.wait()
                    own.insert(here.written)
                    let there = words + ["http://\(neighbour.gateAddress):\(port)", String(page)]
                    others.insert(try neighbour.run(there))
                }
                site.gate.stop()
                return (own, others)
            }
            #expect(own == ["401"])
            #expect(others == ["403"])
        }

        @Test("a gate on loopback cannot be reached by a neighbour")
        func unreachable() async throws {
            let status = try await onOwnThread {
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
