internal import CPostgres

extension PostgresConnection {
    /// Sends rows with `sql`: `COPY TABLE (COLUMNS) FROM STDIN (FORMAT binary)`.
    ///
    /// - Parameter rows: writes the rows; they are sent while it runs.
    /// - Returns: the number of rows that the server stored.
    /// - Throws: the error of `rows`, and then no row was stored; ``PostgresError/refused(sqlState:message:)`` if the
    ///   server stored none, `23514` if there is no partition for a row.
    @discardableResult
    public func copyIn(_ sql: String, _ rows: (inout PostgresCopy) throws -> Void) throws -> Int {
        try begin(sql)
        var copy = PostgresCopy(on: self)
        do {
            try rows(&copy)
            try copy.end()
        } catch {
            if isOpen { _ = try? end("the sender stopped with an error") }
            throw error
        }
        return try end(nil)
    }

    /// Sends a COPY and waits until the server accepts rows. It turns off `statement_timeout`, because a COPY
    /// may take as long as its rows; each wait for the server has a limit instead.
    private func begin(_ sql: String) throws(PostgresError) {
        // A single message runs in one transaction, and gives each statement its own timeout.
        let script =
            "SET LOCAL statement_timeout = 0; \(sql); SET LOCAL statement_timeout = \(Self.statementLimit(timeout))"
        try send { pq_send_query($0, script) }
        while let result = try nextResult() {
            defer { pq_clear(result) }
            switch pq_result_status(result) {
            case Int32(bitPattern: PQ_COPY_IN.rawValue): return
            case Int32(bitPattern: PQ_COMMAND_OK.rawValue): continue
            default:
                let failure = refusal(result)
                try finish()
                throw failure
            }
        }
        throw broken("the server did not answer COPY")
    }

    /// Sends all of a piece of the rows.
    func put(_ bytes: UnsafeRawBufferPointer) throws(PostgresError) {
        let connection = try open()
        let begin = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        guard pq_put_copy_data(connection, begin, Int32(bytes.count)) == 1 else { throw broken() }
        try flush()
    }

    /// - Parameter message: the reason to discard all rows; nil to store them.
    private func end(_ message: String?) throws(PostgresError) -> Int {
        try send { pq_put_copy_end($0, message) }
        return try finish { $0.command.hasPrefix("COPY") }?.affected ?? 0
    }
}
