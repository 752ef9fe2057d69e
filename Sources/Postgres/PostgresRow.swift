/// A row of ``PostgresRows``, in PostgreSQL's binary format. A value of another size or type than requested is an
/// error, because the server is not trusted.
public struct PostgresRow {
    let rows: PostgresRows
    let index: Int

    /// Returns the value of a column, counted from 0; nil for NULL. Valid as long as the rows are.
    ///
    /// - Throws: ``PostgresError/broken(_:)`` if the column does not exist.
    public func bytes(_ column: Int) throws(PostgresError) -> UnsafeRawBufferPointer? {
        guard let at = Int32(exactly: column), at >= 0, at < rows.columns else {
            throw .broken("the server sent \(rows.columns) columns, so column \(column) does not exist")
        }
        return rows.bytes(index, at)
    }

    public func isNull(_ column: Int) throws(PostgresError) -> Bool { try bytes(column) == nil }

    /// Returns a column read by `read`, as in `orNil(3, row.text)`; nil if it is NULL.
    public func orNil<Value>(
        _ column: Int, _ read: (Int) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value? {
        try isNull(column) ? nil : try read(column)
    }

    public func bool(_ column: Int) throws(PostgresError) -> Bool {
        let bytes = try present(column)
        guard bytes.count == 1 else { throw unlike(column, "a boolean") }
        return bytes[0] != 0
    }

    /// Reads an `int2`, `int4` or `int8`. The `sum` of an `int8` has another type: cast it.
    public func int(_ column: Int) throws(PostgresError) -> Int64 {
        let bytes = try present(column)
        switch bytes.count {
        case 2: return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
        case 4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
        case 8: return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        default: throw unlike(column, "a whole number")
        }
    }

    /// Reads a text. Invalid UTF-8 is repaired; a server with `client_encoding` UTF8 never sends any.
    public func text(_ column: Int) throws(PostgresError) -> String {
        String(decoding: try present(column), as: UTF8.self)
    }

    public func array(_ column: Int) throws(PostgresError) -> [UInt8] { [UInt8](try present(column)) }

    public func uuid(_ column: Int) throws(PostgresError) -> PostgresUUID {
        let bytes = try present(column)
        guard bytes.count == 16 else { throw unlike(column, "a uuid") }
        return PostgresUUID(
            high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    /// Reads a `timestamptz`, in microseconds since 1970.
    public func microseconds(_ column: Int) throws(PostgresError) -> Int64 {
        let bytes = try present(column)
        guard bytes.count == 8 else { throw unlike(column, "a time") }
        let sent = Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        guard let time = PostgresTime.since1970(sent) else { throw unlike(column, "a time") }
        return time
    }

    /// Reads a `timestamptz` in milliseconds, rounded down.
    public func milliseconds(_ column: Int) throws(PostgresError) -> Int64 {
        try microseconds(column).floored(by: 1_000)
    }

    /// Reads a one-dimensional `bigint[]`. Source: PostgreSQL 15, src/backend/utils/adt/arrayfuncs.c, array_send.
    public func int8s(_ column: Int) throws(PostgresError) -> [Int64] {
        let bytes = try present(column)
        var numbers: [Int64] = []
        var place = 20
        while place + 12 <= bytes.count {
            let length = Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: Int32.self))
            guard length == 8 else { throw unlike(column, "a list of numbers") }
            numbers.append(Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: place + 4, as: Int64.self)))
            place += 12
        }
        return numbers
    }

    private func present(_ column: Int) throws(PostgresError) -> UnsafeRawBufferPointer {
        guard let bytes = try bytes(column) else { throw unlike(column, "a value") }
        return bytes
    }

    private func unlike(_ column: Int, _ kind: String) -> PostgresError {
        .broken("the server's column \(column) is not \(kind)")
    }
}
