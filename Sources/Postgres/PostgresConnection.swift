internal import CPostgres
internal import Text

/// A connection to a PostgreSQL server. Calls block, none longer than its patience, and must not overlap: it belongs to
/// one thread or one serial queue.
///
/// Once a call has thrown ``PostgresError/broken(_:)`` the connection is closed, and every later call throws that
/// again.
public final class PostgresConnection {
    /// How long a statement may take.
    let timeout: Duration
    /// When every call ends; nil if only the patience counts.
    let end: ContinuousClock.Instant?
    /// When the pending statement ends.
    var deadline = ContinuousClock.now
    /// The way to the server; nil once the connection is closed.
    var relay: ServerRelay?
    var budget = AnswerBudget()
    var connection: OpaquePointer?
    /// The error of every call once the connection is closed.
    var trouble = PostgresError.broken("the connection is closed")
    /// Secrets that no message may contain.
    let secrets: [String]

    /// Connects to the first of several hosts that answers.
    ///
    /// - Parameters:
    ///   - name: `application_name`, by which the server's administrator can recognize the gate.
    ///   - timeout: limit for each call; name lookups may take longer, up to the system's limit.
    ///   - dialing: limit for each host until the connection is ready; nil to use `timeout`.
    ///   - end: the end of every call on this connection, in addition to `timeout`; nil for none.
    /// - Throws: ``PostgresError/missingLibrary(_:)`` and ``PostgresError/unreachable(_:)``.
    public init(
        _ address: PostgresAddress, as name: String, timeout: Duration, dialing: Duration? = nil,
        until end: ContinuousClock.Instant? = nil
    ) throws(PostgresError) {
        if let missing = PostgresLibrary.missing { throw .missingLibrary(missing) }
        let limit = min(dialing ?? timeout, end.map { max(.zero, $0 - .now) } ?? timeout)
        let handle = try PostgresDial(address, as: name, timeout: timeout).connect(within: limit)
        (self.timeout, self.end) = (timeout, end)
        (connection, secrets, relay) = (handle.connection, handle.secrets, handle.relay)
        do {
            try run(Self.beginning(timeout))
        } catch {
            throw .unreachable(error.description)
        }
    }

    deinit { close() }

    /// Closes the connection. The server aborts what is running. Can be called again.
    public func close() {
        connection.map { pq_finish($0) }
        connection = nil
        // Sends libpq's last bytes.
        relay = nil
    }

    /// The server's version as a number: 150018 is 15.18.
    public var serverVersion: Int { connection.map { Int(pq_server_version($0)) } ?? 0 }

    /// True until the connection is closed, by ``close()`` or by an error.
    public var isOpen: Bool { connection != nil }

    /// The settings of each connection. If a gate loses power, the server releases its locks within a minute
    /// (PostgreSQL 15, sections 20.3.2 and 20.11.1).
    private static func beginning(_ timeout: Duration) -> String {
        """
        SET search_path = atsgate, pg_catalog;
        SET statement_timeout = \(Self.statementLimit(timeout));
        SET client_min_messages = warning;
        SET tcp_keepalives_idle = 30;
        SET tcp_keepalives_interval = 10;
        SET tcp_keepalives_count = 3;
        """
    }

    /// The server's time limit for a statement, in milliseconds: a second less than the patience, or half of a short
    /// one. So the error arrives in time, and the connection stays usable.
    static func statementLimit(_ timeout: Duration) -> Int64 {
        max(1, timeout.milliseconds / 2, timeout.milliseconds - 1_000)
    }

    /// Runs statements separated by semicolons, in a separate transaction unless one is open.
    ///
    /// - Throws: ``PostgresError/refused(sqlState:message:)`` of the first that failed; those after it did not run.
    public func run(_ script: String) throws(PostgresError) {
        try send { pq_send_query($0, script) }
        try finish()
    }

    /// Runs one statement.
    ///
    /// - Parameter values: the values of `$1`, `$2` and so on.
    /// - Throws: ``PostgresError/broken(_:)`` also for a result of more than 200,000 rows or 20 MiB.
    public func query(_ sql: String, _ values: [PostgresValue] = []) throws(PostgresError) -> PostgresRows {
        try query(sql, values, cuts: false)
    }

    /// Runs one statement, and returns only the first rows of a result that is too large for ``query(_:_:)``.
    public func cutQuery(_ sql: String, _ values: [PostgresValue] = []) throws(PostgresError) -> PostgresRows {
        try query(sql, values, cuts: true)
    }

    private func query(_ sql: String, _ values: [PostgresValue], cuts: Bool) throws(PostgresError) -> PostgresRows {
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for value in values {
            value.append(to: &bytes)
            // Gives an empty value an address, too.
            bytes.append(0)
            ends.append(bytes.count)
        }
        let begins = [0] + ends.dropLast()
        try send { connection in
            bytes.withUnsafeBufferPointer { all in
                let places = values.indices.map { at -> UnsafePointer<CChar>? in
                    guard values[at] != .null, let base = all.baseAddress else { return nil }
                    return UnsafeRawPointer(base + begins[at]).assumingMemoryBound(to: CChar.self)
                }
                return pq_send_query_params(
                    connection, sql, Int32(values.count), values.map(\.type), places,
                    values.indices.map { Int32(ends[$0] - begins[$0] - 1) }, values.map { _ in 1 }, 1)
            }
        }
        guard let rows = try finish(cuts: cuts) else { throw broken("the server did not answer a statement") }
        return rows
    }

    /// The access of a transaction.
    public enum Kind: String, Sendable {
        /// Reads and writes, PostgreSQL's default.
        case writing = "BEGIN"
        /// Reads only, as of its first statement.
        case snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    }

    /// Runs `body` in a transaction: all of it takes effect, or nothing if it throws.
    ///
    /// - Throws: the error of `body`; ``PostgresError/broken(_:)`` also if it is unknown whether it took effect,
    ///   because the answer to COMMIT was lost; ``PostgresError/refused(sqlState:message:)`` with `25P02` if `body`
    ///   continued after a failed statement, so that the server did not commit.
    public func transaction<Value>(_ kind: Kind = .writing, _ body: () throws -> Value) throws -> Value {
        try run(kind.rawValue)
        let value: Value
        do {
            value = try body()
        } catch {
            // Only the first error is reported. If ROLLBACK fails, too, the server rolls back when the connection ends.
            if isOpen { try? run("ROLLBACK") }
            throw error
        }
        // The server answers COMMIT of a failed transaction with ROLLBACK, not with an error (PostgreSQL 15, COMMIT).
        let answer = try query("COMMIT").command
        guard answer == "COMMIT" else {
            throw PostgresError.refused(sqlState: "25P02", message: "a statement failed, so the server did not commit")
        }
        return value
    }

    /// Waits for a NOTIFY on a channel with LISTEN, and returns its payload.
    ///
    /// - Parameter within: the longest wait. Returns nil without a notification, even if the server is dead.
    public func notification(within limit: Duration) throws(PostgresError) -> String? {
        let connection = try open()
        let deadline = ContinuousClock.now + limit
        while true {
            // Before the wait: see ``nextResult()``.
            try consume()
            if let told = pq_notifies(connection) {
                defer { pq_freemem(told) }
                let payload = String(cString: told.pointee.extra)
                // PostgreSQL 15, section 55.7, NotificationResponse.
                budget.take(11 + payload.utf8.count + String(cString: told.pointee.relname).utf8.count)
                return payload
            }
            guard relay?.wait(for: .reading, until: deadline) != nil else { return nil }
        }
    }
}

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
