import GRDB

/// A connection to a store's file, which may be hostile: each read and write gets as many steps as it can need, and no
/// more.
struct StoreConnection: Sendable {
    let path: String
    private let queue: DatabaseQueue
    private let budget = StepBudget()

    /// The kind of work that determines the number of steps.
    enum Work {
        /// Work that may read the whole file.
        case file
        /// Storing this many loads.
        case loads(Int)
        /// Copying another store, of any size.
        case otherStore
    }

    /// - Parameter configure: additional configuration of this connection.
    init(path: String, _ configure: (inout Configuration) -> Void) throws {
        self.path = path
        var configuration = Configuration()
        configuration.label = "atsgate.store"
        // Another gate may be writing a batch, or a report may be reading.
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { [budget] in
            // On macOS fsync(2) leaves bytes in the drive's memory. No effect elsewhere (SQLite, PRAGMA
            // checkpoint_fullfsync).
            try $0.execute(sql: "PRAGMA checkpoint_fullfsync = 1")
            try StoreGuard.watch($0, budget)
        }
        configure(&configuration)
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    func read<Answer>(_ body: (Database) throws -> Answer) throws -> Answer {
        try queue.read { db in
            begin(.file)
            return try body(db)
        }
    }

    /// Reads without one consistent snapshot. ``read(_:)`` makes the connection `query_only` and back, after which
    /// SQLite 3.40 prepares all its statements again.
    func look<Answer>(_ body: (Database) throws -> Answer) throws -> Answer {
        try queue.unsafeRead { db in
            begin(.file)
            return try body(db)
        }
    }

    func write<Answer>(_ work: Work = .file, _ body: (Database) throws -> Answer) throws -> Answer {
        try queue.write { db in
            begin(work)
            return try body(db)
        }
    }

    /// Reads, with errors that name the file.
    func reading<Answer>(_ body: (Database) throws -> Answer) throws(StoreError) -> Answer {
        do { return try read(body) } catch { throw StoreSchema.explained(error, path: path) }
    }

    /// Writes, with errors that name the file.
    func writing<Answer>(
        _ work: Work = .file, _ body: (Database) throws -> Answer
    ) throws(StoreError) -> Answer {
        do { return try write(work, body) } catch { throw StoreSchema.explained(error, path: path) }
    }

    func writeWithoutTransaction(_ body: (Database) throws -> Void) throws {
        try queue.writeWithoutTransaction { db in
            begin(.file)
            try body(db)
        }
    }

    func close() throws { try queue.close() }

    private func begin(_ work: Work) {
        switch work {
        case .file: budget.begin(bytes: StoreFile.size(path))
        case .loads(let count): budget.begin(loads: count)
        case .otherStore: budget.lift()
        }
    }
}
