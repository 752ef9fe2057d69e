import Foundation
import GRDB
import Processes
import TestSupport
import Testing

extension Endurance {
    /// More hosts than those for which a loop keeps idle connections.
    @Suite("connections to many hosts")
    struct PoolTests {
        @Test("if the pool is full, the connections idle longest are closed, and a new host's is kept and reused")
        func oldestIsClosed() async throws {
            let connects = try await onOwnThread {
                let site = try LabBehindGate()
                let configuration = site.folder.read("lab.conf")
                guard let match = configuration.firstMatch(of: /cleartext\.lab\.test:80:(127\.0\.0\.1:[0-9]+)/) else {
                    throw TestFailure(description: configuration)
                }
                let gate = try Program(
                    "atsgate",
                    [
                        "proxy", "--config", "lab.conf", "--policy", "app.json", "--listen", "127.0.0.1:0", "--ca-dir",
                        "other-ca", "--port-file", "other-port", "--store", "other.sqlite", "--connect-to",
                        "::\(match.1)",
                    ], in: site.folder)
                try gate.wait(for: "gate") { !site.folder.read("other-port").isEmpty }
                let hosts = Array(0..<600) + [0, 599]
                let urls = hosts.map { "url = \"http://h\($0).pool.test/\"\noutput = /dev/null\n" }
                try site.folder.write(urls.joined(), to: "urls")
                let port = site.folder.read("other-port").split(separator: "\n").first ?? ""
                let curl = try Program(
                    path: "/usr/bin/env", ["curl", "-sS", "-x", "127.0.0.1:\(port)", "-K", "urls"], in: site.folder)
                guard curl.wait() == 0, gate.stop() == 0 else { throw TestFailure(description: curl.said + gate.said) }
                return try DatabaseQueue(path: site.folder.path("other.sqlite")).read {
                    try (Int64?).fetchAll($0, sql: "SELECT connect FROM load ORDER BY seq")
                }
            }
            #expect(connects.count == 602)
            #expect(connects.dropLast(2).allSatisfy { $0 != nil })
            #expect(connects.suffix(2).map { $0 == nil } == [false, true])
        }
    }
}
