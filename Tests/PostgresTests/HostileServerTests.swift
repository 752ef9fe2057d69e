import Postgres
import PostgresServer
import Processes
import Testing

@Suite("Servers that send too much, or too slowly", .serialized)
struct HostileServerTests {
    /// 64 MiB, in KiB.
    private static let most = 64 << 10

    @Test(
        "a hostile server costs at most 64 MiB, and the connection ends",
        arguments: HostileServer.Attack.allCases)
    func bounded(attack: HostileServer.Attack) throws {
        let server = try HostileServer(attack)
        let begun = ContinuousClock.now
        let growth = Memory.growth {
            #expect(throws: PostgresError.self, "\(attack)") {
                let connection = try PostgresConnection(
                    PostgresAddress(server.url), as: "tests", timeout: .seconds(4))
                defer { connection.close() }
                // Attacks of one answer end with the first.
                for _ in 0..<200 { _ = try connection.query("SELECT 1") }
            }
        }
        let took = ContinuousClock.now - begun
        #expect(took < .seconds(20), "\(attack)")
        #expect(growth.map { $0 < Self.most } ?? true, "\(attack): \(growth ?? 0) KiB")
    }

    @Test("a call ends at the connection's deadline, however long its patience")
    func deadline() throws {
        let server = try HostileServer(.dripping)
        let connection = try PostgresConnection(
            PostgresAddress(server.url), as: "tests", timeout: .seconds(60), until: .now + .seconds(2))
        let begun = ContinuousClock.now
        #expect(throws: PostgresError.self) { try connection.run("SELECT 1") }
        #expect(.now - begun < .seconds(20))
        #expect(!connection.isOpen)
    }

    @Test("a result that is too large can be cut, and the connection stays usable")
    func cut() throws {
        let connection = try PostgresServer.shared().connect()
        let rows = try connection.cutQuery("SELECT repeat('x', 1048576) FROM generate_series(1, 40)")
        #expect(rows.isCut && rows.count == 20)
        #expect(try connection.query("SELECT 7")[0].int(0) == 7)
        #expect(throws: PostgresError.self) { try connection.query("SELECT FROM generate_series(1, 200001)") }
        #expect(!connection.isOpen)
    }
}
