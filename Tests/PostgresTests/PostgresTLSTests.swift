import CPostgres
import Foundation
import Postgres
import PostgresServer
import Testing

@Suite("Servers that a connection trusts", .serialized)
final class PostgresTLSTests {
    private let server: PostgresServer

    init() throws { server = try PostgresServer() }

    private func connect(_ url: String) throws -> PostgresConnection {
        try PostgresConnection(PostgresAddress(url), as: "tests", timeout: .seconds(30))
    }

    private func isEncrypted(_ connection: PostgresConnection) throws -> Bool {
        let rows = try connection.query("SELECT ssl FROM pg_catalog.pg_stat_ssl WHERE pid = pg_backend_pid()")
        return try rows[0].bool(0)
    }

    private func refusal(_ url: String) throws -> String {
        let error = #expect(throws: PostgresError.self) { try connect(url) }
        guard case .unreachable(let words) = try #require(error) else {
            Issue.record("\(String(describing: error))")
            return ""
        }
        return words
    }

    @Test("only a certificate for the right name from the right CA is trusted, unless the address weakens it")
    func certificateDecides() throws {
        let url = server.url()
        #expect(try isEncrypted(connect(url)))

        try server.certify(names: "DNS:other.test")
        #expect(try refusal(url).contains("other.test"))
        // A certificate of that CA is enough for verify-ca.
        #expect(try isEncrypted(connect(server.url(more: ["sslmode=verify-ca"]))))

        try server.certify(isKnown: false)
        #expect(try refusal(url).contains("certificate verify failed"))
        #expect(try refusal(server.url(more: ["sslmode=verify-ca"])).contains("certificate verify failed"))
        // Without a CA file, which `require` would also check (PostgreSQL 15, section 34.19.1).
        let required = server.url(more: ["sslrootcert=/nowhere", "sslmode=require"])
        #expect(try isEncrypted(connect(required)))
        #expect(try PostgresAddress(required).remarks.count == 1)
        #expect(try !isEncrypted(connect(server.url(more: ["sslmode=disable"]))))
        // A missing file trusts no server.
        #expect(try refusal(server.url(more: ["sslrootcert=/nowhere"])).contains("/nowhere"))

        try server.certify()
        #expect(try isEncrypted(connect(url)))
    }

    @Test("a socket needs no TLS, and no password if the server requires none")
    func socketNeedsNoTLS() throws {
        #expect(try !isEncrypted(connect(server.socketURL())))
    }

    @Test("a service file sets everything except sslmode")
    func serviceFileIsNoWayAround() throws {
        let file = server.folder.path("service")
        let words = """
            [weak]
            host=127.0.0.1
            port=\(server.port)
            user=postgres
            dbname=postgres
            password=\(PostgresServer.password)
            sslrootcert=\(server.folder.path("ca.crt"))
            sslmode=disable
            """
        try Data(words.utf8).write(to: URL(fileURLWithPath: file))
        setenv("PGSERVICEFILE", file, 1)
        defer { unsetenv("PGSERVICEFILE") }
        #expect(try isEncrypted(connect("postgres://?service=weak")))
        try server.certify(isKnown: false)
        #expect(try refusal("postgres://?service=weak").contains("certificate verify failed"))
    }

    @Test("a client certificate replaces a password")
    func clientCertificateLogsIn() throws {
        try server.issueClientCertificate()
        try server.connect().run("CREATE ROLE by_certificate LOGIN")
        let folder = server.folder
        let url = "postgres://by_certificate@127.0.0.1:\(server.port)/postgres?sslrootcert=\(folder.path("ca.crt"))"
        #expect(try refusal(url).contains("certificate"))
        let own = "&sslcert=\(folder.path("by_certificate.crt"))&sslkey=\(folder.path("by_certificate.key"))"
        let rows = try connect(url + own).query("SELECT current_user::text")
        #expect(try rows[0].text(0) == "by_certificate")
    }

    @Test("the error for the system's CAs names libpq 16 as the first version with them")
    func systemCAsNeedNewerLibrary() throws {
        let words = try refusal(server.url(more: ["sslrootcert=system"]))
        let isOld = pq_lib_version() < 160_000
        #expect(words.contains(isOld ? "sslrootcert=system needs libpq 16" : "verify failed"), "\(words)")
    }

    @Test("no message repeats a password, not even a server's message")
    func passwordsAreNotRepeated() throws {
        let wrong = server.folder.path("wrong")
        try Data("*:*:*:*:hunter2\n".utf8).write(to: URL(fileURLWithPath: wrong))
        chmod(wrong, 0o600)
        let words = try refusal(server.url(more: ["passfile=\(wrong)"]))
        #expect(words.contains("password authentication failed") && !words.contains("hunter2"))

        let connection = try server.connect()
        let error = #expect(throws: PostgresError.self) {
            try connection.run("DO $$ BEGIN RAISE EXCEPTION 'you sent \(PostgresServer.password)'; END $$")
        }
        #expect(try #require(error) == .refused(sqlState: "P0001", message: "you sent ..."))
    }
}
