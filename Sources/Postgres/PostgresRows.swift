internal import CPostgres

/// The result of a statement. Rows are valid as long as this object or one of them is kept.
public final class PostgresRows: RandomAccessCollection {
    private let result: OpaquePointer
    public let endIndex: Int
    let columns: Int32

    public var startIndex: Int { 0 }

    init(_ result: OpaquePointer) {
        self.result = result
        endIndex = Int(pq_ntuples(result))
        columns = pq_nfields(result)
    }

    deinit { pq_clear(result) }

    public subscript(index: Int) -> PostgresRow {
        precondition(indices.contains(index))
        return PostgresRow(rows: self, index: Int32(index))
    }

    /// The number of rows that an INSERT, UPDATE, DELETE or COPY changed, or a SELECT found; 0 for other statements.
    public var affected: Int { pq_cmd_tuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// The statement's command tag from the server, for example `COMMIT`.
    var command: String { pq_cmd_status(result).map { String(cString: $0) } ?? "" }

    func bytes(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer? {
        guard pq_getisnull(result, row, column) == 0, let value = pq_getvalue(result, row, column) else { return nil }
        return UnsafeRawBufferPointer(start: value, count: Int(pq_getlength(result, row, column)))
    }
}
