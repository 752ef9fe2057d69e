public import Postgres

/// A role of a shared store: a set of rights that is granted to logins. No role can log in itself.
public enum FleetRole: String, Sendable, CaseIterable {
    case owner = "atsgate_owner"
    case writer = "atsgate_writer"
    case reader = "atsgate_reader"
    case viewer = "atsgate_viewer"
    case maintainer = "atsgate_maintainer"

    /// The users of the role and its rights; nil for the owner, which is granted to the maintainer only.
    public var purpose: String? {
        switch self {
        case .owner: nil
        case .writer: "a gate: adds loads, updates its own row, reads policies; cannot read loads"
        case .reader: "people, the live page, watch: reads everything, changes nothing"
        case .viewer: "the page's fleet view: reads only the views, which contain no URL and no client address"
        case .maintainer:
            "an administrator of the store: prunes, pushes policies, renames and deletes recordings"
        }
    }

    /// The roles that the server does not have.
    public static func missing(on connection: PostgresConnection) throws(PostgresError) -> [FleetRole] {
        let rows = try connection.query(
            "SELECT rolname::text FROM pg_catalog.pg_roles WHERE rolname = ANY($1::text[])",
            [.texts(allCases.map(\.rawValue))])
        var there = Set<String>()
        for row in rows { there.insert(try row.text(0)) }
        return allCases.filter { !there.contains($0.rawValue) }
    }

    /// The logins and roles that this role is granted to directly, by name.
    public func members(on connection: PostgresConnection) throws(PostgresError) -> [String] {
        let rows = try connection.query(
            """
            SELECT member.rolname::text FROM pg_catalog.pg_auth_members m
            JOIN pg_catalog.pg_roles granted ON granted.oid = m.roleid
            JOIN pg_catalog.pg_roles member ON member.oid = m.member
            WHERE granted.rolname = $1::text ORDER BY 1
            """, [.text(rawValue)])
        var names: [String] = []
        for row in rows { names.append(try row.text(0)) }
        return names
    }

    /// The psql commands by which an administrator grants the role to a login.
    public func grant(to login: String, hasLogin: Bool) -> String {
        let name = "\"" + login.replacing("\"", with: "\"\"") + "\""
        return (hasLogin ? "" : "CREATE ROLE \(name) LOGIN;\n\\password \(name)\n") + "GRANT \(rawValue) TO \(name);\n"
    }

    /// The psql script that creates the missing roles.
    public static var script: String { "\\set ON_ERROR_STOP on\n\nBEGIN;\n\(SharedSchema.roles)\nCOMMIT;\n" }
}
