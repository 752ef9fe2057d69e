import Foundation
public import Postgres
public import Reporting

/// A store that several gates share, as readers see it: one connection, and one look at a time.
// Unchecked: whatever changes is touched under the lock alone. A Mutex would not lend the connection to a look's body, which
// the compiler believes able to keep it.
package final class SharedSource: StoreSource, @unchecked Sendable {
    package let name: String
    package var isFile: Bool { false }
    private let address: PostgresAddress
    private let patience: Duration
    private let dialing: Duration?
    private let lock = NSLock()
    private var connection: PostgresConnection?
    private let parts = SharedParts()
    /// When it was looked at last, and whether that connection hears of news.
    private var lastLook = ContinuousClock.now
    private var isListening = false

    /// Connects, and looks whether there is a store that this program understands.
    ///
    /// - Parameters:
    ///   - patience: for each answer.
    ///   - dialing: until a connection stands; nil for the same.
    /// - Throws: ``StoreError``.
    package init(
        _ address: PostgresAddress, patience: Duration = usualPatience, dialing: Duration? = nil
    ) throws(StoreError) {
        self.address = address
        self.patience = patience
        self.dialing = dialing
        name = address.shown
        do {
            connection = try Self.connect(address, patience: patience, dialing: dialing)
        } catch {
            throw Self.explained(error, name)
        }
    }

    /// A connection with a store that this program understands, and may read.
    static func connect(
        _ address: PostgresAddress, patience: Duration = usualPatience, dialing: Duration? = nil
    ) throws -> PostgresConnection {
        let connection = try open(address, patience: patience, dialing: dialing)
        try checkRight(of: connection, address)
        return connection
    }

    /// The same, however little of it the login may read.
    static func open(
        _ address: PostgresAddress, patience: Duration, dialing: Duration? = nil
    ) throws -> PostgresConnection {
        let connection = try PostgresConnection(address, as: "atsgate", patience: patience, dialing: dialing)
        // Questions are few and large: what compiling them costs is not won back, and groups should fit in memory.
        try connection.run("SET jit = off; SET work_mem = '64MB'")
        let state = try SchemaState(of: connection)
        guard let complaint = state.complaint else { return connection }
        switch state {
        case .hidden: throw StoreError.notAllowed(path: address.shown, cause: complaint)
        case .absent, .behind, .ahead, .current: throw StoreError.notInitialised(path: address.shown, cause: complaint)
        }
    }

    /// A gate's login sees its own tallies and no load: what it would tell of the store would be wrong.
    private static func checkRight(of connection: PostgresConnection, _ address: PostgresAddress) throws {
        let right = try connection.query("SELECT has_table_privilege('atsgate.load', 'SELECT')").first
        guard try right?.bool(0) == true else {
            throw StoreError.notAllowed(
                path: address.shown,
                cause: """
                    this login may not read the store: an administrator grants it atsgate_reader, \
                    as atsgate store roles says
                    """)
        }
    }

    package func look<Answer>(
        noting damage: StoreDamage, _ body: (any StoreView) throws -> Answer
    ) throws -> Answer {
        lock.lock()
        defer { lock.unlock() }
        do {
            lastLook = .now
            let open = try opened()
            return try open.transaction(.snapshot) { try body(SharedView(open, parts, noting: damage)) }
        } catch let error as PostgresError {
            throw Self.explained(error, name)
        }
    }

    /// Gates tell by NOTIFY that they have filed something. What may be lost on the way is found by a look now and then.
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
            // Whoever looks is told what is wrong.
            return true
        }
    }

    /// The connection, or a new one in the place of one that broke.
    private func opened() throws -> PostgresConnection {
        if let connection, connection.isOpen { return connection }
        isListening = false
        let open = try Self.connect(address, patience: patience, dialing: dialing)
        connection = open
        return open
    }

    /// In words that name the store.
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

    /// For each answer of the server: a report of many millions of loads takes its time.
    package static let usualPatience = Duration.seconds(120)
}

private let betweenLooks = Duration.seconds(2)

extension StoreReader {
    /// Reads a store that several gates share, while they file into it.
    ///
    /// - Parameters:
    ///   - patience: for each answer of the server; nil for two minutes.
    ///   - dialing: until a connection stands; nil for the same.
    /// - Throws: ``StoreError``.
    public init(
        _ address: PostgresAddress, patience: Duration? = nil, dialing: Duration? = nil,
        counter: WorkCounter = WorkCounter()
    ) throws(StoreError) {
        let patience = patience ?? SharedSource.usualPatience
        self.init(try SharedSource(address, patience: patience, dialing: dialing), counter: counter)
    }
}
