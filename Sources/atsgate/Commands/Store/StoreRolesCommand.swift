import ArgumentParser
import Fleet
import Postgres
import Text

struct StoreRolesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roles",
        abstract: "Makes the roles that are missing, and shows who has which, and how to grant them.",
        discussion: """
            None of the roles can log in: they are granted to logins. Roles belong to the whole server, so they serve \
            every database of it. --dry-run prints the SQL that makes them, and changes nothing.
            """)

    @OptionGroup var shared: SharedStoreOptions

    @Flag(help: "Only print the SQL.")
    var dryRun = false

    func run() throws {
        guard !dryRun else { return try StoreInitCommand.write(FleetRole.script) }
        try shared.connected { connection, address in
            if try SchemaMigration.makeRoles(on: connection) {
                StandardError.say("atsgate: \(address.shown): made the roles")
            }
            try StoreInitCommand.write(Self.text(of: connection))
        }
    }

    private static func text(of connection: PostgresConnection) throws -> String {
        var text = ""
        for role in FleetRole.allCases {
            guard let purpose = role.purpose else { continue }
            let members = try role.members(on: connection).map(\.printable).joined(separator: ", ")
            text += "\(role.rawValue.padded(to: 20))\(purpose)\n"
            text += "".padded(to: 20) + (members.isEmpty ? "granted to nobody" : "granted to \(members)") + "\n"
        }
        return text + """

            A login of a gate, in psql; the others alike:

            \(FleetRole.writer.grant(to: "gate7", hasLogin: false))
            """
    }
}
