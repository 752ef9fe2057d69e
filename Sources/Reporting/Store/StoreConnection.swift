import GRDB

/// A connection to a store's file, whoever wrote that: each look and each change has as many steps as it can need, and
/// no more.
struct StoreConnection: Sendable {
    let path: String
    private let queue: DatabaseQueue
    private let budget = StepBudget()

    /// What the steps of a change are for.
    enum Work {
        /// What may look at all of the file.
        case file
        /// So many loads, which are filed.
        case loads(Int)
        /// All that another store holds, however much that is.
        case otherStore
    }

    /// - Parameter configure: what the connection needs besides what all do.
    init(path: String, _ configure: (inout Configuration) -> Void) throws {
        self.path = path
        var configuration = Configuration()
        configuration.label = "atsgate.store"
        // Another gate may be writing a batch, and a report may be reading.
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { [budget] in try StoreGuard.watch($0, budget) }
        configure(&configuration)
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    func read<Answer>(_ body: (Database) throws -> Answer) throws -> Answer {
        try queue.read { db in
            begin(.file)
            return try body(db)
        }
    }

    /// The same for statements that need not see one state of the file. After `read`, which makes the connection
    /// `query_only` and back, SQLite 3.40 prepares each of its statements anew.
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

    /// A look whose errors name the file.
    func reading<Answer>(_ body: (Database) throws -> Answer) throws(StoreError) -> Answer {
        do { return try read(body) } catch { throw StoreSchema.explained(error, path: path) }
    }

    /// The same of a change.
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

    /// Brings the tables up to date.
    func migrate() throws {
        begin(.file)
        try StoreSchema.migrator.migrate(queue)
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
