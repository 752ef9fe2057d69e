public import Postgres
public import Reporting

/// A spool that was copied, and to which other loads came than to the first.
public enum SpoolCopy {
    /// Gives it an identity of its own, under which the loads that came to it are shipped. Those that the file knows to have
    /// been shipped before it was copied are not shipped again.
    ///
    /// - Throws: ``ShippingError/noCopy(path:)``; as ``Shipping/init(_:to:as:patience:)``.
    public static func separate(
        _ spool: Spool, at address: PostgresAddress, as gate: GateDescription, patience: Duration
    ) throws {
        let connection = try PostgresConnection(address, as: "atsgate \(gate.version)", patience: patience)
        if let complaint = try SchemaState(of: connection).complaint { throw SchemaError(complaint) }
        guard let old = GateRow(identity: spool.identity) else { throw ShippingError.foreign(path: spool.path) }
        do {
            _ = try SpoolPlace(old.begin(gate, spoolPath: spool.path, on: connection), of: spool)
            throw ShippingError.noCopy(path: spool.path)
        } catch ShippingError.copied {
            // So it is one.
        }
        let new = GateRow(spool: PostgresUUID(high: .random(in: 1 ... .max), low: .random(in: 1 ... .max)))
        let mark = try spool.mark
        let place = GateRow.Place(number: mark?.number ?? 0, id: mark?.id.flatMap { PostgresUUID(load: $0) })
        // The server first: an identity without a row would have all shipped again.
        _ = try new.begin(gate, spoolPath: spool.path, at: place, on: connection)
        try spool.become(new.spool.description.replacing("-", with: ""))
    }
}
