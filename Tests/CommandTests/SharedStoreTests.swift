import Fleet
import Foundation
import GRDB
import Postgres
import PostgresServer
import Testing

import func Processes.holds

/// A gate that ships its records to a shared PostgreSQL server.
@Suite("Shared stores", .timeLimit(.minutes(10)))
struct SharedStoreTests {
    let folder: Folder
    private let server: PostgresServer
    private let database: String
    private let login: String

    init() throws {
        folder = try Folder()
        server = try PostgresServer.shared()
        database = try server.makeStoreDatabase()
        login = "gate_" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let connection = try server.connect(database: database)
        try connection.run("CREATE ROLE \(login) LOGIN PASSWORD '\(PostgresServer.password)' IN ROLE atsgate_writer")
    }

    private var store: String { server.url(user: login, database: database) }

    private func number(_ sql: String) throws -> Int {
        Int(try server.connect(database: database).query("SELECT (\(sql))::bigint")[0].int(0))
    }

    /// The spools in the data folder that all commands here use.
    private var spools: [String] {
        let folder = folder.path("data/atsgate/spool")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".sqlite") }.map { folder + "/" + $0 }
    }

    @Test("a gate's loads are in the shared store when it ends, and its metrics show the progress")
    func proxy() throws {
        let lab = try Launch.lab(in: folder)
        let gate = try Launch(
            [
                "proxy", "--config", "lab.conf", "--listen", "127.0.0.1:0,label=phones", "--metrics", "127.0.0.1:0",
                "--port-file", "port", "--web", "off", "--store", store + "&sslmode=verify-ca", "--recording", "night",
            ], in: folder)
        try #require(gate.waits { !folder.read("port").isEmpty }, "\(gate.said)")
        let ports = folder.read("port").split(separator: "\n")
        #expect(gate.said.contains("records    postgres://\(login)@127.0.0.1:"))
        #expect(gate.said.contains("/spool/"))
        #expect(gate.said.contains("warning: sslmode=verify-ca is weaker than verify-full"))
        let curl = ["curl", "-s", "-o", "/dev/null", "--noproxy", "", "-x", "http://127.0.0.1:\(ports[0])"]
        for _ in 0..<3 { _ = try Binary.tool(curl + ["http://open.lab.test/"]) }
        #expect(gate.waits { (try? number("SELECT count(*) FROM atsgate.load")) == 3 })
        let asked = ["sh", "-c", "curl -s --noproxy '*' http://127.0.0.1:\(ports[1])/metrics > \"$0\""]
        // The gate counts a load once the server has confirmed it.
        #expect(
            gate.waits {
                _ = try? Binary.tool(asked + [folder.path("metrics")])
                let metrics = folder.read("metrics")
                return metrics.contains("\natsgate_spool_shipped_total 3\n")
                    && metrics.contains("\natsgate_spool_rows 0\n")
            }, "\(folder.read("metrics"))")
        #expect(folder.read("metrics").contains("\natsgate_spool_connected 1\n"))
        #expect(!folder.read("metrics").contains(login))
        _ = try Binary.tool(curl + ["http://open.lab.test/"])
        let end = gate.stop()
        #expect(end.status == 0 && !end.prose.contains("not in the shared store"))
        // The gate's own login must not read.
        #expect(end.prose.contains("again: atsgate report --store 'postgres://LOGIN-WITH-atsgate_reader@127.0.0.1:"))
        #expect(try number("SELECT count(*) FROM atsgate.load") == 4)
        #expect(try number("SELECT sum(loads)::bigint FROM atsgate.tally WHERE recording = 'night'") == 4)
        #expect(try number("SELECT count(*) FROM atsgate.gate WHERE label = 'phones' AND waiting = 0") == 1)
        #expect(spools.count == 1)
        #expect(try Binary.run(["recordings", "import", spools[0], "--store", store], in: folder).status == 0)
        #expect(try number("SELECT count(*) FROM atsgate.gate WHERE label = 'phones' AND waiting = 0") == 1)
        _ = lab.stop()
    }

    @Test("a gate's page shows the recordings of all gates if its login may read, and its own otherwise")
    func page() throws {
        let lab = try Launch.lab(in: folder)
        let curl = ["curl", "-s", "-o", "/dev/null", "http://open.lab.test/"]
        let run = [
            "run", "--config", "lab.conf", "--exit-zero", "--recording", "other", "--store", "other.sqlite", "--",
        ]
        #expect(try Binary.run(run + curl, in: folder).status == 0)
        #expect(try Binary.run(["recordings", "import", "other.sqlite", "--store", store], in: folder).status == 0)
        _ = lab.stop()
        try server.connect(database: database).run(
            "INSERT INTO gate (spool, host, version) VALUES (gen_random_uuid(), 'far', '1')")
        for mayRead in [false, true] {
            if mayRead { try server.connect(database: database).run("GRANT atsgate_reader TO \(login)") }
            let gate = try Launch(
                [
                    "proxy", "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0", "--web-url-file", "page", "--store",
                    store, "--recording", "night",
                ], in: folder)
            try #require(gate.waits { !folder.read("page").isEmpty }, "\(gate.said)")
            let page = folder.read("page").trimmingCharacters(in: .newlines).components(separatedBy: "/?token=")
            func get(_ path: String) throws -> String {
                let curl = ["curl", "-s", "--noproxy", "*", "-o", folder.path("answer"), "-H"]
                _ = try Binary.tool(curl + ["Authorization: Bearer \(page[1])", "\(page[0])/api/v1/\(path)"])
                return folder.read("answer")
            }
            let list = try get("recordings")
            #expect(list.contains(#""name":"other","loads":1"#) == mayRead, "\(list)")
            #expect(list.contains("atsgate_reader") != mayRead && list.contains(#""mayChange":false"#), "\(list)")
            for path in ["records?recording=other&limit=1", "report?recording=other&format=json"] {
                #expect(try get(path).contains("open.lab.test") == mayRead, "\(path)")
            }
            if mayRead {
                let id = try #require(get("records?recording=other").firstMatch(of: /"id":"([0-9A-Z]{26})"/)).output.1
                #expect(try get("records/\(id)").contains("open.lab.test"))
                let first = try get("records?recording=other&limit=1")
                let next = try #require(first.firstMatch(of: /"next":"([^"]+)"/)).output.1
                #expect(try get("records?recording=other&limit=1&before=\(next)").contains(#""records":[]"#))
                // The connection waits for the next list, and is replaced if it broke in the meantime.
                let readers = "FROM pg_stat_activity WHERE usename = '\(login)' AND application_name = 'atsgate'"
                #expect(try number("SELECT count(pg_terminate_backend(pid)) \(readers)") > 0)
                let after = try get("records?recording=other&limit=1")
                #expect(after.contains(#""note":null"#) && after.contains("open.lab.test"), "\(after)")
            }
            #expect(try get("state").contains(#""shared":true"#))
            try #require(
                gate.waits { (try? get("fleet").contains(#""isOwn":true"#)) == true }, "\(folder.read("answer"))")
            let fleet = folder.read("answer")
            #expect(fleet.contains(#""machine":"far""#) == mayRead && fleet.contains("atsgate_viewer") != mayRead)
            #expect(fleet.contains(#""own":{"waiting":0,"#) && fleet.contains(#""trouble":null"#), "\(fleet)")
            #expect(gate.stop().status == 0)
        }
    }

    @Test("a run without its server ends as its loads require, reports unshipped loads, and import delivers them")
    func away() throws {
        let lab = try Launch.lab(in: folder)
        let nobody = "postgres://\(login)@127.0.0.1:1/none?sslmode=disable"
        let run = try Binary.run(
            [
                "run", "--config", "lab.conf", "--store", nobody, "--ship-timeout", "100ms", "--", "sh", "-c",
                "curl -s -o /dev/null https://good.lab.test/; curl -s -o /dev/null https://good.lab.test/",
            ], in: folder)
        #expect(run.status == 0, "\(run.prose)")
        #expect(run.prose.contains("atsgate: 2 loads not in the shared store yet"))
        #expect(run.prose.contains("loads are not shipped: "))
        let spool = try #require(spools.first)
        let away = try Binary.run(["recordings", "import", spool, "--store", nobody], in: folder)
        #expect(away.status == 69)
        let shipped = try Binary.run(["recordings", "import", spool, "--store", store], in: folder)
        #expect(shipped.status == 0 && shipped.output == "\(spool): 2 loads shipped\n", "\(shipped.prose)")
        let again = try Binary.run(["recordings", "import", spool, "--store", store], in: folder)
        #expect(again.status == 0 && again.output == "\(spool): 0 loads shipped\n")
        #expect(try number("SELECT count(*) FROM atsgate.load") == 2)
        _ = lab.stop()
        let kept = try Binary.run(["setup", "uninstall", "--yes"], in: folder)
        #expect(kept.prose.contains("recordings stay: 1 spool, 0 loads not shipped; use --recordings"))
        #expect(try Binary.run(["setup", "uninstall", "--yes", "--recordings"], in: folder).status == 0)
        #expect(!FileManager.default.fileExists(atPath: folder.path("data/atsgate")))
    }

    @Test("a second signal ends a gate that waits for its server")
    func hurried() throws {
        let nobody = "postgres://\(login)@127.0.0.1:1/none?sslmode=disable"
        let gate = try Launch(
            [
                "proxy", "--listen", "127.0.0.1:0", "--port-file", "port", "--web", "off", "--store", nobody,
                "--ship-timeout", "10m",
            ], in: folder)
        try #require(gate.waits { !folder.read("port").isEmpty }, "\(gate.said)")
        let port = folder.read("port").split(separator: "\n")[0]
        let curl = ["curl", "-s", "-o", "/dev/null", "--noproxy", "", "-x", "http://127.0.0.1:\(port)"]
        _ = try Binary.tool(curl + ["http://denied.test/"])
        gate.send(SIGTERM)
        try #require(gate.waits { gate.said.contains("1 load: 1 blocked") }, "\(gate.said)")
        gate.send(SIGTERM)
        let end = gate.wait()
        #expect(end.status == 0)
        #expect(end.prose.contains("atsgate: 1 load not in the shared store yet"))
    }

    @Test("a signal ends a run that waits for its server", arguments: [SIGINT, SIGTERM])
    func hurriedRun(signal: Int32) throws {
        let nobody = "postgres://\(login)@127.0.0.1:1/none?sslmode=disable"
        let run = try Launch(
            [
                "run", "--store", nobody, "--ship-timeout", "10m", "--exit-zero", "--", "curl", "-s", "-o", "/dev/null",
                "http://denied.test/",
            ], in: folder)
        try #require(run.waits { run.said.contains("1 load: 1 blocked") }, "\(run.said)")
        // The line is printed before the wait begins, and a signal before the wait has no effect.
        _ = run.waits {
            run.send(signal)
            return run.said.contains("not in the shared store yet")
        }
        let end = run.wait()
        #expect(end.status == 0)
        #expect(end.prose.contains("atsgate: 1 load not in the shared store yet"))
    }

    @Test("a repeatedly killed import of a spool delivers each load once")
    func killed() throws {
        let lab = try Launch.lab(in: folder)
        let words = ["run", "--config", "lab.conf", "--store", "spool.sqlite", "--", "curl", "-s"]
        #expect(try Binary.run(words + ["https://good.lab.test/"], in: folder).status == 0)
        let loads = 60_000
        try DatabaseQueue(path: folder.path("spool.sqlite")).write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n(x) AS (SELECT 2 UNION ALL SELECT x + 1 FROM n WHERE x < \(loads))
                    INSERT INTO load
                        (seq, shared, diagnosis, time, path, id, client, method, sent, received, total, task,
                        task_number)
                    SELECT x, shared, diagnosis, time, path, randomblob(16), client, method, sent, received, total,
                        task, task_number
                    FROM n, load WHERE seq = 1
                    """)
        }
        var kills = 0
        // One standing connection. If each query had to connect, shipping could finish first.
        let connection = try server.connect(database: database)
        func shipped() throws -> Int64 {
            try connection.query("SELECT coalesce(sum(shipped), 0)::bigint FROM atsgate.gate")[0].int(0)
        }
        for _ in 0..<6 {
            let before = try shipped()
            let ship = try Launch(["recordings", "import", "spool.sqlite", "--store", store], in: folder)
            guard ship.waits(until: { ((try? shipped()) ?? 0) > before }) else { continue }
            ship.send(SIGKILL)
            if ship.wait().status == 128 + SIGKILL { kills += 1 }
        }
        #expect(kills > 0)
        #expect(try Binary.run(["recordings", "import", "spool.sqlite", "--store", store], in: folder).status == 0)
        #expect(try number("SELECT count(*) FROM atsgate.load") == loads)
        #expect(try number("SELECT count(DISTINCT id) FROM atsgate.load") == loads)
        #expect(try number("SELECT sum(loads)::bigint FROM atsgate.tally") == loads)
        _ = lab.stop()
    }

    @Test("import ends with 65 for a file that is not a spool, after the other files were shipped")
    func codes() throws {
        try folder.write("text", to: "text.sqlite")
        let store = store
        #expect(
            try Binary.run(["recordings", "import", "text.sqlite", "--store", "other.sqlite"], in: folder).status == 65)
        #expect(try Binary.run(["recordings", "import", "text.sqlite", "--store", store], in: folder).status == 65)
        let run = ["run", "--allow-no-loads", "--store", "good.sqlite", "--", "true"]
        #expect(try Binary.run(run, in: folder).status == 0)
        let files = ["none.sqlite", "good.sqlite", "text.sqlite"]
        let several = try Binary.run(["recordings", "import"] + files + ["--store", store], in: folder)
        #expect(several.status == 65 && several.output == "good.sqlite: 0 loads shipped\n", "\(several.prose)")
        #expect(several.prose.contains("none.sqlite") && several.prose.contains("text.sqlite"))
    }

    @Test(
        "a password in an address is refused, and not repeated",
        arguments: ["proxy", "report", "recordings import x.sqlite"])
    func password(command: String) throws {
        let words = command.split(separator: " ").map(String.init)
        let outcome = try Binary.run(words + ["--store", "postgres://ci:geheim@db.test/ats"], in: folder)
        #expect(outcome.status == 64)
        #expect(!outcome.prose.contains("geheim") && !outcome.output.contains("geheim"))
    }
}
