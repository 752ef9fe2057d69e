import Postgres
import Records
import Reporting

/// A load as the server sends it: the columns ``columns``.
struct SharedRow {
    static let columns = "load.time, load.id, load.form, load.rule, load.entry"

    let time: Int64
    let id: UInt128
    let form: PostgresUUID

    init(_ row: PostgresRow, from column: Int = 0) throws(PostgresError) {
        time = try row.microseconds(column)
        id = try row.uuid(column + 1).bits
        form = try row.uuid(column + 2)
    }

    var place: StorePosition { StorePosition(number: time, id: id) }

    /// The row for readers; valid as long as `row` is.
    func scanned(
        _ row: PostgresRow, from column: Int = 0, _ parts: SharedParts
    ) throws(PostgresError) -> ScannedRow {
        ScannedRow(
            place: place, form: parts.number(form), time: time.floored(by: 1000),
            rule: Self.bytes(try row.bytes(column + 3)), entry: Self.bytes(try row.bytes(column + 4)))
    }

    private static func bytes(_ raw: UnsafeRawBufferPointer?) -> UnsafeBufferPointer<UInt8> {
        raw?.bindMemory(to: UInt8.self) ?? UnsafeBufferPointer(start: nil, count: 0)
    }
}

/// An SQL expression that converts microseconds since 1970-01-01 UTC to a time of the server.
func serverTime(_ microseconds: String) -> String {
    "timestamptz '1970-01-01 00:00:00+00' + \(microseconds) * interval '1 microsecond'"
}
