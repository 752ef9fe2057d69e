import ATSPolicy
import Fleet
import Foundation
import Postgres
import PostgresServer
import Records
import Reporting
import Synchronization
import Testing

/// A shared store on a real server, logins for gates, and a folder for spools.
final class ShippingRig {
    let server: PostgresServer
    let database: String
    let folder: String

    /// - Parameter server: nil for the server that all tests share, which is never stopped.
    init(on server: PostgresServer? = nil) throws {
        self.server = try server ?? PostgresServer.shared()
        database = try self.server.makeDatabase(beginningAs: "a shared store") { connection in
            _ = try SharedSchema.make(on: connection)
        }
        folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// The address of a new login with the role of a gate.
    func writer() throws -> PostgresAddress { try login(in: .writer) }

    /// The address of a new login.
    ///
    /// - Parameter role: The role that the login gets; nil for none.
    func login(in role: FleetRole?) throws -> PostgresAddress {
        let name = "login_" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let granted = role.map { " IN ROLE \($0.rawValue)" } ?? ""
        try server.connectBySocket().run("CREATE ROLE \(name) LOGIN PASSWORD '\(PostgresServer.password)'\(granted)")
        return try server.address(user: name, database: database)
    }

    func path(_ name: String) -> String { folder + "/" + name }

    /// Runs SQL as the superuser.
    func run(_ sql: String) throws { try server.connectBySocket(database: database).run(sql) }

    func number(_ sql: String) throws -> Int {
        let rows = try server.connectBySocket(database: database).query("SELECT (\(sql))::bigint")
        return Int(try rows[0].int(0))
    }

    /// The number of loads in the store. nil if an id occurs twice, the tallies do not match, or a row that loads share
    /// is missing.
    func loadsOnce() throws -> Int? {
        let rows = try number("SELECT count(*) FROM atsgate.load")
        let ids = try number("SELECT count(DISTINCT id) FROM atsgate.load")
        let tallies = try number("SELECT coalesce(sum(loads), 0) FROM atsgate.tally")
        let incomplete = try number(
            """
            SELECT count(*) FROM atsgate.load l
            LEFT JOIN atsgate.shared s ON s.id = l.shared LEFT JOIN atsgate.diagnosis d ON d.id = l.diagnosis
            WHERE s.id IS NULL OR (l.diagnosis IS NOT NULL AND d.id IS NULL)
                OR (s.handshake IS NOT NULL AND NOT EXISTS (SELECT FROM atsgate.handshake h WHERE h.id = s.handshake))
            """)
        guard rows == ids, rows == tallies, incomplete == 0 else { return nil }
        return rows
    }

    /// Restores the state in which the only gate had shipped this many loads.
    func setBack(to number: Int) throws {
        try run(
            """
            DELETE FROM atsgate.load WHERE seq > \(number);
            UPDATE atsgate.gate SET shipped = \(number), last = (SELECT id FROM atsgate.load WHERE seq = \(number));
            UPDATE atsgate.tally t SET loads = (
                SELECT count(*) FROM atsgate.load l JOIN atsgate.shared s ON s.id = l.shared
                WHERE s.recording = t.recording AND s.verdict = t.verdict AND l.gate = t.gate);
            """)
    }

    static let gate = GateDescription(host: "machine.test", label: "phones", version: "0.0.0", policy: "App.plist")

    /// Ships all loads that the spool has now.
    ///
    /// - Parameter refused: Called with each load that the server refuses.
    @discardableResult
    static func ship(
        _ path: String, to address: PostgresAddress, timeout: Duration = .seconds(10),
        refused: (Shipping.Refusal) -> Void = { Issue.record("refused: \($0)") }
    ) throws -> Shipping {
        let spool = try Spool(path: path)
        let shipping = try Shipping(spool, to: address, as: gate, timeout: timeout)
        while true {
            let step = try shipping.shipNext()
            step.refusal.map(refused)
            if step.isAtEnd { break }
        }
        try shipping.report(gate, isLast: true)
        try spool.note(shipped: shipping.shipped)
        return shipping
    }
}

/// The notices shown to the user.
final class NoticeLog: Sendable {
    private let notices = Mutex<[StoreNotice]>([])

    var all: [StoreNotice] { notices.withLock { $0 } }

    @Sendable func add(_ notice: StoreNotice) { notices.withLock { $0.append(notice) } }
}

extension StoreNotice {
    var trouble: String? { if case .trouble(let words) = self { words } else { nil } }
    var recovery: String? { if case .recovery(let words) = self { words } else { nil } }
}

/// Loads in the format of gates.
struct LoadSource {
    private var ids = RecordIDMaker(maker: .random(in: .min ... .max))
    private var count = 0

    /// - Parameters:
    ///   - time: The start in milliseconds since 1970-01-01 UTC; nil for now.
    ///   - clock: The gate's current time; nil for now.
    ///   - hosts: The number of hosts, used in turn. Each has its own shared rows.
    mutating func next(
        _ number: Int, recording: String = "nightly", at time: Int64? = nil, clock: Int64? = nil, hosts: Int = 3,
        isBackwards: Bool = false
    ) -> [LoadRecord] {
        let now = clock ?? Int64(Date().timeIntervalSince1970 * 1000)
        return (0..<number).map { _ in
            count += 1
            let place = isBackwards ? hosts - 1 - count % hosts : count % hosts
            let host = "h\(place).lab.test"
            var record = LoadRecord(
                time: time ?? now, recording: recording,
                client: RecordedClient(
                    address: "127.0.0.1:50123", label: nil, userAgent: nil, loader: .app, os: "ios26"),
                load: RecordedRequest(
                    method: "GET", path: "/\(count)", target: LoadTarget(scheme: .https, host: host, port: 443),
                    wireProtocol: .http1),
                policy: RecordedPolicy(
                    source: "App/Info.plist", bundleID: "test.lab.demo", os: "ios26",
                    basis: RulingBasis(step: .secureDefault)),
                verdict: count % 5 == 0 ? .blocked : .allowed)
            record.status = 200
            record.id = ids.next(time: now)
            return record
        }
    }
}
