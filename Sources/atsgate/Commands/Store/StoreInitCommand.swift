import ArgumentParser
import Fleet
import Postgres
import Text

struct StoreInitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Creates the roles and the schema, if they are missing.",
        discussion: """
            The login must be allowed to create roles, and schemas in the database. Can be run again at any time, also \
            by several machines at once; gates keep recording. --dry-run prints the missing parts as SQL, for psql -f \
            FILE; without --store, all of it.

            The roles cannot log in: they are granted to logins. They belong to the whole server, so they apply to all \
            its databases. --roles creates only them, and shows which logins have each role and how to grant them.
            """)

    @OptionGroup var shared: SharedStoreOptions

    @Flag(help: "Create only the roles, and show the logins that have them.")
    var roles = false

    @Flag(help: "Only print the SQL.")
    var dryRun = false

    func run() throws {
        if roles { return try makeRoles() }
        if dryRun, shared.named == nil { return try Self.write(SharedSchema.script(for: .absent, lacksRoles: true)) }
        try shared.connected { connection, address in
            guard !dryRun else {
                let state = try SchemaState(of: connection)
                if case .other = state { throw CommandFailure.unavailable(state.complaint ?? "") }
                let lacksRoles = try !FleetRole.missing(on: connection).isEmpty
                return try Self.write(SharedSchema.script(for: state, lacksRoles: lacksRoles))
            }
            let made = try addingAdvice { try SharedSchema.make(on: connection) }
            let what = made.isEmpty ? "already up to date" : "created \(made.joined(separator: ", "))"
            StandardError.writeLine("atsgate: \(address.shown): \(what)")
            if made.contains("roles") {
                StandardError.writeLine("atsgate: to grant the roles: atsgate store init --roles")
            }
        }
    }

    private func makeRoles() throws {
        guard !dryRun else { return try Self.write(FleetRole.script) }
        try shared.connected { connection, address in
            if try SharedSchema.makeRoles(on: connection) {
                StandardError.writeLine("atsgate: \(address.shown): created the roles")
            }
            try Self.write(Self.roles(of: connection))
        }
    }

    private static func roles(of connection: PostgresConnection) throws -> String {
        var text = ""
        for role in FleetRole.allCases {
            guard let purpose = role.purpose else { continue }
            let members = try role.members(on: connection).map(\.printable).joined(separator: ", ")
            text += "\(role.rawValue.padded(to: 20))\(purpose)\n"
            text += "".padded(to: 20) + (members.isEmpty ? "not granted" : "granted to \(members)") + "\n"
        }
        return text + """

            To create a login for a gate, in psql (other roles work the same way):

            \(FleetRole.writer.grant(to: "gate7", hasLogin: false))
            """
    }

    /// Writes text to standard output.
    static func write(_ text: String) throws {
        try Output.withOutput(to: nil) { try $0.write(Array(text.utf8)) }
    }

    /// Adds advice to a refusal of the server: an administrator can run the SQL with psql. SQLSTATE 42501 is
    /// insufficient_privilege.
    private func addingAdvice<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch PostgresError.refused("42501", let message) {
            throw PostgresError.refused(
                sqlState: "42501",
                message: "\(message); an administrator can run the output of atsgate store init --dry-run")
        }
    }
}
