import Foundation
public import Postgres
package import Records
public import Reporting
import Text

/// A store that several gates share, for reading: one connection, and one look at a time.
// Unchecked: all mutable state is accessed under the lock. A Mutex could not lend the connection to a look's body,
// because the compiler assumes that the body may keep it.
package final class SharedSource: StoreSource, @unchecked Sendable {
    package let name: String
    private let address: PostgresAddress
    private let timeout: Duration
    private let dialing: Duration?
    private let end: ContinuousClock.Instant?
    private let lock = NSLock()
    private var connection: PostgresConnection?
    private let texts = SharedTexts()
    /// The time of the last look, and whether the connection receives notifications.
    private var lastLook = ContinuousClock.now
    private var isListening = false

    /// Connects, and checks that the store is one that this program understands.
    ///
    /// - Parameters:
    ///   - timeout: the timeout for each answer.
    ///   - dialing: the timeout for connecting; nil for the same as `timeout`.
    ///   - end: the end of all answers together; nil for none.
    /// - Throws: ``StoreError``.
    package init(
        _ address: PostgresAddress, timeout: Duration = usualTimeout, dialing: Duration? = nil,
        until end: ContinuousClock.Instant? = nil
    ) throws(StoreError) {
        self.address = address
        self.timeout = timeout
        self.dialing = dialing
        self.end = end
        name = address.shown
        do {
            connection = try Self.connect(address, timeout: timeout, dialing: dialing, until: end)
        } catch {
            throw Self.explained(error, name)
        }
    }

    /// Returns a connection to a store that this program understands and may read.
    static func connect(
        _ address: PostgresAddress, timeout: Duration = usualTimeout, dialing: Duration? = nil,
        until end: ContinuousClock.Instant? = nil
    ) throws -> PostgresConnection {
        let connection = try open(address, timeout: timeout, dialing: dialing, until: end)
        try checkRight(of: connection, address)
        return connection
    }

    /// The same, but the login need not have the right to read loads.
    static func open(
        _ address: PostgresAddress, timeout: Duration, dialing: Duration? = nil,
        until end: ContinuousClock.Instant? = nil
    ) throws -> PostgresConnection {
        let connection = try PostgresConnection(
            address, as: "atsgate", timeout: timeout, dialing: dialing, until: end)
        // Queries are few and large: JIT compilation costs more than it saves, and groups should fit in memory.
        try connection.run("SET jit = off; SET work_mem = '64MB'")
        let state = try SchemaState(of: connection)
        guard let complaint = state.complaint else { return connection }
        switch state {
        case .hidden: throw StoreError.notAllowed(path: address.shown, cause: complaint)
        case .absent, .other, .current: throw StoreError.notInitialised(path: address.shown, cause: complaint)
        }
    }

    /// Requires the right to read loads: a gate's login sees only its own tallies, so its answers would be wrong.
    private static func checkRight(of connection: PostgresConnection, _ address: PostgresAddress) throws {
        let right = try connection.query("SELECT has_table_privilege('atsgate.load', 'SELECT')").first
        guard try right?.bool(0) == true else {
            throw StoreError.notAllowed(
                path: address.shown,
                cause: """
                    this login may not read the store: an administrator can grant it atsgate_reader, \
                    see atsgate store init --roles
                    """)
        }
    }

    package func copy(of filter: RecordFilter, counter: WorkCounter) throws -> (any StoreSource)? {
        try pulling { try $0.pull(.loads(filter), counter: counter) }.source
    }

    package func look<Answer>(
        at part: StorePart, counter: WorkCounter, _ body: (StoreView) throws -> Answer
    ) throws -> Answer {
        // Not under the lock: the temporary store is this call's own.
        try pulling { try $0.pull(part, counter: counter) }.read(counter: counter, body)
    }

    package func page(of filter: RecordFilter, before place: StorePosition?, limit: Int) throws -> StorePage {
        try pulling { try $0.page(of: filter, before: place, limit: limit) }
    }

    package func record(id: String) throws -> LoadRecord? { try pulling { try $0.record(id: id) } }

    package func news(of filter: RecordFilter, after mark: inout StoreMark, limit: Int) throws -> [LoadRecord] {
        try pulling { try $0.news(of: filter, after: &mark, limit: limit) }
    }

    package func mark() throws -> StoreMark { try pulling { try $0.mark() } }

    package func verdictsByGate(of filter: RecordFilter) throws -> [String: [Verdict: Int]] {
        try pulling { try $0.verdictsByGate(of: filter) }
    }

    package func sizes(of filter: RecordFilter) throws -> [String: Int64] { try pulling { try $0.sizes(of: filter) } }

    /// Reads within one transaction.
    private func pulling<Answer>(_ body: (SharedPull) throws -> Answer) throws -> Answer {
        lock.lock()
        defer { lock.unlock() }
        do {
            lastLook = .now
            let open = try opened()
            return try open.transaction(.snapshot) { try body(SharedPull(open, texts)) }
        } catch let error as PostgresError {
            throw Self.explained(error, name)
        }
    }

    /// True if gates have sent a notification about new loads, or if the last look was some time ago, because
    /// notifications may be lost.
    package var hasNews: Bool {
        lock.lock()
        defer { lock.unlock() }
        var isTold = .now - lastLook >= betweenLooks
        do {
            let open = try opened()
            if !isListening {
                try open.run("LISTEN \(LoadNotifier.channel)")
                isListening = true
                return true
            }
            while try open.notification(within: .zero) != nil { isTold = true }
            return isTold
        } catch {
            // The next look reports the error.
            return true
        }
    }

    /// The connection, or a new one if it broke.
    private func opened() throws -> PostgresConnection {
        if let connection, connection.isOpen { return connection }
        isListening = false
        let open = try Self.connect(address, timeout: timeout, dialing: dialing, until: end)
        connection = open
        return open
    }

    /// The error with the name of the store.
    static func explained(_ error: any Error, _ name: String) -> StoreError {
        switch error {
        case let error as StoreError: error
        case PostgresError.missingLibrary(let sentence): .missingLibrary(cause: sentence)
        case PostgresError.unreachable(let cause), PostgresError.broken(let cause):
            .unreachable(path: name, cause: cause)
        case PostgresError.refused(sqlState: "42501", let message): .notAllowed(path: name, cause: message)
        default: .refused(path: name, cause: "\(error)")
        }
    }

    /// The default timeout for each answer of the server: a report of many millions of loads takes some time.
    package static let usualTimeout = Duration.seconds(120)
    /// The timeout of commands for connecting.
    package static let dialingLimit = Duration.seconds(10)
    /// The time limit of a command for all answers of the server together.
    package static let commandLimit = Duration.seconds(3_600)
}

private let betweenLooks = Duration.seconds(2)

extension StoreReader {
    /// Reads a store that several gates share, while they write to it.
    ///
    /// - Parameters:
    ///   - timeout: the timeout for each answer of the server; nil for two minutes.
    ///   - dialing: the timeout for connecting; nil for the same as `timeout`.
    ///   - end: the end of all answers together; nil for none.
    /// - Throws: ``StoreError``.
    public init(
        _ address: PostgresAddress, timeout: Duration? = nil, dialing: Duration? = nil,
        until end: ContinuousClock.Instant? = nil, counter: WorkCounter = WorkCounter()
    ) throws(StoreError) {
        let timeout = timeout ?? SharedSource.usualTimeout
        self.init(try SharedSource(address, timeout: timeout, dialing: dialing, until: end), counter: counter)
    }
}

/// Conditions of a statement with numbered values.
struct SharedClause {
    private(set) var conditions: [String] = []
    private(set) var values: [PostgresValue] = []

    /// The expression for WHERE.
    var sql: String { conditions.isEmpty ? "true" : conditions.joined(separator: " AND ") }

    /// - Parameter condition: has a `?` for each value.
    mutating func add(_ condition: String, _ values: [PostgresValue] = []) {
        conditions.append(numbered(condition))
        self.values += values
    }

    /// Adds a value for use in a condition or a column.
    ///
    /// - Returns: `$3`.
    mutating func name(_ value: PostgresValue) -> String {
        values.append(value)
        return "$\(values.count)"
    }

    private func numbered(_ condition: String) -> String {
        var number = values.count
        return condition.split(separator: "?", omittingEmptySubsequences: false).reduce(into: "") { text, part in
            if number > values.count { text += "$\(number)" }
            text += part
            number += 1
        }
    }

    init() {}

    /// The conditions of a filter.
    ///
    /// - Parameter times: the times of the recordings' loads, in milliseconds since 1970-01-01 UTC. Only these days
    ///   need to be read.
    init(_ filter: RecordFilter, within times: ClosedRange<Int64>) {
        if !filter.recordings.isEmpty {
            // The server stores microseconds.
            add(
                "time >= ? AND time < ?",
                [.time(milliseconds: times.lowerBound), .time(milliseconds: times.upperBound + 1)])
        }
        let conditions = LoadConditions(filter, .postgres)
        if !conditions.values.isEmpty { add(conditions.sql, conditions.values.map(\.postgres)) }
        guard !filter.gates.isEmpty else { return }
        // Patterns of machines or labels.
        let patterns = filter.gates.map { PostgresValue.text($0.regularExpression) }
        let tests = ["host", "label"].flatMap { column in
            filter.gates.map { _ in "lower(\(column) COLLATE \"C\") ~ ?" }
        }
        add(
            "(gate IN (SELECT spool FROM gate WHERE \(tests.joined(separator: " OR ")))) IS TRUE", patterns + patterns)
    }
}

extension LoadConditions.Value {
    fileprivate var postgres: PostgresValue {
        switch self {
        case .text(let text): .text(text)
        case .number(let number): .int8(number)
        case .time(let milliseconds): .time(milliseconds: milliseconds)
        }
    }
}

/// An SQL expression that converts microseconds since 1970-01-01 UTC to a time of the server.
func serverTime(_ microseconds: String) -> String {
    "timestamptz '1970-01-01 00:00:00+00' + \(microseconds) * interval '1 microsecond'"
}
