import COpenSSL
import Foundation
import Postgres
import PostgresServer
import Processes
import Testing

@Suite("Servers that write large TLS records")
struct PostgresRecordTests {
    @Test("data that stays in OpenSSL while the socket is idle is part of the response")
    func remainderIsRead() throws {
        let folder = try PostgresServer.shared().folder
        let server = try LargeRecordServer(certificate: folder.path("server.crt"), key: folder.path("server.key"))
        let url = "postgres://u@127.0.0.1:\(server.port)/db?sslmode=require&sslrootcert=/nowhere"
        let connection = try PostgresConnection(PostgresAddress(url), as: "tests", timeout: .seconds(30))
        try connection.run("SELECT")
        try connection.run("SELECT")
    }
}

/// Replies to each statement that it succeeded: to the first with one message, to the others with two TLS records of 16
/// kB, the maximum (RFC 8446 section 5.1). libpq 15 has a buffer of 16 kB, partly filled by the row that continues in
/// the second record. 15.20 then enlarges it. Source of the messages: PostgreSQL 15, section 55.7.
private final class LargeRecordServer: Sendable {
    let port: Int
    private let listener: Int32

    init(certificate: String, key: String) throws {
        let (listener, port) = try Loopback.listener()
        (self.listener, self.port) = (listener, port)
        // Ends with the listener.
        Thread.detachNewThread {
            let context = SSL_CTX_new(TLS_server_method())
            defer { SSL_CTX_free(context) }
            SSL_CTX_use_certificate_file(context, certificate, X509_FILETYPE_PEM)
            SSL_CTX_use_PrivateKey_file(context, key, X509_FILETYPE_PEM)
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                Self.serve(client, context)
                close(client)
            }
        }
    }

    deinit { Loopback.end(listener) }

    private static func serve(_ client: Int32, _ context: OpaquePointer?) {
        var heard = [UInt8](repeating: 0, count: 4_096)
        // The client requests TLS, and the server accepts.
        guard recv(client, &heard, heard.count, 0) == 8, send(client, "S", 1, 0) == 1 else { return }
        let tls = SSL_new(context)
        defer { SSL_free(tls) }
        SSL_set_fd(tls, client)
        guard SSL_accept(tls) == 1 else { return }
        let ready = message("Z", [UInt8(ascii: "I")])
        let done = message("C", Array("SELECT 1\0".utf8)) + ready
        let answers = [message("R", [0, 0, 0, 0]) + ready, done, large(upTo: done)]
        var next = 0
        while SSL_read(tls, &heard, Int32(heard.count)) > 0 {
            // No client reads a reply to the last message.
            guard heard[0] != UInt8(ascii: "X") else { return }
            let answer = answers[min(next, answers.count - 1)]
            guard SSL_write(tls, answer, Int32(answer.count)) > 0 else { return }
            next += 1
        }
    }

    private static func message(_ kind: Unicode.Scalar, _ content: [UInt8]) -> [UInt8] {
        [UInt8(ascii: kind)] + bytes(Int32(content.count + 4)) + content
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// Rows of one text and the bytes after them, 32,768 bytes together.
    private static func large(upTo end: [UInt8]) -> [UInt8] {
        func row(_ size: Int) -> [UInt8] {
            message("D", bytes(Int16(1)) + bytes(Int32(size - 11)) + [UInt8](repeating: 120, count: size - 11))
        }
        let column = Array("x\0".utf8) + bytes(Int32(0)) + bytes(Int16(0)) + bytes(Int32(25)) + bytes(Int16(-1))
        var answer = message("T", bytes(Int16(1)) + column + bytes(Int32(-1)) + bytes(Int16(0)))
        while answer.count + end.count + 200 < 32_768 { answer += row(100) }
        return answer + row(32_768 - answer.count - end.count) + end
    }
}
