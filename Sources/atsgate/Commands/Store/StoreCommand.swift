import ArgumentParser
import Fleet
import Foundation
import Postgres
import Text

/// A store on PostgreSQL that many gates share: made, looked at, and who may do what in it.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Makes and checks a store on PostgreSQL that many gates share.",
        discussion: """
            The walk-through: atsgate explain fleet. Exit code: 0; 64 for what is no address, or has a password in it; 69 \
            when the server cannot be reached or refuses the login or a statement, when its schema is missing, older \
            or newer than this atsgate, or hidden from the login, and when libpq is not installed.
            """,
        subcommands: [StoreInitCommand.self, StoreCheckCommand.self, StoreRolesCommand.self])
}

/// The shared store that a subcommand works on.
struct SharedStoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where it is: postgres://USER@HOST/DATABASE, or any URI that libpq takes. Else ATSGATE_STORE.",
            valueName: "uri"))
    var store: String?

    /// What was named; nil where nothing was.
    var named: String? { store ?? ProcessInfo.processInfo.environment["ATSGATE_STORE"] }

    /// - Throws: ``CommandFailure`` with 64.
    func address() throws(CommandFailure) -> PostgresAddress {
        guard let named else { throw .usage("name the shared store: --store postgres://USER@HOST/DATABASE") }
        do { return try PostgresAddress(named) } catch { throw .usage("--store: \(error.description)") }
    }

    /// Hands over a connection, and ends it.
    ///
    /// - Parameter patience: how long a statement may take.
    /// - Throws: ``CommandFailure``.
    func connected<Answer>(
        patience: Duration = .seconds(60), _ body: (PostgresConnection, PostgresAddress) throws -> Answer
    ) throws -> Answer {
        let address = try address()
        do {
            let connection = try PostgresConnection(address, as: "atsgate store", patience: patience)
            defer { connection.close() }
            return try body(connection, address)
        } catch let error as PostgresError {
            throw CommandFailure(error, at: address)
        } catch let error as SchemaError {
            throw CommandFailure(error, at: address)
        }
    }
}

extension CommandFailure {
    /// - Parameter address: of the server that it was about.
    init(_ error: PostgresError, at address: PostgresAddress) {
        // A machine without libpq says so whatever the address.
        let words = if case .missingLibrary = error { "\(error)" } else { "\(address.shown): \(error)" }
        self = .unavailable(words)
    }

    /// The server, its schema or the login is not as it has to be: nothing that was given as input is bad.
    init(_ error: SchemaError, at address: PostgresAddress) {
        self = .unavailable("\(address.shown): \(error)".printable)
    }
}
