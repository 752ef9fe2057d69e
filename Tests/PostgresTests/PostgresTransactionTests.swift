import Postgres
import PostgresServer
import Testing

@Suite("Transactions, and rows in bulk")
struct PostgresTransactionTests {
    private struct GivenUp: Error {}

    private let connection: PostgresConnection
    private let database: String

    init() throws {
        let server = try PostgresServer.shared()
        database = try server.makeDatabase()
        connection = try server.connect(database: database)
        try connection.run(
            """
            CREATE SCHEMA atsgate;
            CREATE TABLE item (number bigint, id uuid, time timestamptz, text text) \
            PARTITION BY RANGE (time);
            CREATE TABLE item_2026 PARTITION OF item FOR VALUES FROM ('2026-01-01Z') TO ('2027-01-01Z');
            """)
    }

    private static let time: Int64 = 1_780_000_000_000
    private static let copyIn = "COPY item (number, id, time, text) FROM STDIN (FORMAT binary)"

    private func count() throws -> Int64 { try connection.query("SELECT count(*) FROM item")[0].int(0) }

    private func append(_ number: Int64, to copy: inout PostgresCopy, time: Int64 = time) throws {
        try copy.row(4)
        copy.int8(number)
        copy.uuid(PostgresUUID(high: 1, low: UInt64(number)))
        copy.time(milliseconds: time)
        if number % 2 == 0 { copy.null() } else { copy.text("text \(number)") }
    }

    @Test("copied rows read back unchanged")
    func rowsComeBack() throws {
        let total: Int64 = 5_000
        let taken = try connection.copyIn(Self.copyIn) { copy in
            for number in 1...total { try append(number, to: &copy) }
        }
        #expect(taken == 5_000)
        var next: Int64 = 1
        for row in try connection.query("SELECT * FROM item ORDER BY number") {
            let number = try row.int(0)
            let isSame =
                try number == next && row.uuid(1) == PostgresUUID(high: 1, low: UInt64(number))
                && row.milliseconds(2) == Self.time
                && row.orNil(3, row.text) == (number % 2 == 0 ? nil : "text \(number)")
            #expect(isSame)
            next += 1
        }
        #expect(next == total + 1)
    }

    @Test("an empty copy succeeds")
    func emptyCopyPasses() throws {
        #expect(try connection.copyIn(Self.copyIn) { _ in } == 0)
        #expect(try count() == 0)
    }

    @Test("a row without a partition is refused with its code, and no row of the copy stays")
    func missingPartitionIsTold() throws {
        let error = #expect(throws: PostgresError.self) {
            try connection.copyIn(Self.copyIn) { copy in
                try append(1, to: &copy)
                try append(2, to: &copy, time: 0)
            }
        }
        guard case .refused("23514", _) = try #require(error) else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try count() == 0)
    }

    @Test("an abandoned copy leaves no row, and the connection stays usable")
    func givingUpLeavesNothing() throws {
        #expect(throws: GivenUp.self) {
            try connection.copyIn(Self.copyIn) { copy in
                for number in 1...1_000 { try append(Int64(number), to: &copy) }
                throw GivenUp()
            }
        }
        #expect(try count() == 0)
    }

    @Test(
        "a statement that is not a copy is refused, and the connection stays usable",
        arguments: ["SELECT 1", "COPY nothing FROM STDIN"])
    func otherStatementsAreNoCopy(sql: String) throws {
        #expect(throws: PostgresError.self) { try connection.copyIn(sql) { _ in } }
    }

    @Test("a transaction is committed whole, or not at all")
    func transactionsAreWhole() throws {
        let insert = "INSERT INTO item (number, time) VALUES (1, '2026-06-01Z')"
        try connection.transaction { try connection.run(insert) }
        #expect(try count() == 1)
        #expect(throws: GivenUp.self) {
            try connection.transaction {
                try connection.run(insert)
                throw GivenUp()
            }
        }
        #expect(try count() == 1)
        let error = #expect(throws: PostgresError.self) {
            try connection.transaction(.snapshot) { try connection.run(insert) }
        }
        guard case .refused("25006", _) = try #require(error) else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("a transaction that continues after a failed statement throws, because it was not committed")
    func swallowedFailureIsTold() throws {
        let error = #expect(throws: PostgresError.self) {
            try connection.transaction {
                try connection.run("INSERT INTO item (number, time) VALUES (1, '2026-06-01Z')")
                _ = try? connection.run("SELECT nothing_like_this")
            }
        }
        guard case .refused("25P02", _) = try #require(error) else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try count() == 0)
    }

    @Test("a notification from another connection arrives once")
    func notificationsAreHeard() throws {
        try connection.run("LISTEN atsgate_loads")
        #expect(try connection.notification(within: .milliseconds(1)) == nil)
        let other = try PostgresServer.shared().connect(database: database)
        try other.run("NOTIFY atsgate_loads, 'x'")
        let told = try connection.notification(within: .seconds(30))
        #expect(told == "x")
        #expect(try connection.notification(within: .milliseconds(1)) == nil)
    }

    @Test("affected rows are counted, and a value of another type is refused")
    func rowsAreChecked() throws {
        let touched = try connection.query(
            "INSERT INTO item (number, time) SELECT 1, '2026-06-01Z' FROM generate_series(1, 3)")
        #expect(touched.affected == 3)
        let row = try connection.query("SELECT 1::int, 'text', NULL::text")[0]
        #expect(throws: PostgresError.self) { try row.uuid(0) }
        #expect(throws: PostgresError.self) { try row.milliseconds(1) }
        #expect(throws: PostgresError.self) { try row.text(2) }
        #expect(throws: PostgresError.self) { try row.int(3) }
        #expect(throws: PostgresError.self) { try row.int(-1) }
        #expect(throws: PostgresError.self) {
            try connection.query("SELECT 'infinity'::timestamptz")[0].milliseconds(0)
        }
    }
}
