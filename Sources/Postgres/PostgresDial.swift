internal import CPostgres
internal import Text

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

/// libpq, PostgreSQL's own client library, loaded for the first connection.
public enum PostgresLibrary {
    /// Loads libpq. nil on success, else a sentence with the package to install.
    public static var missing: String? {
        guard let words = cpostgres_missing() else { return nil }
        return sentence(for: String(cString: words))
    }

    /// - Parameter words: the error of the system's loader.
    static func sentence(for words: String) -> String {
        #if canImport(Darwin)
        let ways = "install it with brew install libpq"
        #else
        let ways =
            "install it with apt install libpq5 (Debian, Ubuntu), dnf install libpq (Fedora) or apk add libpq (Alpine)"
        #endif
        return "a shared store needs libpq, PostgreSQL's client library: \(ways) (\(words.printable))"
    }
}

/// An error between a gate and its shared store. Messages of libpq and of servers are printable, on one line, and
/// without the connection's secrets.
public enum PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
    /// libpq is not installed; the sentence names the package.
    case missingLibrary(String)
    /// No connection: no answer in time, a TLS failure, or the server rejected the user.
    case unreachable(String)
    /// The server rejected a statement. `sqlState` is one of PostgreSQL's error codes (PostgreSQL 15, appendix A), for
    /// decisions in code.
    case refused(sqlState: String, message: String)
    /// The connection was ready and is unusable now: it broke, the server did not answer in time, or sent something
    /// invalid. It is unknown whether a pending COMMIT took effect.
    case broken(String)

    public var description: String {
        switch self {
        case .missingLibrary(let sentence), .unreachable(let sentence), .broken(let sentence): sentence
        case .refused(let sqlState, let message): "\(message) (SQLSTATE \(sqlState))"
        }
    }
}

/// Makes messages of libpq and servers safe to show.
enum PostgresWords {
    /// Returns one printable line of at most 500 characters, without secrets: a server may repeat what it received.
    static func line(_ text: String, without secrets: [String]) -> String {
        var text = text
        for secret in secrets where !secret.isEmpty { text = text.replacing(secret, with: "...") }
        let line = text.split { $0.isNewline }
            .map { $0.split { $0 == " " || $0 == "\t" }.joined(separator: " ") }
            .filter { !$0.isEmpty }
            .joined(separator: " ")
            .printable
        return line.count > limit ? line.prefix(limit) + "..." : line
    }

    /// The `sslmode` that makes a connection possible; empty if the message has another reason. Source of the messages:
    /// PostgreSQL 15, src/interfaces/libpq/fe-connect.c (PQconnectPoll) and src/backend/libpq/auth.c
    /// (ClientAuthentication).
    ///
    /// - Parameter mode: the mode in use.
    static func advice(on message: String, mode: String) -> String {
        if message.contains("server does not support SSL") {
            return
                "; sslmode is \(mode): a server without TLS, for a trial on this machine, needs sslmode=disable, as in "
                + "postgres://USER@HOST/DATABASE?sslmode=disable"
        }
        if message.contains("no pg_hba.conf entry"), message.contains("no encryption"), mode == "disable" {
            return "; the server may accept only TLS: use sslmode=verify-full, the default, not sslmode=disable"
        }
        return ""
    }

    private static let limit = 500
}
