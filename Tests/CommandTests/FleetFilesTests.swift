import Foundation
import PostgresServer
import Testing

/// The scripts that config/fleet/compose.yml runs next to its images, tested with a real server.
@Suite("config/fleet", .timeLimit(.minutes(5)))
struct FleetFilesTests {
    private static func script(_ name: String) -> String { Repository.file("config/fleet/\(name)").path }

    @Test("the CA certifies only the server's name, and a second run changes no file")
    func secrets() throws {
        let folder = try Folder()
        for _ in 0..<2 { #expect(try Binary.tool(["sh", Self.script("secrets.sh"), folder.url.path]) == 0) }
        let before = folder.read("db.crt") + folder.read("gate1.password")
        #expect(try Binary.tool(["sh", Self.script("secrets.sh"), folder.url.path]) == 0)
        #expect(folder.read("db.crt") + folder.read("gate1.password") == before)
        let verify = ["openssl", "verify", "-CAfile", folder.path("ca.crt"), "-purpose", "sslserver"]
        #expect(try Binary.tool(verify + ["-verify_hostname", "db", folder.path("db.crt")]) == 0)
        #expect(try Binary.tool(verify + ["-verify_hostname", "other", folder.path("db.crt")]) != 0)
        #expect(!FileManager.default.fileExists(atPath: folder.path("ca.key")))
    }

    @Test("logins get the passwords of their files and their roles, and a second run succeeds")
    func logins() throws {
        let server = try PostgresServer.shared()
        let database = try server.makeDatabase()
        let folder = try Folder()
        #expect(try Binary.tool(["sh", Self.script("secrets.sh"), folder.url.path]) == 0)
        try server.folder.read("ca.crt").write(toFile: folder.path("ca.crt"), atomically: true, encoding: .utf8)
        try folder.write(PostgresServer.password, to: "postgres.password")
        let administrator = server.url(database: database)
        #expect(try Binary.run(["store", "init", "--store", administrator], in: folder).status == 0)
        let path = "PATH=\(server.programs):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
        let place = [path, "PGHOST=127.0.0.1", "PGPORT=\(server.port)", "PGUSER=postgres", "PGDATABASE=\(database)"]
        for _ in 0..<2 {
            let words = ["PGSSLMODE=verify-full", "sh", Self.script("logins.sh"), folder.url.path]
            #expect(try Binary.tool(place + words) == 0)
        }
        for (login, role) in [("gate1", "atsgate_writer"), ("gate2", "atsgate_writer"), ("people", "atsgate_reader")] {
            let own = "sslrootcert=\(folder.path("ca.crt"))&passfile=\(folder.path("\(login).pgpass"))"
            let address = "postgres://\(login)@127.0.0.1:\(server.port)/\(database)?\(own)"
            let check = try Binary.run(["doctor", "--count"], in: folder, environment: ["ATSGATE_STORE": address])
            #expect(check.status == 0 && check.output.contains("login   \(login), \(role)\n"), "\(check.prose)")
        }
    }
}
