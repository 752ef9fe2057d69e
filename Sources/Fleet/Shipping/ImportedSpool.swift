public import Postgres
public import Reporting

/// A temporary store with loads that are imported into a shared store.
public enum ImportedSpool {
    /// Gives it an identity that is derived from its loads and recordings, so that repeating an interrupted import
    /// continues it and adds nothing twice. If its recordings were deleted since, it gets a new identity.
    ///
    /// - Parameters:
    ///   - names: the names of its recordings.
    ///   - shared: the recordings of the shared store.
    /// - Throws: `StoreError.nameTaken` if another spool's recording has one of the names; `PostgresError`;
    ///   ``SchemaError``.
    public static func identify(
        _ spool: Spool, names: [String], among shared: Set<String>, at address: PostgresAddress,
        as gate: GateDescription, timeout: Duration
    ) throws {
        let connection = try PostgresConnection(address, as: "atsgate \(gate.version)", timeout: timeout)
        if let complaint = try SchemaState(of: connection).complaint { throw SchemaError(complaint) }
        let first = try spool.first(behind: 0).flatMap { try spool.id(of: $0) } ?? ""
        let last = try spool.last
        let content = [first, try spool.id(of: last) ?? "", "\(last)"] + names.sorted()
        let own = ContentKey.texts(content)
        let rows = try connection.query("SELECT count(*) FROM atsgate.gate WHERE spool = $1", [.uuid(own)])
        let isBegun = try rows[0].int(0) > 0
        let taken = names.first(where: shared.contains)
        if let taken, !isBegun { throw StoreError.nameTaken(path: address.shown, name: taken) }
        let isDeleted = isBegun && taken == nil
        let identity = isDeleted ? PostgresUUID(high: .random(in: 1 ... .max), low: .random(in: 1 ... .max)) : own
        try spool.become(identity.description.replacing("-", with: ""))
    }
}
