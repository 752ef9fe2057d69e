internal import CPostgres

/// Opens a connection: the parameters for libpq, and the wait for the server.
struct PostgresDial {
    private let parameters: [String: String]

    /// A connection that is ready.
    struct Handle {
        let connection: OpaquePointer
        /// Passwords from anywhere that libpq finds them: no message may contain them.
        let secrets: [String]
        let relay: ServerRelay
    }

    private enum Outcome {
        case connected(ServerRelay)
        /// libpq has an error message.
        case failed
        /// The server sent too much before the connection was ready, or there was no descriptor for the relay.
        case hopeless(String)
        /// The host did not answer in time.
        case late
    }

    /// - Parameter timeout: limit for each answer on the ready connection.
    init(_ address: PostgresAddress, as name: String, timeout: Duration) {
        let defaults = [
            // Set here, so that neither a service file nor the environment weakens it.
            "sslmode": "verify-full",
            "gssencmode": "disable",
            "fallback_application_name": name,
            "client_encoding": "UTF8",
            "keepalives": "1", "keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3",
            "tcp_user_timeout": String(max(1_000, timeout.milliseconds)),
        ]
        parameters = defaults.merging(address.parameters) { $1 }
    }

    /// Tries the hosts in libpq's order. libpq goes to the next host if one refuses, but leaves timeouts to the caller
    /// (PostgreSQL 15, section 34.1, PQconnectPoll). So after a timeout this starts again with the other hosts.
    ///
    /// - Parameter limit: for each host, unless the address contains another.
    func connect(within limit: Duration) throws(PostgresError) -> Handle {
        var parameters = parameters
        while true {
            guard let connection = start(parameters) else { throw .unreachable("no memory for a connection") }
            cpostgres_quiet(connection)
            let options = PostgresOptions(of: connection)
            let limit = options.connectTimeout ?? limit
            let outcome = try outcome(of: connection, options, within: limit)
            let secrets = options.secrets + [pq_pass(connection).map { String(cString: $0) } ?? ""]
            if case .connected(let relay) = outcome, pq_setnonblocking(connection, 1) == 0 {
                return Handle(connection: connection, secrets: secrets, relay: relay)
            }
            var words = PostgresWords.line(String(cString: pq_error_message(connection)), without: secrets)
            if case .hopeless(let reason) = outcome { words = reason }
            let (host, port) = Self.place(of: connection)
            pq_finish(connection)
            guard case .late = outcome else {
                throw .unreachable(words + PostgresWords.advice(on: words, mode: parameters["sslmode"] ?? ""))
            }
            guard let others = options.without(host: host, port: port) else {
                throw .unreachable("\(host), port \(port): no answer within \(limit.milliseconds) ms")
            }
            parameters.merge(others) { $1 }
        }
    }

    private func start(_ parameters: [String: String]) -> OpaquePointer? {
        let names = Array(parameters.keys)
        return Self.withCStrings(names) { keywords in
            Self.withCStrings(names.map { parameters[$0] ?? "" }) { values in
                pq_connect_start_params(keywords, values, 0)
            }
        }
    }

    private func outcome(
        of connection: OpaquePointer, _ options: PostgresOptions, within limit: Duration
    ) throws(PostgresError) -> Outcome {
        if let obstacle = options.obstacle(version: Int(pq_lib_version())) {
            pq_finish(connection)
            throw .unreachable(obstacle)
        }
        guard pq_status(connection) != Int32(bitPattern: PQ_CONNECTION_BAD.rawValue) else { return .failed }
        var deadline = ContinuousClock.now + limit
        var place = Self.place(of: connection)
        var wanted = SocketReadiness.writing
        var relay: ServerRelay?
        while true {
            let socket = pq_socket(connection)
            let isReady =
                relay.map { $0.wait(for: wanted, until: deadline) }
                ?? SocketReadiness.wait(socket, for: wanted, until: deadline)
            guard isReady != nil else { return .late }
            let polled = UInt32(bitPattern: pq_connect_poll(connection))
            guard polled != PQ_POLLING_FAILED.rawValue else { return .failed }
            guard Self.install(&relay, on: connection) else { return .hopeless("no descriptors are left") }
            switch polled {
            case PQ_POLLING_READING.rawValue: wanted = .reading
            case PQ_POLLING_WRITING.rawValue: wanted = .writing
            default: return relay.map { .connected($0) } ?? .failed
            }
            if let relay, relay.received > AnswerBudget.mostGreeting {
                return .hopeless("the server sent too much before the connection was ready")
            }
            let now = Self.place(of: connection)
            if now != place { (place, deadline) = (now, .now + limit) }
        }
    }

    /// Puts a relay between libpq and its socket, as soon as that is connected. libpq opens another socket for the next
    /// host, or without TLS.
    ///
    /// - Returns: false without free descriptors.
    private static func install(_ relay: inout ServerRelay?, on connection: OpaquePointer) -> Bool {
        let socket = pq_socket(connection)
        if let relay, relay.serves(socket) { return true }
        relay = nil
        guard socket >= 0, pq_status(connection) != Int32(bitPattern: PQ_CONNECTION_STARTED.rawValue) else {
            return true
        }
        relay = ServerRelay(on: socket)
        return relay != nil
    }

    /// The host and port that libpq is trying.
    private static func place(of connection: OpaquePointer) -> (String, String) {
        (
            pq_host(connection).map { String(cString: $0) } ?? "",
            pq_port(connection).map { String(cString: $0) } ?? ""
        )
    }

    /// Passes a C list: with a null pointer after its last text.
    private static func withCStrings<Value>(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Value
    ) -> Value {
        let all = texts.map { Array($0.utf8CString) }
        let begins = all.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
        return Array(all.joined()).withUnsafeBufferPointer { bytes in
            body(begins.dropLast().map { at in bytes.baseAddress.map { $0 + at } } + [nil])
        }
    }
}
