import Fleet
import Foundation
import GRDB
import Postgres
import PostgresServer
import Processes
import Seeded
import TestSupport
import Testing

/// Six gates that share a store, while faults of all kinds occur: `make fleet`, for FLEET_SECONDS.
@Suite("Six gates under random faults")
final class ChaosTests {
    private enum Fault: String, CaseIterable {
        case killGate, killServer, restartServer, holdServer, fillServer, changeCertificate, detachDay, initAgain
    }

    private let server: PostgresServer
    /// The faults that this system allows.
    private let faults: [Fault]
    private let login = "chaos"
    private let database: String
    private var dice: SeededGenerator
    private let seconds: Double
    private let seed: UInt64
    /// The number of times that the server met its full disk. Gates may be idle at that time, so some fills have no
    /// effect.
    private var fullDisks = 0

    init() throws {
        let environment = ProcessInfo.processInfo.environment
        seconds = environment["FLEET_SECONDS"].flatMap { Double($0) } ?? 15
        seed = environment["FLEET_SEED"].flatMap { UInt64($0) } ?? 1
        dice = SeededGenerator(seed: seed)
        (server, faults) = try Self.begin()
        database = try server.makeDatabase()
        let connection = try server.connect(database: database)
        _ = try SharedSchema.makeRoles(on: connection)
        _ = try SharedSchema.make(on: connection)
        try connection.run("CREATE ROLE \(login) LOGIN PASSWORD '\(PostgresServer.password)' IN ROLE atsgate_writer")
        try dropDays()
    }

    @Test("every load of a client is in the store once, and the tallies match the rows")
    func nothingIsLostOrDoubled() throws {
        let store = server.url(user: login, database: database)
        let gates = try (0..<6).map { try ChaosGate(name: "gate\($0)", store: store) }
        let deadline = ContinuousClock.now + .seconds(seconds)
        var done: [String: Int] = [:]
        while ContinuousClock.now < deadline {
            let mischief = faults.randomElement(using: &dice) ?? .killGate
            try carryOut(mischief, gates)
            done[mischief.rawValue, default: 0] += 1
            try pass(Int.random(in: 200...1_200, using: &dice), gates)
        }
        for gate in gates {
            let end = gate.stop()
            #expect(end.status == 0, "\(end.said.suffix(2_000))")
        }
        let folder = try Folder()
        let ship = try Program(
            "atsgate", ["recordings", "import"] + gates.map { try $0.spool() } + ["--store", store], in: folder)
        #expect(ship.wait() == 0, "\(ship.said)")
        try compare(gates)
        let loads = gates.map { $0.client.answers.count }.reduce(0, +)
        // Sometimes no gate writes in time, because all of them pause, but not every time.
        let fills = done[Fault.fillServer.rawValue, default: 0]
        #expect(fills < 6 || fullDisks > 0, "none of \(fills) full disks was met; seed \(seed)")
        print("seed \(seed), \(seconds) s: \(done), of which \(fullDisks) full disks were met; \(loads) loads")
    }

    /// Starts a server, on a separate disk if the system allows one.
    private static func begin() throws -> (PostgresServer, [Fault]) {
        do {
            return (try PostgresServer(hasDisk: true), Fault.allCases)
        } catch let reason as ServerDisk.Refusal {
            print("LEFT OUT  a full disk of the server: \(reason)")
            return (try PostgresServer(), Fault.allCases.filter { $0 != .fillServer })
        }
    }

    private func carryOut(_ mischief: Fault, _ gates: [ChaosGate]) throws {
        let moment = Int.random(in: 400...3_000, using: &dice)
        switch mischief {
        case .killGate: try gates.randomElement(using: &dice)?.kill()
        case .killServer:
            server.stop(.immediate)
            try pass(moment, gates)
            try server.start()
        case .restartServer: try server.restart(.fast)
        case .holdServer:
            server.suspend()
            try pass(moment, gates)
            server.resume()
        case .changeCertificate:
            try server.certify(isKnown: false)
            // Open connections continue. Only new ones see it.
            try server.restart(.fast)
            try pass(moment, gates)
            try server.certify()
        case .fillServer:
            let before = server.noRoom
            let isMet = try holds(within: 20) {
                // A second fill, because a checkpoint deletes old log files, which frees space.
                try server.fill()
                return server.noRoom > before
            }
            if isMet { fullDisks += 1 }
            try pass(moment, gates)
            try server.empty()
        case .detachDay:
            // As after an interrupted prune: a gate finds no partition, and creates the day again.
            for day in try days() { try connect().run("ALTER TABLE load DETACH PARTITION \(day)") }
        case .initAgain:
            _ = try SharedSchema.make(on: connect())
        }
    }

    private func connect() throws -> PostgresConnection { try server.connect(database: database) }

    /// Waits for this many more answered loads. Clients continue whatever the server does.
    private func pass(_ loads: Int, _ gates: [ChaosGate]) throws {
        func answered() -> Int { gates.map(\.client.answered).reduce(0, +) }
        let goal = answered() + loads
        #expect(holds(within: 60) { answered() >= goal }, "clients wait: \(answered()) of \(goal); seed \(seed)")
    }

    /// The names of the day tables.
    private func days() throws -> [String] {
        let rows = try connect().query(
            "SELECT inhrelid::regclass::text FROM pg_catalog.pg_inherits WHERE inhparent = 'atsgate.load'::regclass")
        return try rows.map { try $0.text(0) }
    }

    /// Drops all days, so that the first gate that needs one must create it.
    private func dropDays() throws {
        for day in try days() { try connect().run("DROP TABLE \(day)") }
    }

    private func compare(_ gates: [ChaosGate]) throws {
        let connection = try connect()
        // The days that were detached last, and that no gate has needed since.
        try connection.run("SELECT make_day(day) FROM days WHERE NOT attached")
        var found: [String: Int] = [:]
        var rows = 0
        while true {
            // A statement has at most 200,000 rows.
            let urls = try connection.query(
                """
                SELECT 'http://' || s.host || l.path FROM load l JOIN shared s ON s.id = l.shared
                ORDER BY l.time, l.id LIMIT 100000 OFFSET \(rows)
                """)
            for row in urls { found[try row.text(0), default: 0] += 1 }
            rows += urls.count
            if urls.isEmpty { break }
        }
        let doubled = found.filter { $0.value > 1 }
        #expect(doubled.isEmpty, "\(doubled.prefix(5))")
        for gate in gates {
            let missing = gate.certain.filter { found[$0] == nil }
            #expect(missing.isEmpty, "\(missing.count), as \(missing.prefix(5)); seed \(seed)")
            #expect(!gate.certain.isEmpty)
        }
        let spooled = try gates.map { gate in
            try DatabaseQueue(path: gate.spool()).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM load") ?? 0 }
        }.reduce(0, +)
        #expect(spooled == rows)
        let unlike = try connection.query(
            """
            SELECT concat_ws(' ', gate, recording, verdict, counted.loads, 'rows', t.loads, 'told')
            FROM (
                SELECT l.gate, s.recording, s.verdict, count(*) AS loads FROM load l JOIN shared s ON s.id = l.shared
                GROUP BY 1, 2, 3) counted
            FULL JOIN tally t USING (gate, recording, verdict)
            WHERE coalesce(counted.loads, 0) <> coalesce(t.loads, 0)
            """)
        let differences = try unlike.map { try $0.text(0) }
        #expect(differences.isEmpty, "seed \(seed)")
        #expect(try connection.query("SELECT count(*) FROM load")[0].int(0) == Int64(rows))
        #expect(try connection.query("SELECT sum(loads)::bigint FROM tally")[0].int(0) == Int64(rows))
    }
}
