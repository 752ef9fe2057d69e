import Resources

/// A step on the way to the schema of today: one transaction, and a row of the table `step` when it is made.
///
/// Steps are frozen once shipped: never change one, only add.
public struct SchemaStep: Sendable, Hashable {
    /// As the table `step` has it: `1-tables`.
    public let name: String

    /// What PostgreSQL is given, as its owner `atsgate_owner`; a DBA may read and run it.
    public var sql: String { Resource("fleet/\(name).sql").text }

    /// Every step, in the order in which they are made.
    public static let all = [
        "1-tables", "2-functions", "3-views", "4-rights", "5-policies", "6-bounds",
        "7-copies", "8-days", "9-exports", "10-guards",
    ].map(SchemaStep.init)

    /// Makes the roles that are missing, for who may create roles. Not a step: roles belong to the server, not to a database.
    static var roles: String { Resource("fleet/roles.sql").text }

    /// Makes the schema and the list of steps, and ends as the owner of both. Not a step: it is what steps are written into.
    static var beginning: String { Resource("fleet/begin.sql").text }
}
