import Bytes
import COpenSSL
import TLSEngine
import Testing

@Suite("tickets of the gate's clients")
struct ClientTicketTests {
    /// An OpenSSL client that keeps the session of its latest connection.
    private final class App {
        private let context = SSL_CTX_new(TLS_client_method())
        private var session: OpaquePointer?

        deinit {
            SSL_SESSION_free(session)
            SSL_CTX_free(context)
        }

        /// Shakes hands with a gate that serves `leaf`. Returns true if the gate accepted the kept session.
        func visit(_ gate: Side, host: String, leaf: Leaf) throws -> Bool {
            let connection = try #require(SSL_new(context))
            defer { SSL_free(connection) }
            // The connection owns both.
            let (input, output) = (try #require(BIO_new(BIO_s_mem())), try #require(BIO_new(BIO_s_mem())))
            SSL_set_bio(connection, input, output)
            SSL_set_connect_state(connection)
            try host.withCString { name in try #require(ossl_set_server_name(connection, name) == 1) }
            if let session { try #require(SSL_set_session(connection, session) == 1) }
            SSL_do_handshake(connection)
            gate.receive(Self.taken(from: output))
            gate.machine.finish(leaf: leaf, alpn: nil)
            Self.give(gate, to: input)
            try #require(SSL_do_handshake(connection) == 1)
            gate.receive(Self.taken(from: output))
            // The tickets follow the client's last flight.
            Self.give(gate, to: input)
            var byte: UInt8 = 0
            SSL_read(connection, &byte, 1)
            SSL_SESSION_free(session)
            session = SSL_get1_session(connection)
            try #require(gate.machine.state == .established)
            // Otherwise freeing the connection would make the session unusable (SSL_set_shutdown(3)).
            SSL_set_shutdown(connection, SSL_SENT_SHUTDOWN)
            return SSL_session_reused(connection) == 1
        }

        private static func taken(from bio: OpaquePointer) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = BIO_read(bio, &bytes, Int32(bytes.count))
            return Array(bytes.prefix(max(0, Int(count))))
        }

        private static func give(_ side: Side, to bio: OpaquePointer) {
            let bytes = Array(side.outbox.bytes)
            side.outbox.consume(bytes.count)
            BIO_write(bio, bytes, Int32(bytes.count))
        }
    }

    @Test("a ticket is accepted for the same host and issuer only")
    func scope() throws {
        let (app, tickets) = (App(), try ClientTLSContext())
        let ours = try CertificateAuthority.ephemeral(commonName: "Gate", now: now)
        let otherCA = try CertificateAuthority.ephemeral(commonName: "Nobody", now: now)
        func visit(_ authority: CertificateAuthority, host: String) throws -> Bool {
            let gate = try Side { try TLSMachine.client(tickets, outbox: $0) }
            // A new mint each time, so that the leaf differs as well.
            return try app.visit(gate, host: host, leaf: try LeafMint(authority: authority).leaf(for: host, now: now))
        }
        #expect(try !visit(ours, host: "a.test"))
        #expect(try visit(ours, host: "a.test"))
        #expect(try !visit(otherCA, host: "a.test"))
        #expect(try visit(otherCA, host: "a.test"))
        #expect(try !visit(otherCA, host: "b.test"))
    }
}
