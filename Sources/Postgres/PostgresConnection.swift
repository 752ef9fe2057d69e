internal import CPostgres
internal import Text

/// A connection with a PostgreSQL server. Calls block, each no longer than its patience, and come one at a time: it
/// belongs to one thread, or to one serial queue.
///
/// Once a call has thrown ``PostgresError/broken(_:)`` the connection is closed, and every later call throws that again.
public final class PostgresConnection {
    /// How long the server may be silent while a call waits for it.
    let patience: Duration
    var connection: OpaquePointer?
    /// What every call throws once it is closed.
    var trouble = PostgresError.broken("the connection is closed")
    /// What no message may repeat.
    let secrets: [String]

    /// Connects, to the first of several hosts that answers.
    ///
    /// - Parameters:
    ///   - name: `application_name`, by which the server's administrator knows who it is.
    ///   - patience: for each call; names are looked up beyond it, as long as the system does.
    ///   - dialing: for each host, until the connection stands; nil for the same.
    /// - Throws: ``PostgresError/missingLibrary(_:)`` and ``PostgresError/unreachable(_:)``.
    public init(
        _ address: PostgresAddress, as name: String, patience: Duration, dialing: Duration? = nil
    ) throws(PostgresError) {
        if let missing = PostgresLibrary.missing { throw .missingLibrary(missing) }
        let handle = try PostgresDial(address, as: name, patience: patience).connect(within: dialing ?? patience)
        self.patience = patience
        (connection, secrets) = (handle.connection, handle.secrets)
        do {
            try run(Self.beginning(patience))
        } catch {
            throw .unreachable(error.description)
        }
    }

    deinit { close() }

    /// Ends it. The server ends what was under way. Can be called again.
    public func close() {
        connection.map { pq_finish($0) }
        connection = nil
    }

    /// The server's version as it counts: 150018 is 15.18.
    public var serverVersion: Int { connection.map { Int(pq_server_version($0)) } ?? 0 }

    /// Whether it has not been closed, by ``close()`` or by trouble.
    public var isOpen: Bool { connection != nil }

    /// What each connection begins with. A gate that has lost its power leaves nothing locked there for longer than a
    /// minute (PostgreSQL 15, sections 20.3.2 and 20.11.1).
    private static func beginning(_ patience: Duration) -> String {
        """
        SET search_path = atsgate, pg_catalog;
        SET statement_timeout = \(Self.statementLimit(patience));
        SET client_min_messages = warning;
        SET tcp_keepalives_idle = 30;
        SET tcp_keepalives_interval = 10;
        SET tcp_keepalives_count = 3;
        """
    }

    /// When the server ends a statement, in milliseconds: a second before nobody waits for it any more, or half of a short
    /// patience, so that its word comes in time and the connection can be used again.
    static func statementLimit(_ patience: Duration) -> Int64 {
        max(1, patience.milliseconds / 2, patience.milliseconds - 1_000)
    }

    /// Runs statements, separated by semicolons, in one transaction of their own unless one is open.
    ///
    /// - Throws: ``PostgresError/refused(sqlState:message:)`` of the first that failed; those behind it did not run.
    public func run(_ script: String) throws(PostgresError) {
        let connection = try open()
        guard pq_send_query(connection, script) == 1 else { throw broken() }
        try flush()
        try finish()
    }

    /// Runs one statement.
    ///
    /// - Parameter values: of `$1`, `$2` and so on.
    public func query(_ sql: String, _ values: [PostgresValue] = []) throws(PostgresError) -> PostgresRows {
        let connection = try open()
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for value in values {
            value.append(to: &bytes)
            // So that a value of no bytes has an address, too.
            bytes.append(0)
            ends.append(bytes.count)
        }
        let begins = [0] + ends.dropLast()
        let sent = bytes.withUnsafeBufferPointer { all in
            let places = values.indices.map { at -> UnsafePointer<CChar>? in
                guard values[at] != .null, let base = all.baseAddress else { return nil }
                return UnsafeRawPointer(base + begins[at]).assumingMemoryBound(to: CChar.self)
            }
            return pq_send_query_params(
                connection, sql, Int32(values.count), values.map(\.type), places,
                values.indices.map { Int32(ends[$0] - begins[$0] - 1) }, values.map { _ in 1 }, 1)
        }
        guard sent == 1 else { throw broken() }
        try flush()
        guard let rows = try finish() else { throw broken("the server gave no answer to a statement") }
        return rows
    }

    /// What a transaction may do.
    public enum Kind: String, Sendable {
        /// All, as PostgreSQL's default is.
        case writing = "BEGIN"
        /// Reads, as of the moment of its first statement.
        case snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    }

    /// Runs `body` in a transaction: all of it takes effect, or nothing when it throws.
    ///
    /// - Throws: what `body` throws; ``PostgresError/broken(_:)`` also where nobody knows whether it took effect, because
    ///   the answer to COMMIT was lost; ``PostgresError/refused(sqlState:message:)`` with `25P02` where `body` went on
    ///   after a statement had failed, so that the server did not commit.
    public func transaction<Value>(_ kind: Kind = .writing, _ body: () throws -> Value) throws -> Value {
        try run(kind.rawValue)
        let value: Value
        do {
            value = try body()
        } catch {
            // What has failed is told; that it could not be taken back as well is not: the server does it by itself.
            if isOpen { try? run("ROLLBACK") }
            throw error
        }
        // To a transaction that has failed the server answers ROLLBACK, and no error (PostgreSQL 15, COMMIT).
        let answer = try query("COMMIT").command
        guard answer == "COMMIT" else {
            throw PostgresError.refused(sqlState: "25P02", message: "a statement failed, so the server did not commit")
        }
        return value
    }

    /// What somebody tells by NOTIFY, on the channels that were asked for by LISTEN: its payload.
    ///
    /// - Parameter within: how long to wait for it. Nil comes when nothing was told until then, which does not say that
    ///   the server lives.
    public func notification(within limit: Duration) throws(PostgresError) -> String? {
        let connection = try open()
        let deadline = ContinuousClock.now + limit
        while true {
            // Before the wait: see ``nextResult()``.
            guard pq_consume_input(connection) == 1 else { throw broken() }
            if let told = pq_notifies(connection) {
                defer { pq_freemem(told) }
                return String(cString: told.pointee.extra)
            }
            guard SocketReadiness.wait(pq_socket(connection), for: .reading, until: deadline) != nil else { return nil }
        }
    }
}
