import GRDB

/// The tables that a store has. A file with any others, a view or a trigger was not made by atsgate, and nothing in it
/// is asked for.
struct StoreTables: Equatable {
    /// One entry of the schema table.
    private struct Entry: Hashable {
        let type: String
        let name: String
        let table: String
        let sql: String?
    }

    private var entries: Set<Entry> = []

    /// What a file says of itself.
    ///
    /// - Throws: `DatabaseError`, and ``StoreRow/Unreadable``.
    init(of db: Database) throws {
        try db.forEachRow("SELECT type, name, tbl_name, sql FROM sqlite_master") { row in
            let sql = try row.textIfAny(3).map(Self.plain)
            entries.insert(Entry(type: try row.text(0), name: try row.text(1), table: try row.text(2), sql: sql))
            return entries.count <= mostEntries
        }
    }

    /// Nobody has written to the file yet.
    var isEmpty: Bool { entries.isEmpty }

    /// Those of a version.
    ///
    /// - Parameter migration: the last that was applied.
    /// - Returns: nil where SQLite cannot make them in memory.
    static func known(after migration: String) -> StoreTables? { all[migration] }

    /// Those of any version.
    static func areKnown(_ tables: StoreTables) -> Bool { all.values.contains(tables) }

    private static let all: [String: StoreTables] = {
        let migrator = StoreSchema.migrator
        var all: [String: StoreTables] = [:]
        for version in migrator.migrations {
            guard let database = try? DatabaseQueue(), (try? migrator.migrate(database, upTo: version)) != nil else {
                continue
            }
            all[version] = try? database.read { try StoreTables(of: $0) }
        }
        return all
    }()

    /// A statement with a blank only where the grammar asks for one.
    private static func plain(_ sql: String) -> String {
        var plain = ""
        var isBlank = false
        for character in sql {
            if character.isWhitespace {
                isBlank = true
                continue
            }
            if isBlank, let last = plain.last, !"(,)".contains(character), !"(,)".contains(last) { plain.append(" ") }
            plain.append(character)
            isBlank = false
        }
        return plain
    }
}

/// More than any version has; nobody needs to read on.
private let mostEntries = 100
