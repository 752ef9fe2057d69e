internal import CPostgres

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The result of a statement. Rows are valid as long as this object or one of them is kept.
///
/// libpq hands over each row alone and has no memory limit, so rows are copied here and counted.
public final class PostgresRows: RandomAccessCollection {
    /// The number of rows that an INSERT, UPDATE, DELETE or COPY changed, or a SELECT found; 0 for other statements.
    public private(set) var affected = 0
    /// True if the result was too large, and only its first rows were kept.
    public private(set) var isCut = false
    /// The statement's command tag from the server, for example `COMMIT`.
    private(set) var command = ""
    private(set) var columns: Int32 = 0
    public private(set) var endIndex = 0
    /// The ends of the values of all rows, one after the other; negative, and one less, for NULL.
    private var ends: [Int32] = []
    private var memory: UnsafeMutableRawPointer?
    private var (used, capacity) = (0, 0)

    public var startIndex: Int { 0 }

    init() {}

    deinit { free(memory) }

    public subscript(index: Int) -> PostgresRow {
        precondition(indices.contains(index))
        return PostgresRow(rows: self, index: index)
    }

    /// Copies the rows of a result. Once the limits are reached, it only counts.
    ///
    /// - Returns: the size of the rows on the wire (PostgreSQL 15, section 55.7, DataRow).
    func append(_ result: OpaquePointer) -> Int {
        let (rows, columns) = (pq_ntuples(result), pq_nfields(result))
        var size = 0
        for row in 0..<rows {
            let bytes = (0..<columns).reduce(0) { $0 + Int(pq_getlength(result, row, $1)) }
            size += 7 + 4 * Int(columns) + bytes
            // A server that changes the number of columns is no longer read.
            isCut =
                isCut || endIndex == AnswerBudget.mostRows || used + bytes > AnswerBudget.mostRowBytes
                || (endIndex > 0 && columns != self.columns) || !reserve(bytes)
            guard !isCut else { continue }
            self.columns = columns
            for column in 0..<columns { append(result, row, column) }
            endIndex += 1
        }
        return size
    }

    private func append(_ result: OpaquePointer, _ row: Int32, _ column: Int32) {
        guard pq_getisnull(result, row, column) == 0, let value = pq_getvalue(result, row, column) else {
            return ends.append(-1 - Int32(used))
        }
        let count = Int(pq_getlength(result, row, column))
        if let memory, count > 0 { memcpy(memory + used, value, count) }
        used += count
        ends.append(Int32(used))
    }

    /// Makes room. realloc(3) moves large blocks without copying them, and what is not written takes no memory.
    private func reserve(_ bytes: Int) -> Bool {
        guard capacity - used < bytes || memory == nil else { return true }
        let larger = Swift.max(capacity * 2, used + bytes, 1_024)
        guard let moved = realloc(memory, larger) else { return false }
        (memory, capacity) = (moved, larger)
        return true
    }

    /// Notes the end of the statement.
    func end(_ result: OpaquePointer) {
        command = pq_cmd_status(result).map { String(cString: $0) } ?? ""
        affected = pq_cmd_tuples(result).flatMap { Int(String(cString: $0)) } ?? 0
    }

    func bytes(_ row: Int, _ column: Int32) -> UnsafeRawBufferPointer? {
        let at = row * Int(columns) + Int(column)
        guard let memory, ends[at] >= 0 else { return nil }
        let begin = at == 0 ? 0 : Self.place(ends[at - 1])
        return UnsafeRawBufferPointer(start: memory + begin, count: Int(ends[at]) - begin)
    }

    private static func place(_ end: Int32) -> Int { Int(end < 0 ? -1 - end : end) }
}

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

/// The bytes that a server may send for a statement, and in the life of a connection. A server is not trusted with the
/// memory of this process: with the buffers of libpq, all limits together come to less than 64 MiB.
struct AnswerBudget {
    /// Rows of a statement.
    static let mostRows = 200_000
    /// Bytes of a statement's rows that are kept.
    static let mostRowBytes = 20 << 20
    /// Bytes since the last complete row; libpq holds them until it is complete. A row has at most 1 MiB
    /// (Sources/Fleet/Schema/schema.sql).
    private static let mostPending = 4 << 20
    /// Bytes that were neither rows nor expected, in the life of a connection: libpq keeps some of them for that long.
    private static let mostSurplus = 4 << 20
    /// Expected bytes of a statement in addition to its rows, which include the names of its columns; of the rows' own
    /// bytes TLS takes less than an eighth.
    private static let usualBytes = 4 << 10
    /// Bytes from the server until a connection is ready.
    static let mostGreeting = 1 << 20

    private var begin = 0
    private var rowBytes = 0
    private var surplus = 0

    /// Settles the last statement, and begins another.
    ///
    /// - Parameter received: bytes from the server so far.
    mutating func start(at received: Int) {
        surplus += max(0, received - begin - rowBytes - rowBytes / 8 - Self.usualBytes)
        (begin, rowBytes) = (received, 0)
    }

    /// A row or notification was taken from libpq, which has released it.
    ///
    /// - Parameter bytes: its size on the wire.
    mutating func take(_ bytes: Int) { rowBytes += bytes }

    /// The reason to close the connection, or nil.
    func complaint(at received: Int) -> String? {
        guard received - begin - rowBytes > Self.mostPending || surplus > Self.mostSurplus else { return nil }
        return "the server sent more than an answer may have"
    }
}
