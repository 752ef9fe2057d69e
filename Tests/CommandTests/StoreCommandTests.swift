import Foundation
import Postgres
import PostgresServer
import Testing

/// A shared store, used with the built command.
@Suite("store", .timeLimit(.minutes(5)))
struct StoreCommandTests {
    let folder: Folder
    let server: PostgresServer
    let database: String

    init() throws {
        folder = try Folder()
        server = try PostgresServer.shared()
        database = try server.makeDatabase()
    }

    private func store(_ words: [String], as user: String = "postgres") throws -> Binary.Outcome {
        try Binary.run(["store"] + words + ["--store", server.url(user: user, database: database)], in: folder)
    }

    private func check(_ words: [String] = []) throws -> Binary.Outcome {
        try Binary.run(["doctor"] + words + ["--store", server.url(user: "postgres", database: database)], in: folder)
    }

    @Test("doctor reports a missing schema, init creates it, and then no problem remains")
    func life() throws {
        let before = try check()
        #expect(before.status == 69 && before.output.contains("problem: the database has no schema atsgate"))
        #expect(try store(["init"]).prose.contains("created "))
        #expect(try store(["init"]).prose.contains("already up to date"))
        let after = try check(["--count"])
        #expect(after.status == 0 && after.output.contains("no problems\n"))
        let json = try JSONSerialization.jsonObject(with: Data(try check(["--json"]).output.utf8))
        #expect((json as? [String: Any])?["schema"] as? String == "current")
        let roles = try store(["init", "--roles"])
        #expect(roles.status == 0 && roles.output.contains("atsgate_writer") && roles.output.contains("GRANT"))
    }

    @Test("prune deletes old days for a maintainer, and refuses a reader")
    func prune() throws {
        #expect(try store(["init"]).status == 0)
        let connection = try server.connect(database: database)
        try connection.run(
            """
            DO $$ BEGIN CREATE ROLE prune_reader LOGIN PASSWORD '\(PostgresServer.password)';
            EXCEPTION WHEN duplicate_object THEN NULL; END $$;
            GRANT atsgate_reader TO prune_reader;
            SELECT make_day('2020-02-29'), make_day((now() AT TIME ZONE 'UTC')::date);
            INSERT INTO load (gate, seq, id, time, shared, path, client, method, sent, received, total)
                VALUES (gen_random_uuid(), 1, gen_random_uuid(), '2020-02-29', gen_random_uuid(), '/', '', 'GET', 0, 0,
                0);
            """)
        func prune(as user: String) throws -> Binary.Outcome {
            let address = server.url(user: user, database: database)
            let words = ["recordings", "delete", "--older-than", "30d", "--store", address]
            return try Binary.run(words, in: folder)
        }
        let refused = try prune(as: "prune_reader")
        #expect(refused.status != 0 && refused.prose.contains("permission denied for table load"))
        let done = try prune(as: "postgres")
        #expect(done.status == 0 && done.prose.contains("deleted day 2020-02-29 with 1 load\n"))
        #expect(try prune(as: "postgres").prose.contains("deleted 0 loads"))
        #expect(try connection.query("SELECT FROM days WHERE day <= now()").count == 1)
    }

    @Test("psql accepts the output of --dry-run, and afterwards nothing is missing")
    func dryRun() throws {
        let script = try Binary.run(["store", "init", "--dry-run"], in: folder)
        #expect(script.status == 0)
        let file = folder.path("init.sql")
        try script.output.write(toFile: file, atomically: true, encoding: .utf8)
        let address = server.socketURL(database: database)
        #expect(
            try Binary.tool([server.programs + "/psql", "--quiet", "--no-psqlrc", "--dbname", address, "--file", file])
                == 0)
        #expect(try store(["init", "--dry-run"]).output == "-- nothing is missing\n")
        #expect(try check().status == 0)
        let roles = try Binary.run(["store", "init", "--roles", "--dry-run"], in: folder)
        #expect(roles.status == 0 && roles.output.contains("atsgate_maintainer"))
    }

    @Test(
        "a schema of another version, an unreachable server, a password in the address and no address have their exit codes"
    )
    func failures() throws {
        #expect(try store(["init"]).status == 0)
        try server.connect(database: database).run("UPDATE version SET number = 1")
        for outcome in try [store(["init"]), store(["init", "--dry-run"]), check()] {
            #expect(outcome.status == 69)
            #expect((outcome.output + outcome.prose).contains("version 1 of the schema"))
        }
        let nobody = try Binary.run(["doctor", "--store", "postgres://a@127.0.0.1:1/x"], in: folder)
        #expect(nobody.status == 69 && nobody.prose.contains("postgres://a@127.0.0.1:1/x"))
        let secret = try Binary.run(["doctor", "--store", "postgres://a:geheim@127.0.0.1/x"], in: folder)
        #expect(secret.status == 64 && !(secret.output + secret.prose).contains("geheim"))
        #expect(try Binary.run(["store", "init"], in: folder).status == 64)
        #expect(try Binary.run(["doctor", "--count", "--store", "s.sqlite"], in: folder).status == 64)
    }

    @Test("a server without TLS, or with nothing else, gets an error with the sslmode that it needs")
    func sslmode() throws {
        let plain = try PostgresServer(options: ["ssl = off"])
        for words in [["store", "init"], ["doctor"], ["policy", "list"]] {
            let outcome = try Binary.run(words + ["--store", plain.url()], in: folder)
            #expect(outcome.status == 69 && outcome.prose.contains("/DATABASE?sslmode=disable"), "\(outcome.prose)")
        }
        let allowed = try Binary.run(["store", "init", "--store", plain.url(more: ["sslmode=disable"])], in: folder)
        #expect(allowed.status == 0, "\(allowed.prose)")
        let strict = try PostgresServer()
        try strict.connect().run(
            """
            DO $$ BEGIN
                EXECUTE format('COPY (VALUES (''local all all trust''), (''hostssl all all all scram-sha-256'')) TO %L',
                    current_setting('hba_file'));
                PERFORM pg_reload_conf();
            END $$
            """)
        let refused = try Binary.run(["store", "init", "--store", strict.url(more: ["sslmode=disable"])], in: folder)
        #expect(refused.status == 69 && refused.prose.contains("use sslmode=verify-full"), "\(refused.prose)")
        #expect(try Binary.run(["store", "init", "--store", strict.url()], in: folder).status == 0)
    }
}
