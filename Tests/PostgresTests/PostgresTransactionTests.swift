import Postgres
import PostgresServer
import Testing

@Suite("Transactions")
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
            CREATE TABLE item (number bigint, time timestamptz);
            """)
    }

    private func count() throws -> Int64 { try connection.query("SELECT count(*) FROM item")[0].int(0) }

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
