internal import CPostgres

extension PostgresConnection {
    /// Sends rows: `sql` is `COPY TABLE (COLUMNS) FROM STDIN (FORMAT binary)`.
    ///
    /// - Parameter rows: writes them; what it has written is sent meanwhile.
    /// - Returns: how many the server took.
    /// - Throws: what `rows` throws, and then no row was taken; ``PostgresError/refused(sqlState:message:)`` where the
    ///   server took none, `23514` when there is no partition for one of them.
    @discardableResult
    public func copyIn(_ sql: String, _ rows: (inout PostgresCopy) throws -> Void) throws -> Int {
        try begin(sql)
        var copy = PostgresCopy(on: self)
        do {
            try rows(&copy)
            try copy.end()
        } catch {
            if isOpen { _ = try? end("the sender has given up") }
            throw error
        }
        return try end(nil)
    }

    /// Sends a COPY, to which the server has to answer that it takes rows. A COPY may take as long as its rows come
    /// and go: each of them is waited for, and not the whole, as `statement_timeout` would.
    private func begin(_ sql: String) throws(PostgresError) {
        let connection = try open()
        // In one message, all of it has one transaction, and each statement a timeout of its own.
        let script =
            "SET LOCAL statement_timeout = 0; \(sql); SET LOCAL statement_timeout = \(Self.statementLimit(patience))"
        guard pq_send_query(connection, script) == 1 else { throw broken() }
        try flush()
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
        throw broken("the server gave no answer to COPY")
    }

    /// Sends a piece of what is copied, all of it.
    func put(_ bytes: UnsafeRawBufferPointer) throws(PostgresError) {
        let connection = try open()
        let begin = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        guard pq_put_copy_data(connection, begin, Int32(bytes.count)) == 1 else { throw broken() }
        try flush()
    }

    /// - Parameter message: why no row is to be taken; nil when all are.
    private func end(_ message: String?) throws(PostgresError) -> Int {
        guard pq_put_copy_end(try open(), message) == 1 else { throw broken() }
        try flush()
        return try finish { $0.command.hasPrefix("COPY") }?.affected ?? 0
    }
}
