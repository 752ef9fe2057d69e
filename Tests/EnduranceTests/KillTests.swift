import Foundation
import GRDB
import Processes
import Reporting
import Testing

extension Endurance {
    /// The store of a gate that was killed.
    @Suite("a gate killed during loads")
    struct KillTests {
        private struct Outcome: Sendable {
            /// Rows that another reader saw committed.
            let seen: Int
            let integrity: [String]
            let rows: Int
            let identifiers: Int
            let torn: [String]
            let rowsAfterNextGate: Int
        }

        @Test(
            "the store is intact, no record is torn, and all committed rows are present",
            arguments: [200, 1_000, 2_500])
        func killed(afterRows wanted: Int) async throws {
            let outcome = try await onOwnThread { try Self.kill(afterRows: wanted) }
            #expect(outcome.seen >= wanted)
            #expect(outcome.integrity == ["ok"])
            #expect(outcome.rows >= outcome.seen)
            #expect(outcome.identifiers == outcome.rows)
            #expect(outcome.torn.isEmpty)
            #expect(outcome.rowsAfterNextGate > outcome.rows)
        }

        private static func kill(afterRows wanted: Int) throws -> Outcome {
            let site = try LabBehindGate()
            let loader = try site.loader("load", LabBehindGate.plain + "/bytes/1024", ["--seconds", "120"])
            let watcher = try StoreReader(path: site.storePath)
            var seen = 0
            try site.gate.wait(for: "\(wanted) rows") {
                seen = try watcher.counts().values.reduce(0, +)
                return seen >= wanted
            }
            site.gate.send(SIGKILL)
            site.gate.wait()
            loader.stop()
            let left = try inspect(site.storePath)
            // The next gate continues with the same store.
            try site.replaceGate()
            try site.load(LabBehindGate.plain + "/bytes/1024")
            site.gate.stop()
            let after = try StoreReader(path: site.storePath).counts().values.reduce(0, +)
            return Outcome(
                seen: seen, integrity: left.integrity, rows: left.rows, identifiers: left.identifiers, torn: left.torn,
                rowsAfterNextGate: after)
        }

        private static func inspect(
            _ path: String
        ) throws -> (integrity: [String], rows: Int, identifiers: Int, torn: [String]) {
            var identifiers = Set<String>()
            var torn: [String] = []
            var rows = 0
            let reader = try StoreReader(path: path)
            var lines: [UInt8] = []
            _ = try reader.export(RecordFilter()) { lines += $0 }
            for line in lines.split(separator: UInt8(ascii: "\n")) {
                let parsed = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
                if let id = parsed?["id"] as? String {
                    rows += 1
                    identifiers.insert(id)
                } else if parsed == nil || parsed?["schema"] != nil {
                    // The other lines are those of the format, recordings and handshakes.
                    torn.append(String(decoding: line, as: UTF8.self))
                }
            }
            #expect(try reader.checkWhole() == rows)
            let integrity = try DatabaseQueue(path: path).read {
                try String.fetchAll($0, sql: "PRAGMA integrity_check")
            }
            return (integrity, rows, identifiers.count, torn)
        }
    }
}
