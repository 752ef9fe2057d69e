import Resources

/// One migration of the schema: a transaction that also adds a row to the table `step`.
///
/// Steps are frozen once shipped: never change one, only add.
public struct SchemaStep: Sendable, Hashable {
    /// Its name in the table `step`: `1-tables`.
    public let name: String

    /// The statements, which run as the owner `atsgate_owner`; a DBA may read and run them.
    public var sql: String { Resource("fleet/\(name).sql").text }

    /// All steps, in order.
    public static let all = [
        "1-tables", "2-functions", "3-views", "4-rights", "5-policies", "6-bounds",
        "7-copies", "8-days", "9-exports", "10-guards",
    ].map(SchemaStep.init)

    /// Creates the missing roles; needs a login that may create roles. Not a step: roles belong to the server, not to a
    /// database.
    static var roles: String { Resource("fleet/roles.sql").text }

    /// Creates the schema and the table of steps, and ends as their owner. Not a step, because it creates the table of
    /// steps.
    static var beginning: String { Resource("fleet/begin.sql").text }
}
