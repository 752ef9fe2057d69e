import Foundation
import GRDB

/// Forged stores. Each is made from a sound one with loads of the recordings `nightly` and others.
public struct HostileStore: CustomStringConvertible, Sendable {
    public let name: String
    private let change: @Sendable (String) throws -> Void

    private init(name: String, change: @escaping @Sendable (String) throws -> Void) {
        self.name = name
        self.change = change
    }

    public var description: String { name }

    /// Turns the sound store at this path, which must not be open, into this one.
    public func forge(at path: String) throws { try change(path) }

    public static let all: [HostileStore] = columns + crafted

    /// The stores with a specific attack each.
    public static let crafted: [HostileStore] = contents + schemas + files

    /// A value of another type or beyond all limits, in each column.
    private static var columns: [HostileStore] {
        let values = ["'abc'", "x'6d696e65'", "NULL", "1.5", "9223372036854775807", "CAST(x'ff00fe' AS TEXT)"]
        let columns = [
            "load": ["form", "time", "rule", "entry"],
            "form": ["recording", "host", "verdict", "os", "text", "handshake"],
            "tally": ["loads", "first_time", "last_time", "first_seq", "last_seq"],
            "handshake": ["text", "digest"],
            "meta": ["spool", "high", "shipped", "last", "dropped", "root", "waits"],
        ]
        return columns.sorted { $0.key < $1.key }.flatMap { table, names in
            names.flatMap { name in
                values.map { value in unchecked("\(table).\(name) = \(value)", "UPDATE \(table) SET \(name) = \(value)")
                }
            }
        }
    }

    private static var contents: [HostileStore] {
        [
            sql(
                "a name twice, as text and as bytes",
                "INSERT INTO tally SELECT CAST(recording AS BLOB), verdict, 1, 1, 1, 1, 1 FROM tally"),
            sql("counts that overflow", "UPDATE tally SET loads = 9223372036854775807"),
            sql(
                "times that overflow",
                "UPDATE load SET time = CASE seq % 2 WHEN 0 THEN 9223372036854775807 ELSE -9223372036854775807 END"),
            sql(
                "a row with the largest number",
                "UPDATE load SET seq = 9223372036854775807 WHERE seq = (SELECT max(seq) FROM load)"),
            sql("a row with the smallest number", "UPDATE load SET seq = -9223372036854775808 WHERE seq = 1"),
            sql("a text of 5 MB", "UPDATE load SET entry = entry || hex(zeroblob(2500000)) WHERE seq = 2"),
            sql("a form that is not JSON", "UPDATE form SET text = replace(text, '{', '[')"),
            sql("entries that are not JSON", "UPDATE load SET entry = replace(entry, '0', '{')"),
            sql("no store identity", "DELETE FROM meta"),
            sql("loads without a form", "DELETE FROM form WHERE id = 1"),
            sql(
                "invalid hours of shipping",
                "INSERT INTO shipped VALUES (-1, 'abc'), (9223372036854775807, x'6d696e65')"),
            sql("numbers too large for a double", "UPDATE form SET text = replace(text, ':443', ':1e999')"),
        ]
    }

    private static var schemas: [HostileStore] {
        let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
        return [
            sql(
                "endless view for tally",
                """
                DROP TABLE tally; CREATE VIEW tally AS \(endless) SELECT 'a' AS recording, 'allowed' AS verdict, x AS loads,
                x AS first_time, x AS last_time, x AS first_seq, x AS last_seq FROM c
                """),
            sql(
                "endless view for form",
                """
                DROP TABLE form; CREATE VIEW form AS \(endless) SELECT x AS id, 'a' AS recording, 'h' AS host,
                'allowed' AS verdict, 'ios26' AS os, '{}' AS text, NULL AS handshake FROM c
                """),
            sql(
                "endless view for load",
                """
                DROP TABLE load;
                CREATE VIEW load AS \(endless) SELECT x AS seq, 1 AS form, x AS time, NULL AS rule, 'x' AS entry FROM c
                """),
            sql(
                "endless view for the handshakes",
                """
                DROP TABLE handshake;
                CREATE VIEW handshake AS \(endless) SELECT x AS id, x AS digest, 'x' AS text FROM c
                """),
            sql(
                "a column of gigabytes",
                "ALTER TABLE form ADD COLUMN x GENERATED ALWAYS AS (hex(zeroblob(4e8))) VIRTUAL"),
            sql("a trigger", "CREATE TRIGGER t AFTER INSERT ON load BEGIN DELETE FROM load; END"),
            sql("an index", "CREATE INDEX more ON load (hex(entry))"),
            sql("another table", "CREATE TABLE photos (id)"),
            sql("a missing table", "DROP TABLE handshake"),
            sql("another program's mark", "PRAGMA application_id = 42"),
            sql("another version", "PRAGMA application_id = \(0x4154_5302)"),
        ]
    }

    private static var files: [HostileStore] {
        [
            file("half a file") { $0.removeLast($0.count / 2) },
            file("a page and a half") { $0.removeLast($0.count - 6000) },
            file("only a header") { $0.removeLast($0.count - 100) },
            HostileStore(name: "pages that all point to one page") { path in
                let root = try open(path).read { db in
                    try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'load'") ?? 0
                }
                try changeBytes(of: path) { bytes in
                    let pages = bytes.count / 4096
                    let places = [root] + (0..<6).map { pages + 1 + $0 }
                    bytes += [UInt8](repeating: 0, count: 6 * 4096)
                    for (place, next) in zip(places, places.dropFirst()) { fan(&bytes, page: place, to: next) }
                    let leaf = (places[6] - 1) * 4096
                    bytes[leaf] = 0x0D
                    bytes.replaceSubrange(leaf + 5..<leaf + 7, with: [0x10, 0x00])
                    bytes.replaceSubrange(28..<32, with: withUnsafeBytes(of: UInt32(pages + 6).bigEndian, Array.init))
                }
            },
        ]
    }

    /// Makes an interior page of a table's tree with 200 children, all of them the same page. Source:
    /// sqlite.org/fileformat2.html section 1.6.
    private static func fan(_ bytes: inout [UInt8], page: Int, to child: Int) {
        let start = (page - 1) * 4096
        let pointer = withUnsafeBytes(of: UInt32(child).bigEndian, Array.init)
        var content = 4096
        var cells: [UInt8] = []
        for key in 0..<200 {
            let cell = pointer + (key < 128 ? [UInt8(key)] : [0x80 | UInt8(key >> 7), UInt8(key & 0x7F)])
            content -= cell.count
            bytes.replaceSubrange(start + content..<start + content + cell.count, with: cell)
            cells += [UInt8(content >> 8), UInt8(content & 0xFF)]
        }
        let head: [UInt8] = [0x05, 0, 0, 0, 200, UInt8(content >> 8), UInt8(content & 0xFF), 0] + pointer
        bytes.replaceSubrange(start..<start + head.count + cells.count, with: head + cells)
    }

    /// Opens the file, into which a gate may be recording.
    private static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    private static func sql(_ name: String, _ sql: String) -> HostileStore {
        HostileStore(name: name) { path in
            let database = try open(path)
            try database.writeWithoutTransaction { try $0.execute(sql: sql) }
            try database.close()
        }
    }

    /// Runs SQL while the schema's NOT NULL constraints are removed.
    private static func unchecked(_ name: String, _ sql: String) -> HostileStore {
        HostileStore(name: name) { path in
            let swaps = ["replace(sql, ' NOT NULL', ' CHECK (1=1)')", "replace(sql, ' CHECK (1=1)', ' NOT NULL')"]
            for (swap, statement) in zip(swaps, [sql, ""]) {
                let database = try open(path)
                try database.writeWithoutTransaction { db in
                    try db.execute(sql: "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = \(swap)")
                }
                try database.close()
                guard !statement.isEmpty else { continue }
                let other = try open(path)
                // Some constraints cannot be disabled. Then the variant equals the sound store.
                try? other.writeWithoutTransaction { try $0.execute(sql: statement) }
                try other.close()
            }
        }
    }

    private static func file(_ name: String, _ body: @escaping @Sendable (inout [UInt8]) -> Void) -> HostileStore {
        HostileStore(name: name) { path in try changeBytes(of: path, body) }
    }

    private static func changeBytes(of path: String, _ body: (inout [UInt8]) -> Void) throws {
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        body(&bytes)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }
}
