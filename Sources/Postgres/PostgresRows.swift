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
