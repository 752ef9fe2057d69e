internal import CPostgres
internal import Text

// Building blocks of statements.
extension PostgresConnection {
    func open() throws(PostgresError) -> OpaquePointer {
        guard let connection else { throw trouble }
        return connection
    }

    /// Closes the connection and returns the reason, in `words` or in libpq's.
    func broken(_ words: String? = nil) -> PostgresError {
        if let connection {
            let told = words ?? String(cString: pq_error_message(connection))
            trouble = .broken(PostgresWords.line(told, without: secrets))
        }
        close()
        return trouble
    }

    private func late() -> PostgresError {
        broken("the server did not answer within \(timeout.milliseconds) ms")
    }

    /// Gives libpq a statement and sends it.
    ///
    /// - Parameter body: calls a function of libpq that returns 1 on success.
    func send(_ body: (OpaquePointer) -> Int32) throws(PostgresError) {
        let connection = try open()
        let limit = ContinuousClock.now + timeout
        deadline = min(limit, end ?? limit)
        budget.start(at: relay?.received ?? 0)
        guard body(connection) == 1 else { throw broken() }
        // Without it, libpq collects all rows of a result first. No effect on statements without rows.
        _ = pq_set_single_row_mode(connection)
        try flush()
    }

    /// Reads what has arrived.
    func consume() throws(PostgresError) {
        guard pq_consume_input(try open()) == 1 else { throw broken() }
        if let complaint = budget.complaint(at: relay?.received ?? 0) { throw broken(complaint) }
    }

    /// Sends what libpq has buffered.
    func flush() throws(PostgresError) {
        let connection = try open()
        while true {
            let left = pq_flush(connection)
            if left == 0 { return }
            let limit = ContinuousClock.now + timeout
            guard left == 1,
                let can = relay?.wait(for: [.reading, .writing], until: min(limit, end ?? limit))
            else { throw left == 1 ? late() : broken() }
            // A server whose output is not read may not read either.
            if can.contains(.reading) { try consume() }
        }
    }

    /// Returns the next result; nil after the last.
    ///
    /// Older versions of libpq read only once per call (changed in 2026, inferred). Part of a TLS record of more than 8
    /// kB, as poolers and other engines write them, could then stay decrypted inside OpenSSL, while the socket was no
    /// longer readable (github.com/ged/ruby-pg/issues/588, github.com/cockroachdb/cockroach/pull/148222,
    /// github.com/supabase/supavisor/pull/993, read 2026-11-23; observed there. libpq 15.20 reads all of it). So this
    /// reads before each wait, and again a moment later if the socket stayed silent, because an older version may be
    /// installed.
    func nextResult() throws(PostgresError) -> OpaquePointer? {
        let connection = try open()
        var moment = shortestMoment
        while pq_is_busy(connection) == 1 {
            try consume()
            guard pq_is_busy(connection) == 1 else { break }
            let now = ContinuousClock.now
            guard now < deadline else { throw late() }
            let isReady = relay?.wait(for: .reading, until: min(deadline, now + moment)) != nil
            moment = isReady ? shortestMoment : min(moment * 2, longestMoment)
        }
        return pq_get_result(connection)
    }

    /// Reads all results, and returns the last one that `isWanted` accepts.
    ///
    /// - Parameter cuts: skips the rest of a result that is too large, instead of closing the connection.
    /// - Throws: the first error among the results.
    @discardableResult
    func finish(
        cuts: Bool = false, _ isWanted: (PostgresRows) -> Bool = { _ in true }
    ) throws(PostgresError) -> PostgresRows? {
        var last: PostgresRows?
        var failure: PostgresError?
        var rows = PostgresRows()
        while let result = try nextResult() {
            switch UInt32(bitPattern: pq_result_status(result)) {
            case PQ_SINGLE_TUPLE.rawValue:
                budget.take(rows.append(result))
                pq_clear(result)
                guard cuts || !rows.isCut else { throw broken("the server sent more rows than a statement may have") }
            case PQ_COMMAND_OK.rawValue, PQ_TUPLES_OK.rawValue, PQ_EMPTY_QUERY.rawValue:
                rows.end(result)
                pq_clear(result)
                if isWanted(rows) { last = rows }
                rows = PostgresRows()
            case PQ_COPY_IN.rawValue, PQ_COPY_OUT.rawValue:
                pq_clear(result)
                throw broken("a statement started COPY unexpectedly")
            default:
                failure = failure ?? refusal(result)
                pq_clear(result)
            }
        }
        if pq_status(try open()) != Int32(bitPattern: PQ_CONNECTION_OK.rawValue) {
            throw broken(failure?.description)
        }
        if let failure { throw failure }
        return last
    }

    /// Returns the error in a result. The letters of its fields: PostgreSQL 15, section 55.8.
    func refusal(_ result: OpaquePointer) -> PostgresError {
        func field(_ letter: Unicode.Scalar) -> String? {
            pq_result_error_field(result, Int32(letter.value)).map { String(cString: $0) }
        }
        guard let state = field("C") else {
            let words = pq_result_error_message(result).map { String(cString: $0) } ?? ""
            return .broken(PostgresWords.line(words, without: secrets))
        }
        let words = [field("M"), field("D"), field("H")].compactMap(\.self).joined(separator: "; ")
        return .refused(sqlState: state.printable, message: PostgresWords.line(words, without: secrets))
    }
}

private let shortestMoment = Duration.milliseconds(1)
private let longestMoment = Duration.seconds(1)
