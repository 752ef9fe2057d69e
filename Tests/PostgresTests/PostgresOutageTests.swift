import Foundation
import Postgres
import PostgresServer
import Processes
import Testing

@Suite("Slow, silent, dead and hostile servers", .serialized)
final class PostgresOutageTests {
    private let server: PostgresServer

    init() throws { server = try PostgresServer() }

    /// The time until `work` failed, which it must.
    private func timeToFail(_ work: () throws -> Void) -> (error: PostgresError?, took: Duration) {
        let begun = ContinuousClock.now
        let error = #expect(throws: PostgresError.self) { try work() }
        return (error, .now - begun)
    }

    /// A call on its own connection, for a separate thread.
    private struct Call: @unchecked Sendable {
        let work: () throws -> Void

        /// The error, nil if there was none, and the time taken.
        func timeToEnd() -> (error: (any Error)?, took: Duration) {
            let begun = ContinuousClock.now
            let result = Result { try work() }
            let took = ContinuousClock.now - begun
            guard case .failure(let error) = result else { return (nil, took) }
            return (error, took)
        }
    }

    @Test("every kind of call ends at its timeout")
    func patienceEndsCalls() async throws {
        try server.connect().run("CREATE TABLE public.item (text text)")
        let connections = try (0..<3).map { _ in try server.connect(timeout: .seconds(3)) }
        server.suspend()
        defer { server.resume() }
        let big = String(repeating: "x", count: 100_000)
        let calls = [
            Call { _ = try connections[0].query("SELECT 1") },
            Call {
                _ = try connections[1].query(
                    "INSERT INTO public.item SELECT unnest($1)", [.texts(Array(repeating: big, count: 1_000))])
            },
            Call { try connections[2].transaction {} },
            Call { [server] in _ = try server.connect(timeout: .seconds(3)) },
        ]
        try await withThrowingTaskGroup(of: (error: (any Error)?, took: Duration).self) { group in
            for call in calls { group.addTask { try await onOwnThread { call.timeToEnd() } } }
            for try await (error, took) in group {
                let place: Comment = "\(String(describing: error)) after \(took)"
                #expect(took > .milliseconds(2_900) && took < .seconds(60), place)
                #expect((error as? PostgresError)?.description.contains("3000 ms") == true, place)
            }
        }
        #expect(connections.allSatisfy { !$0.isOpen })
    }

    @Test("the server ends a statement that takes too long, and the connection stays usable")
    func slowStatementIsEnded() throws {
        let connection = try server.connect(timeout: .seconds(3))
        // The statement sleeps in the server for longer than the timeout, so the test waits only for the server's
        // refusal.
        let (error, took) = timeToFail { _ = try connection.query("SELECT pg_sleep(60)") }
        guard case .refused("57014", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(took < .seconds(30))
        #expect(try connection.query("SELECT 7")[0].int(0) == 7)
    }

    @Test("a server that dies breaks connections, and accepts new ones when it is back")
    func deathIsTold() throws {
        let connection = try server.connect()
        try connection.run("CREATE TABLE public.item (number bigint)")
        let error = #expect(throws: PostgresError.self) {
            try connection.transaction {
                try connection.run("INSERT INTO public.item VALUES (1)")
                server.stop(.immediate)
            }
        }
        guard case .broken = try #require(error) else {
            Issue.record("\(String(describing: error))")
            return
        }
        let gone = #expect(throws: PostgresError.self) { try server.connect() }
        guard case .unreachable(let words) = try #require(gone) else {
            Issue.record("\(String(describing: gone))")
            return
        }
        #expect(words.contains("\(server.port)") && !words.contains("\n"))
        try server.start()
        #expect(try server.connect().query("SELECT count(*) FROM public.item")[0].int(0) == 0)
    }

    @Test("with several hosts, the first that answers is used, even if others are silent or dead")
    func nextHostIsTaken() throws {
        let silent = try SilentListener()
        let url =
            "postgres://postgres@127.0.0.1:\(silent.port),127.0.0.1:1,127.0.0.1:\(server.port)/postgres"
            + "?sslrootcert=\(server.folder.path("ca.crt"))&passfile=\(server.folder.path("pgpass"))"
        let connection = try PostgresConnection(PostgresAddress(url), as: "tests", timeout: .seconds(3))
        #expect(try connection.query("SELECT 7")[0].int(0) == 7)
    }

    @Test("a server's messages are printable, and none reaches standard error")
    func wordsArePrintable() throws {
        let connection = try server.connect()
        let file = server.folder.path("stderr")
        let kept = dup(STDERR_FILENO)
        let caught = open(file, O_CREAT | O_WRONLY | O_TRUNC, 0o600)
        dup2(caught, STDERR_FILENO)
        let script = #"DO $$ BEGIN RAISE WARNING 'raw'; RAISE EXCEPTION E'red \x1b[31m\nline'; END $$"#
        let error = Result { try connection.run(script) }
        dup2(kept, STDERR_FILENO)
        close(kept)
        close(caught)
        #expect(throws: PostgresError.refused(sqlState: "P0001", message: #"red \u{1b}[31m line"#)) { try error.get() }
        #expect(server.folder.read("stderr").isEmpty)
    }
}
