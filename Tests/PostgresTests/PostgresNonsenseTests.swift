import Postgres
import Seeded
import Testing

@Suite("Servers that do not speak the protocol")
struct PostgresNonsenseTests {
    @Test("a server that sends nonsense is refused", arguments: 1...30)
    func nonsenseIsRefused(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        // Some begin like PostgreSQL's authentication: 'R', a length, and "authenticated".
        var bytes: [UInt8] = seed % 2 == 0 ? [0x52, 0, 0, 0, 8, 0, 0, 0, 0] : []
        bytes += (0..<Int.random(in: 0...200, using: &dice)).map { _ in UInt8.random(in: 0...255, using: &dice) }
        let listener = try SilentListener(saying: bytes)
        let url = "postgres://postgres@127.0.0.1:\(listener.port)/db?sslmode=disable"
        let begun = ContinuousClock.now
        let error = #expect(throws: PostgresError.self) {
            try PostgresConnection(PostgresAddress(url), as: "tests", timeout: .seconds(1))
        }
        #expect(.now - begun < .seconds(60))
        #expect(error.map { !$0.description.contains("\u{1b}") } == true)
    }
}
