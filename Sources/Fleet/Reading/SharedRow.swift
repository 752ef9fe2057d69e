import Postgres
import Records
import Reporting

/// A load as a server sends it: ``columns`` from a first column on.
struct SharedRow {
    static let columns = "load.time, load.id, load.form, load.rule, load.entry"

    let time: Int64
    let id: UInt128
    let form: PostgresUUID

    init(_ row: some PostgresCells, from column: Int = 0) throws(PostgresError) {
        time = try row.microseconds(column)
        id = try row.uuid(column + 1).bits
        form = try row.uuid(column + 2)
    }

    var place: StorePlace { StorePlace(number: time, id: id) }

    /// The row for readers, as long as `row` is valid.
    func scanned(
        _ row: some PostgresCells, from column: Int = 0, _ parts: SharedParts
    ) throws(PostgresError) -> ScannedRow {
        ScannedRow(
            place: place, form: parts.number(form), time: time.floored(by: 1000),
            rule: Self.bytes(try row.bytes(column + 3)), entry: Self.bytes(try row.bytes(column + 4)))
    }

    private static func bytes(_ raw: UnsafeRawBufferPointer?) -> UnsafeBufferPointer<UInt8> {
        raw?.bindMemory(to: UInt8.self) ?? UnsafeBufferPointer(start: nil, count: 0)
    }
}

extension PostgresCells {
    /// Of a `timestamptz`, in microseconds since 1970-01-01 UTC.
    func microseconds(_ column: Int) throws(PostgresError) -> Int64 {
        guard let bytes = try bytes(column), bytes.count == 8 else {
            throw .broken("the server's column \(column) is not a time")
        }
        // Since 2000-01-01 (PostgreSQL 15, src/include/datatype/timestamp.h).
        let time = Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        let (sum, isOver) = time.addingReportingOverflow(946_684_800_000_000)
        guard !isOver else { throw .broken("the server's column \(column) is no time of a calendar") }
        return sum
    }
}

extension Int64 {
    /// The whole part of the quotient, below 0 too.
    func floored(by divisor: Int64) -> Int64 { self >= 0 ? self / divisor : (self + 1) / divisor - 1 }
}

/// Microseconds since 1970-01-01 UTC as a time of the server.
func serverTime(_ microseconds: String) -> String {
    "timestamptz '1970-01-01 00:00:00+00' + \(microseconds) * interval '1 microsecond'"
}
