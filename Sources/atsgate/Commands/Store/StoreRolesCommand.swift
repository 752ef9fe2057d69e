import ArgumentParser
import Fleet
import Postgres
import Text

struct StoreRolesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roles",
        abstract: "Creates missing roles, and shows who has which role and how to grant them.",
        discussion: """
            The roles cannot log in: they are granted to logins. Roles belong to the whole server, so they apply to \
            all its databases. --dry-run prints the SQL that creates them, and changes nothing.
            """)

    @OptionGroup var shared: SharedStoreOptions

    @Flag(help: "Only print the SQL.")
    var dryRun = false

    func run() throws {
        guard !dryRun else { return try StoreInitCommand.write(FleetRole.script) }
        try shared.connected { connection, address in
            if try SharedSchema.makeRoles(on: connection) {
                StandardError.writeLine("atsgate: \(address.shown): created the roles")
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
            text += "".padded(to: 20) + (members.isEmpty ? "not granted" : "granted to \(members)") + "\n"
        }
        return text + """

            To create a login for a gate, in psql (other roles work the same way):

            \(FleetRole.writer.grant(to: "gate7", hasLogin: false))
            """
    }
}
