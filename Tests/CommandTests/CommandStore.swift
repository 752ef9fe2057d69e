import Fleet
import PostgresServer

/// The kinds of store that `--store` accepts. Commands report the same about both.
enum StoreKind: String, CaseIterable {
    case file, shared

    /// The value of `--store` for a new store: a file in the test's folder, or a new database with its superuser.
    func word() throws -> String { self == .file ? "s.sqlite" : try PostgresServer.shared().makeStore() }
}

extension PostgresServer {
    /// Makes a database with an empty store.
    ///
    /// - Returns: The name of the database.
    func makeStoreDatabase() throws -> String {
        try makeDatabase(beginningAs: "a shared store") { _ = try SharedSchema.make(on: $0) }
    }

    /// - Returns: The store's address for the superuser.
    func makeStore() throws -> String { url(database: try makeStoreDatabase()) }
}
