import Postgres
import Seeded
import Testing

@Suite("The address of a shared store")
struct PostgresAddressTests {
    @Test(
        "a secret is refused wherever libpq would look for it, and not repeated",
        arguments: [
            "postgres://u:hunter2@host/db", "postgresql://u:hunter2@host", "postgres://:hunter2@host/db",
            "POSTGRES://u:hunter2@host/db", "postgres://u:hunter2?x@host/db", "postgres://u:hunter2:@host/db",
            "postgres://u%3A:hunter2@host/db", "postgres://u:hunter2@one,two:5433/db",
            "postgres://host/db?password=hunter2", "postgres://host/db?user=u&password=hunter2&sslmode=require",
            "postgres://host/db?%70assword=hunter2", "postgres://host/db?PassWord=hunter2",
            "postgres:///?pass%77ord=hunter2", "postgres://host/db?sslpassword=hunter2",
            "postgres://host/db?oauth_client_secret=hunter2", "postgres://host/db?scram_client_key=hunter2",
            "postgres://host/db?scram_server_key=hunter2", "postgres://host?passwd=hunter2",
            // libpq parses these as a port and a database, but a password is clearly meant.
            "postgres://u:hunter2/x@host/db", "postgres://u:hun/ter2@host/db",
            "postgres://u@x:hunter2@host/db", "postgres://host/db?dbname=password%3Dhunter2",
            "postgres://host/postgres%3A%2F%2Fu%3Ahunter2%40host", "postgres://u%3Ahunter2@host/db",
            "postgres://u%253Ahunter2@host/db", "postgres://u%3Ahunter2%40host/db",
            "postgres://host/db?user=u%3Ahunter2", "postgres://u@hunter2@host/db",
        ])
    func secretsAreRefused(text: String) throws {
        #expect(PostgresAddress.isOne(text))
        let refusal = #expect(throws: PostgresAddress.Refusal.self) { try PostgresAddress(text) }
        let words = try #require(refusal).description
        #expect(!words.contains("hunter2") && !words.contains("ter2"), "\(words)")
    }

    @Test("a refused password is answered with the ways to supply one")
    func waysAreNamed() throws {
        let refusal = #expect(throws: PostgresAddress.Refusal.self) { try PostgresAddress("postgres://u:p@host/db") }
        let words = try #require(refusal).description
        for way in ["~/.pgpass", "?passfile=FILE", "?service=NAME", "sslcert=FILE"] { #expect(words.contains(way)) }
    }

    @Test(
        "addresses that libpq accepts are accepted, and shown in one spelling",
        arguments: [
            ("postgres://", "postgres://"),
            ("postgresql://lab@db.test/gates", "postgres://lab@db.test/gates"),
            ("postgres://lab:@db.test/gates", "postgres://lab@db.test/gates"),
            ("postgres://l%61b@db.test:5433/ga%20tes", "postgres://lab@db.test:5433/ga%20tes"),
            ("postgres://one,two:5433,[2001:db8::1]:6000/db", "postgres://one,two:5433,[2001:db8::1]:6000/db"),
            ("postgres://%2Frun%2Fpostgresql/db", "postgres:///db?host=/run/postgresql"),
            ("postgres://u@/db?port=6000&host=/run/postgresql", "postgres://u@/db?host=/run/postgresql&port=6000"),
            ("postgres:///?service=lab", "postgres://?service=lab"),
            ("postgres://h/db?passfile=/etc/pass&sslkey=/k", "postgres://h/db?passfile=/etc/pass&sslkey=/k"),
            ("postgres://h/db?ssl=true", "postgres://h/db?sslmode=require"),
            ("postgres://h/db?sslmode=require&sslmode=verify-full", "postgres://h/db?sslmode=verify-full"),
            ("postgres://h/db?user=u&port=6000", "postgres://u@h:6000/db"),
            ("postgres://h/db?", "postgres://h/db"),
        ])
    func addressesAreTaken(text: String, shown: String) throws {
        let address = try PostgresAddress(text)
        #expect(address.shown == shown)
    }

    @Test(
        "an invalid address is refused with a message",
        arguments: [
            "postgres://h/db?sslmode", "postgres://h/db?a=b=c", "postgres://h%0/db", "postgres://h%zz/db",
            "postgres://h%00/db", "postgres://h/%FF", "postgres://[::1/db", "postgres://[]/db", "postgres://[::1]x/db",
            "postgres://h:port/db", "postgres://h:0/db", "postgres://h:65536/db", "postgres://h/db?sslmode=verify",
            "postgres://h/a@b", "postgres://h/db?pin=1234", "records.sqlite", "http://h/db", "",
        ])
    func othersAreRefused(text: String) {
        #expect(throws: PostgresAddress.Refusal.self) { try PostgresAddress(text) }
    }

    @Test(
        "a text that can be a file name is not an address",
        arguments: [
            "postgres", "/postgres://", "./host=db", "../x://h", "/a/password=x", "none", "records.sqlite", "./a/b:c",
            "run=5.sqlite", "day/host=a.sqlite", "//tmp/a.sqlite", "12:30.sqlite", "", "a@b.jsonl",
            "./a@b", "a@b.sqlite", "a@b.db", "db:5432.sqlite", "./db:5432:a:b:c", "./2026-11-25T12:30:15",
            "12:30:15.sqlite", "100%.sqlite", "a%20b.sqlite", "%2Ftmp%2Fa.sqlite", "pgdump=5.sqlite", "./PG=1",
        ])
    func filesAreNoAddresses(text: String) {
        #expect(!PostgresAddress.isOne(text))
    }

    @Test(
        "other programs' notations for a server are refused with the expected form, and not repeated",
        arguments: [
            "x://hunter2", "postgres:/u:hunter2@h", "postgres:hunter2", "PostgreSQL:hunter2", "u:hunter2@host/db",
            "//u:hunter2@host/db", "postgres//u:hunter2@host/db", " postgres://u:hunter2@host/db",
            "'postgres://u:hunter2@host/db'", "host=db password=hunter2", "PASSWORD=hunter2",
            "user = u password = hunter2",
            "pgsql:host=db;password=hunter2", "service=hunter2", "sslmode=hunter2",
            "jdbc:postgresql:db?password=hunter2",
            "Server=db;Pwd=hunter2", "db?password=hunter2",
            "db:5432:ats:u:hunter2", "*:*:*:u:hunter2", "10.0.0.1:*:ats:u:hunter2", "[::1]:5432:ats:u:hunter2",
            "d\\:b.test:5432:ats:u:hunter2", "db.test:5432:hunter2", "2026-11-25T12:30:15", "my-host=a",
            "PGPASS=hunter2", "PGPASSWORD=hunter2", "export PGTOKENS='hunter2'", "pguser=hunter2", "DB_PASS=hunter2",
            "postgres%3A//u:hunter2@host", "postgres%3a%2f%2fu%3ahunter2%40host", "postgres%253A%252F%252Fhunter2",
            "password%3Dhunter2", "jdbc:postgresql://host/db?user=u", "jdbc:postgresql:hunter2",
            "u@host", "u@host/db", "u%40host/db",
            "db.test:5432", "db:5432/ats", "[::1]:5432/ats", "one:5432,two/ats",
        ])
    func otherFormsAreRefused(text: String) throws {
        #expect(PostgresAddress.isOne(text))
        let refusal = #expect(throws: PostgresAddress.Refusal.self) { try PostgresAddress(text) }
        let words = try #require(refusal).description
        #expect(words.contains("postgres://USER@HOST/DATABASE") && words.contains("./NAME"), "\(words)")
        #expect(!words.contains("hunter2"), "\(words)")
    }

    @Test(
        "TLS weaker than verify-full is remarked on, except for sockets",
        arguments: [
            ("postgres://h/db", 0), ("postgres://h/db?sslmode=verify-full", 0), ("postgres://h/db?sslmode=disable", 1),
            ("postgres://h/db?sslmode=allow", 1), ("postgres://h/db?sslmode=prefer", 1),
            ("postgres://h/db?sslmode=require", 1), ("postgres://h/db?ssl=true", 1),
            ("postgres://h/db?sslmode=verify-ca", 1), ("postgres:///db?host=/run&sslmode=disable", 0),
            ("postgres:///db?host=/run,h&sslmode=disable", 1), ("postgres:///db?hostaddr=10.0.0.1&sslmode=require", 1),
            ("postgres:///db?service=lab&sslmode=require", 1),
            ("postgres:///db?sslmode=disable", 1), ("postgres:///db?host=/run&hostaddr=10.0.0.1&sslmode=disable", 1),
            ("postgres:///db?host=@name&sslmode=disable", 0), ("postgres://,h/db?sslmode=disable", 1),
        ])
    func weakTLSIsRemarked(text: String, remarks: Int) throws {
        #expect(try PostgresAddress(text).remarks.count == remarks)
    }

    @Test("the digest identifies a store, not the way to reach it")
    func digestNamesStore() throws {
        let digest = try PostgresAddress("postgres://lab@DB.test/gates").digest
        #expect(digest.count == 32 && digest.allSatisfy { $0.isHexDigit })
        for same in [
            "postgresql://lab@db.test:5432/gates?sslmode=require", "postgres:///gates?user=lab&host=db.test",
        ] {
            #expect(try PostgresAddress(same).digest == digest)
        }
        for other in [
            "postgres://lab@db.test:5433/gates", "postgres://lab@db.test/gate", "postgres://la@db.test/gates",
            "postgres://lab@db2.test/gates", "postgres://lab@db.test/gates?service=x",
        ] {
            #expect(try PostgresAddress(other).digest != digest)
        }
    }

    @Test("no text traps, and an accepted address can be parsed again as shown", arguments: 1...20)
    func anyTextIsAnswered(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let pieces = [
            "u", ":", "@", "/", "?", "&", "=", ",", "[", "]", "%", "%41", "%2F", "5432", "host", "sslmode", "é", " ",
        ]
        for _ in 0..<500 {
            let text =
                "postgres://"
                + (0..<Int.random(in: 0...12, using: &dice)).map { _ in
                    pieces.randomElement(using: &dice) ?? ""
                }.joined()
            guard let address = try? PostgresAddress(text) else { continue }
            let again = try? PostgresAddress(address.shown)
            #expect(again?.digest == address.digest, "\(text) was shown as \(address.shown)")
        }
    }
}
