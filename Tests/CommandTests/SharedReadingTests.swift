import Fleet
import Foundation
import Postgres
import PostgresServer
import Testing

/// Commands report the same about a PostgreSQL server as about the file with the same loads.
@Suite("Commands that read a shared store", .timeLimit(.minutes(10)))
struct SharedReadingTests {
    let folder: Folder
    private let server: PostgresServer
    private let database: String

    init() throws {
        folder = try Folder()
        server = try PostgresServer.shared()
        database = try server.makeStoreDatabase()
    }

    /// The store's address for the administrator, who has all rights.
    private var store: String { server.url(database: database) }

    /// The store's address for a new login.
    ///
    /// - Parameter role: The role that the login gets; nil for none.
    private func store(of role: FleetRole?) throws -> String {
        let login = "login_" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let granted = role.map { " IN ROLE \($0.rawValue)" } ?? ""
        try server.connect().run("CREATE ROLE \(login) LOGIN PASSWORD '\(PostgresServer.password)'\(granted)")
        return server.url(user: login, database: database)
    }

    /// Records some loads in `file.sqlite`, and ships them.
    private func record() throws {
        let lab = try Launch.lab(in: folder)
        let curls = ["https://good", "http://open", "https://tls10", "https://gone", "http://cleartext"].map {
            "curl -s -o /dev/null \($0).lab.test/a?b=1"
        }
        for recording in ["first", "second"] {
            let run = try Binary.run(
                [
                    "run", "--config", "lab.conf", "--store", "file.sqlite", "--recording", recording,
                    "--fail-on", "none", "--", "sh", "-c", curls.joined(separator: "; ") + "; true",
                ], in: folder)
            try #require(run.status == 0, "\(run.prose)")
        }
        _ = lab.stop()
        let shipped = try Binary.run(["recordings", "import", "file.sqlite", "--store", store], in: folder)
        try #require(shipped.status == 0, "\(shipped.prose)")
    }

    @Test("a copy of a shipped store adds no loads, even with another identity, nor does an exported recording of it")
    func copies() throws {
        try record()
        let file = folder.path("file.sqlite")
        try FileManager.default.copyItem(atPath: file, toPath: folder.path("copy.sqlite"))
        let copy = try Binary.run(["recordings", "import", "copy.sqlite", "--store", store], in: folder)
        #expect(copy.status == 0 && copy.output == "copy.sqlite: 0 loads shipped\n", "\(copy.prose)")
        let again = ["recordings", "import", "file.sqlite", "--store", "new.sqlite"]
        #expect(try Binary.run(again, in: folder).status == 0)
        #expect(try Binary.run(["recordings", "import", "new.sqlite", "--store", store], in: folder).status == 0)
        for recording in ["first", "second"] {
            let shown = try Binary.run(["recordings", "list", recording, "--json", "--store", store], in: folder)
            #expect(shown.output.contains("\"loads\":5,"), "\(shown.output)")
        }
        let export = ["recordings", "export", "first", "first.jsonl", "--store", "file.sqlite"]
        #expect(try Binary.run(export, in: folder).status == 0)
        let same = try Binary.run(["recordings", "import", "first.jsonl", "copy.sqlite", "--store", store], in: folder)
        #expect(same.status == 0 && same.prose.contains("imported 0 loads from first; 5 loads were here already"))
        #expect(same.output == "copy.sqlite: 0 loads shipped\n", "\(same.prose)")
    }

    @Test("reports, lists, replays and suggestions are the same")
    func same() throws {
        try record()
        let store = try store(of: .reader)
        let formats = "text markdown html json jsonl csv csv-loads har junit sarif gitlab".split(separator: " ")
        let commands =
            formats.map { ["report", "--all", "--format", String($0)] } + [
                ["report", "--by", "host", "--format", "json"], ["report", "--diff", "first", "second"],
                ["report", "--recording", "first", "--verdict", "blocked", "--fail-on", "blocked"],
                ["report", "--host", "*.LAB.test", "--rule", "ats.*"], ["report", "--recording", "none"],
                ["recordings", "list", "--json"], ["recordings", "list", "first"], ["report", "--by", "rule"],
                ["replay", "--os", "ios10", "ios26", "--json"], ["suggest", "--format", "json"],
            ]
        for words in commands {
            let of = try ["file.sqlite", store].map { try Binary.run(words + ["--store", $0], in: folder) }
            #expect(of[0].status == of[1].status, "\(words): \(of[1].prose)")
            #expect(of[0].output == of[1].output, "\(words)")
        }
        let gate = try Binary.run(["report", "--by", "gate", "--gate", "*", "--store", store], in: folder)
        #expect(gate.status == 0 && gate.output.hasPrefix("gate "), "\(gate.prose)")
        let file = try Binary.run(["report", "--gate", "*", "--store", "file.sqlite"], in: folder)
        #expect(file.status == 64 && file.prose.contains("only a shared store knows which gate"))
    }

    @Test("replay selects the loads of one gate; for a file --gate is refused")
    func replayOfGate() throws {
        try record()
        func replay(_ words: String...) throws -> Binary.Outcome {
            try Binary.run(["replay", "--os", "ios10", "--json"] + words, in: folder)
        }
        let store = try store(of: .reader)
        let all = try replay("--store", store)
        let ours = try replay("--gate", "none", "--gate", ProcessInfo.processInfo.hostName, "--store", store)
        #expect(ours.output == all.output && !all.output.isEmpty && ours.status == all.status, "\(ours.prose)")
        let others = try replay("--gate", "none?", "--store", store)
        #expect(others.status == 3 && others.prose.contains("at gate none?"), "\(others.prose)")
        let file = try replay("--gate", "*", "--store", "file.sqlite")
        #expect(file.status == 64 && file.prose.contains("only a shared store knows which gate"), "\(file.prose)")
    }

    @Test("a reader cannot change recordings, and a login without rights sees which role it needs")
    func rights() throws {
        for role in [FleetRole.writer, nil] {
            let read = try Binary.run(["recordings", "--store", store(of: role)], in: folder)
            #expect(read.status == 69 && read.prose.contains("atsgate store init --roles"), "\(read.prose)")
            #expect(read.prose.contains("atsgate_reader"), "\(read.prose)")
        }
        try record()
        let reader = try store(of: .reader)
        let change = try Binary.run(["recordings", "rename", "first", "third", "--store", reader], in: folder)
        #expect(change.status == 69 && change.prose.contains("atsgate_maintainer"), "\(change.prose)")
    }

    @Test("doctor checks a shared store, and old loads of it are deleted")
    func maintenance() throws {
        let check = try Binary.run(["doctor", "--store", store], in: folder)
        #expect(check.status == 0 && check.output.contains("no problems\n"), "\(check.prose)")
        let prune = try Binary.run(["recordings", "delete", "--older-than", "1d", "--store", store], in: folder)
        #expect(prune.status == 0 && prune.prose.contains("deleted 0 loads"), "\(prune.prose)")
    }

    @Test("an exported recording is imported into a shared store once, under its name or another")
    func imported() throws {
        try record()
        func run(_ words: String...) throws -> Binary.Outcome {
            try Binary.run(words + ["--store", store], in: folder)
        }
        #expect(try run("recordings", "export", "first", "copy.jsonl").status == 0)
        #expect(try run("recordings", "import", "copy.jsonl").status == 0)
        #expect(try run("recordings", "list", "first", "--json").output.contains("\"loads\":5,"))
        let taken = try run("recordings", "import", "copy.jsonl", "--as", "second")
        #expect(taken.status == 65 && taken.prose.contains("already has a recording second"), "\(taken.prose)")
        let first = try run("recordings", "import", "copy.jsonl", "--as", "third")
        #expect(first.status == 0 && first.prose.contains("imported 5 loads from third"), "\(first.prose)")
        let reports = try ["first", "third"].map {
            try run("report", "--recording", $0, "--format", "csv").output
        }
        #expect(reports[0] == reports[1] && !reports[0].isEmpty)
        // A repeated import, as after an interruption, adds no load twice. After a delete it adds them again.
        #expect(try run("recordings", "import", "copy.jsonl", "--as", "third").status == 0)
        #expect(try run("recordings", "list", "third", "--json").output.contains("\"loads\":5,"))
        #expect(try run("recordings", "delete", "third").status == 0)
        #expect(try run("recordings", "import", "copy.jsonl", "--as", "third").status == 0)
        #expect(try run("recordings", "list", "third", "--json").output.contains("\"loads\":5,"))
        #expect(try run("doctor", "--count").status == 0)
    }

    @Test("an unreachable server and a database without a store end a reader with 69")
    func away() throws {
        let nobody = "postgres://ci@127.0.0.1:1/none?sslmode=disable"
        let away = try Binary.run(["report", "--store", nobody], in: folder)
        #expect(away.status == 69 && away.prose.contains("postgres://ci@127.0.0.1:1/none"))
        let empty = try Binary.run(["recordings", "--store", server.url(database: server.makeDatabase())], in: folder)
        #expect(empty.status == 69 && empty.prose.contains("atsgate store init"))
    }
}
