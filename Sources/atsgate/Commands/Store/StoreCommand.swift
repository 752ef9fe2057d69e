import ArgumentParser
import Fleet
import Foundation
import Postgres
import Text

/// Commands for a store on PostgreSQL that many gates share.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Creates a shared store on PostgreSQL.",
        discussion: """
            Introduction: atsgate explain fleet. To check a store: atsgate doctor --store. Exit code: 0; 64 for an invalid address, or one with a password; 69 \
            when the server cannot be reached or refuses the login or a statement, when its schema is missing, older \
            or newer than this atsgate, or hidden from the login, and when libpq is not installed.
            """,
        subcommands: [StoreInitCommand.self])
}

/// The shared store that a subcommand works on.
struct SharedStoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Its address: postgres://USER@HOST/DATABASE, or any URI that libpq accepts. (default: ATSGATE_STORE)",
            valueName: "uri"))
    var store: String?

    /// The address as given; nil if there is none.
    var named: String? { store ?? ProcessInfo.processInfo.environment["ATSGATE_STORE"] }

    /// - Throws: ``CommandFailure`` with 64.
    func address() throws(CommandFailure) -> PostgresAddress {
        guard let named else { throw .usage("name the shared store: --store postgres://USER@HOST/DATABASE") }
        do { return try PostgresAddress(named) } catch { throw .usage("--store: \(error.description)") }
    }

    /// Opens a connection for `body`, and closes it.
    ///
    /// - Parameter limit: the time limit of all statements together; nil for none.
    /// - Throws: ``CommandFailure``.
    func connected<Answer>(
        limit: Duration? = nil, _ body: (PostgresConnection, PostgresAddress) throws -> Answer
    ) throws -> Answer {
        let address = try address()
        return try address.connected(limit: limit) { try body($0, address) }
    }
}

extension PostgresAddress {
    /// Opens a connection for `body`, and closes it.
    ///
    /// - Parameters:
    ///   - timeout: the time limit of a statement.
    ///   - limit: the time limit of all statements together; nil for none.
    /// - Throws: ``CommandFailure``.
    func connected<Answer>(
        timeout: Duration = .seconds(60), limit: Duration? = nil, _ body: (PostgresConnection) throws -> Answer
    ) throws -> Answer {
        do {
            let connection = try PostgresConnection(
                self, as: "atsgate store", timeout: timeout, dialing: SharedSource.dialingLimit,
                until: limit.map { .now + $0 })
            defer { connection.close() }
            return try body(connection)
        } catch let error as PostgresError {
            throw CommandFailure(error, at: self)
        } catch let error as SchemaError {
            throw CommandFailure(error, at: self)
        }
    }
}

extension CommandFailure {
    /// - Parameter address: the address of the server.
    init(_ error: PostgresError, at address: PostgresAddress) {
        // Without libpq, the address does not matter.
        let words = if case .missingLibrary = error { "\(error)" } else { "\(address.shown): \(error)" }
        self = .unavailable(words)
    }

    /// The server, its schema or the login has a problem; the input is not bad.
    init(_ error: SchemaError, at address: PostgresAddress) {
        self = .unavailable("\(address.shown): \(error)".printable)
    }
}
