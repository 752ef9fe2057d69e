import GRDB
import Records

/// A temporary store with rows of a shared store, which the readers of files then read.
package struct PulledStore: Sendable {
    private let database: StoreConnection

    /// - Throws: ``StoreError``.
    package init() throws(StoreError) {
        do {
            // An empty path is a temporary file without a name, which SQLite writes only if its cache is full
            // (sqlite.org/inmemorydb.html).
            database = try StoreConnection(path: "") { _ in }
            try database.write { try StoreSchema.make(in: $0) }
        } catch {
            throw StoreSchema.explained(error, path: "a temporary store")
        }
    }

    /// The rows as a store, without gates.
    package var source: any StoreSource { FileSource(database) }

    /// Adds rows in one transaction.
    package func fill(_ body: (inout Writer) throws -> Void) throws {
        try database.write { db in
            var writer = try Writer(db)
            try body(&writer)
            try writer.tallies.write(to: db)
        }
    }

    package func read<Answer>(counter: WorkCounter, _ body: (StoreView) throws -> Answer) throws -> Answer {
        do { return try database.read { try body(StoreView($0, counter: counter)) } } catch {
            guard error is StoreRow.Unreadable else { throw error }
            throw StoreSchema.explained(error, path: "the shared store")
        }
    }

    /// Calls `body` with the loads, in the order in which they were added.
    ///
    /// - Parameter body: returns true to continue.
    package func forEachLoad(_ body: (LoadRow) throws -> Bool) throws {
        try read(counter: WorkCounter()) { view in
            try view.forEachRow(of: LoadQuery(RecordFilter(), in: view), body)
        }
    }

    package struct Writer {
        fileprivate let db: Database
        fileprivate var tallies = BatchTallies()
        private var insert: LoadInsert

        fileprivate init(_ db: Database) throws {
            self.db = db
            insert = try LoadInsert(db)
        }

        /// Adds a handshake.
        ///
        /// - Returns: its number here.
        package mutating func addHandshake(_ text: String) throws -> Int64 {
            try db.cachedStatement(sql: "INSERT INTO handshake (digest, text) VALUES (0, ?)").execute(arguments: [text])
            return db.lastInsertedRowID
        }

        /// Adds a shared row.
        ///
        /// - Parameters:
        ///   - values: of ``SpooledRow/sharedColumns``.
        ///   - handshake: the number of its handshake here.
        /// - Returns: its number here.
        package mutating func addShared(_ values: [String?], handshake: Int64?) throws -> Int64 {
            let columns = SpooledRow.sharedColumns.joined(separator: ", ")
            try db.cachedStatement(
                sql: """
                    INSERT INTO shared (digest, handshake, \(columns))
                    VALUES (0, ?, \(LoadConditions.marks(values.count)))
                    """
            ).execute(arguments: [handshake] + StatementArguments(values))
            return db.lastInsertedRowID
        }

        /// - Parameter values: of ``SpooledRow/diagnosisColumns``.
        package mutating func addDiagnosis(_ values: [String?]) throws -> Int64 {
            try db.cachedStatement(sql: "INSERT INTO diagnosis (digest, rule, text) VALUES (0, ?, ?)").execute(
                arguments: StatementArguments(values))
            return db.lastInsertedRowID
        }

        /// - Parameter time: when it began, in milliseconds since 1970-01-01 UTC.
        package mutating func addRecording(_ name: String, begun time: Int64) throws {
            try StoreWriter.begin(name, at: time, in: db)
        }

        package mutating func add(_ load: LoadColumns) throws {
            try insert.add(load)
            tallies.add(load, number: insert.last)
        }

        /// Adds the number of loads of a shared row and a diagnosis, without the loads.
        ///
        /// - Parameter times: when the first and the last began, in milliseconds since 1970-01-01 UTC.
        package mutating func addTally(
            _ shared: Int64, _ diagnosis: Int64, loads: Int64, times: ClosedRange<Int64>
        ) throws {
            try db.cachedStatement(sql: "INSERT INTO tally VALUES (?, ?, ?, ?, ?, 0, 0)").execute(arguments: [
                shared, diagnosis, loads, times.lowerBound, times.upperBound,
            ])
        }
    }
}
