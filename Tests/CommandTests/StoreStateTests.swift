import Foundation
import Postgres
import PostgresServer
import Testing

/// Exit codes of commands for a shared store that cannot be used as it is.
@Suite("States of shared stores", .timeLimit(.minutes(5)))
struct StoreStateTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// A state of the server that keeps gates from its store.
    enum Hindrance: CaseIterable {
        case noSchema, otherSchema, blindLogin
    }

    @Test("a server or login state that prevents work ends every command with 69", arguments: Hindrance.allCases)
    func hindered(by hindrance: Hindrance) throws {
        let server = try PostgresServer.shared()
        let database = try server.makeStoreDatabase()
        let connection = try server.connect(database: database)
        let login = "login_" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        try connection.run("CREATE ROLE \(login) LOGIN PASSWORD '\(PostgresServer.password)'")
        var store = server.url(database: database)
        switch hindrance {
        case .noSchema: store = server.url(database: try server.makeDatabase())
        case .otherSchema: try connection.run("UPDATE version SET number = 1")
        case .blindLogin: store = server.url(user: login, database: database)
        }
        let run = ["run", "--allow-no-loads", "--store", "file.sqlite", "--recording", "one", "--", "true"]
        #expect(try Binary.run(run, in: folder).status == 0)
        #expect(
            try Binary.run(["recordings", "export", "one", "one.jsonl", "--store", "file.sqlite"], in: folder).status
                == 0)
        for words in [
            ["recordings", "import", "file.sqlite"], ["policy", "list"], ["policy", "pull", "lab"], ["report"],
            ["recordings"],
            ["recordings", "import", "one.jsonl"], ["replay", "--os", "ios17"], ["doctor"],
            ["run", "--policy", "store:lab"],
        ] {
            let command = words[0] == "run" ? ["--", "true"] : []
            let outcome = try Binary.run(words + ["--store", store] + command, in: folder)
            #expect(outcome.status == 69, "\(words): \(outcome.prose)")
        }
    }
}
