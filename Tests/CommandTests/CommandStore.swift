import Fleet
import PostgresServer

/// The kinds of store that `--store` takes: what commands tell of one, they tell of the other.
enum StoreKind: String, CaseIterable {
    case file, shared

    /// What `--store` is given for a store of its own: a file in the folder of the test, or a new database, as its
    /// superuser.
    func word() throws -> String { self == .file ? "s.sqlite" : try PostgresServer.shared().makeStore() }
}

extension PostgresServer {
    /// Makes a database with an empty store.
    ///
    /// - Returns: its name.
    func makeStoreDatabase() throws -> String {
        try makeDatabase(beginningAs: "a shared store") { _ = try SchemaMigration.run(on: $0) }
    }

    /// - Returns: its address, as the superuser.
    func makeStore() throws -> String { url(database: try makeStoreDatabase()) }
}
