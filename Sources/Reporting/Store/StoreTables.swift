import GRDB

/// The tables of a store. A file with any other table, a view or a trigger was not made by atsgate, and is not queried.
struct StoreTables: Equatable {
    /// One entry of the schema table.
    private struct Entry: Hashable {
        let type: String
        let name: String
        let table: String
        let sql: String?
    }

    private var entries: Set<Entry> = []

    /// Reads a file's schema table.
    ///
    /// - Throws: `DatabaseError`, and ``StoreRow/Unreadable``.
    init(of db: Database) throws {
        try db.forEachRow("SELECT type, name, tbl_name, sql FROM sqlite_master") { row in
            let sql = try row.textIfAny(3).map(Self.plain)
            entries.insert(Entry(type: try row.text(0), name: try row.text(1), table: try row.text(2), sql: sql))
            return entries.count <= mostEntries
        }
    }

    /// True if no tables were made in the file yet.
    var isEmpty: Bool { entries.isEmpty }

    /// The tables that atsgate makes; nil if SQLite cannot make them in memory.
    static let ours: StoreTables? = {
        guard let database = try? DatabaseQueue() else { return nil }
        return try? database.write { db in
            try StoreSchema.make(in: db)
            return try StoreTables(of: db)
        }
    }()

    /// A statement without the whitespace that the grammar does not need.
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

/// More entries than a store has. Reading stops there.
private let mostEntries = 100
