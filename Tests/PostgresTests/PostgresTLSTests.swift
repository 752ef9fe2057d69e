import CPostgres
import Foundation
import Postgres
import PostgresServer
import Testing

@Suite("Whom a connection believes", .serialized)
final class PostgresTLSTests {
    private let server: PostgresServer

    init() throws { server = try PostgresServer() }

    private func connect(_ url: String) throws -> PostgresConnection {
        try PostgresConnection(PostgresAddress(url), as: "tests", patience: .seconds(30))
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

    @Test("the certificate of its own name and CA is believed, and no other unless the address says so")
    func certificateDecides() throws {
        let url = server.url()
        #expect(try isEncrypted(connect(url)))

        try server.certify(names: "DNS:other.test")
        #expect(try refusal(url).contains("other.test"))
        // A certificate of that CA is enough for this.
        #expect(try isEncrypted(connect(server.url(more: ["sslmode=verify-ca"]))))

        try server.certify(isKnown: false)
        #expect(try refusal(url).contains("certificate verify failed"))
        #expect(try refusal(server.url(more: ["sslmode=verify-ca"])).contains("certificate verify failed"))
        // Without a CA to look at, which `require` would look at as well (PostgreSQL 15, section 34.19.1).
        let required = server.url(more: ["sslrootcert=/nowhere", "sslmode=require"])
        #expect(try isEncrypted(connect(required)))
        #expect(try PostgresAddress(required).remarks.count == 1)
        #expect(try !isEncrypted(connect(server.url(more: ["sslmode=disable"]))))
        // A file that is not there believes nobody.
        #expect(try refusal(server.url(more: ["sslrootcert=/nowhere"])).contains("/nowhere"))

        try server.certify()
        #expect(try isEncrypted(connect(url)))
    }

    @Test("a socket needs no TLS, and no password where the server asks for none")
    func socketNeedsNoTLS() throws {
        #expect(try !isEncrypted(connect(server.socketURL())))
    }

    @Test("a service file says all but how far to believe")
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

    @Test("a client certificate takes the place of a password")
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

    @Test("the system's CAs are named as what libpq 16 knows first")
    func systemCAsNeedNewerLibrary() throws {
        let words = try refusal(server.url(more: ["sslrootcert=system"]))
        let isOld = pq_lib_version() < 160_000
        #expect(words.contains(isOld ? "sslrootcert=system needs libpq 16" : "verify failed"), "\(words)")
    }

    @Test("no message repeats a password, the server's included")
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
