public import Bytes
internal import COpenSSL
import Text

extension TLSMachine {
    /// Creates a machine towards an origin.
    ///
    /// - Parameters:
    ///   - serverName: host of the load; sent as SNI unless it is an IP address in any spelling (RFC 6066 section 3).
    ///     Empty sends none.
    ///   - isVerbatim: sends the name byte for byte, even an address or a trailing dot.
    ///   - alpn: protocols in order of preference; empty sends no extension.
    ///   - identity: the certificate for an origin that requests one.
    /// - Throws: ``TLSSetupError/serverName`` and ``TLSSetupError/protocolName`` for values that do not fit into a
    ///   hello.
    public static func origin(
        _ context: OriginTLSContext, serverName: String, isVerbatim: Bool = false, alpn: [String],
        identity: ClientIdentity? = nil, outbox: ByteQueue
    ) throws(TLSSetupError) -> TLSMachine {
        let machine = try TLSMachine(context.handle, of: context, held: nil, outbox: outbox)
        let raw = machine.connection.raw
        SSL_set_connect_state(raw)
        machine.awaitCertificateRequest(identity)
        // SNI carries no trailing dot (RFC 6066 section 3).
        let name = isVerbatim ? serverName : String(HostGrammar.withoutTrailingDot(serverName[...]))
        guard !name.utf8.contains(0) else { throw .serverName }
        if isVerbatim || IPAddress(host: name) == nil, !name.isEmpty {
            guard ossl_set_server_name(raw, name) == 1 else {
                ErrorQueue.clear()
                throw .serverName
            }
        }
        let names = try ProtocolNames(alpn)
        // Unlike most functions of OpenSSL, this returns 0 for success (SSL_set_alpn_protos(3)).
        guard names.wire.isEmpty || SSL_set_alpn_protos(raw, names.wire, UInt32(names.wire.count)) == 0 else {
            throw .library(ErrorQueue.drain().first ?? 0)
        }
        return machine
    }

    /// Creates a machine towards a client. It stops at ``TLSState/helloHeld``.
    public static func client(_ context: ClientTLSContext, outbox: ByteQueue) throws(TLSSetupError) -> TLSMachine {
        let machine = try TLSMachine(context.handle, of: context, held: HeldHello(), outbox: outbox)
        SSL_set_accept_state(machine.connection.raw)
        return machine
    }

    /// Creates a machine of a lab origin. It answers by its fixed settings.
    public static func server(_ context: ServerTLSContext, outbox: ByteQueue) throws(TLSSetupError) -> TLSMachine {
        let machine = try TLSMachine(context.handle, of: context, held: nil, outbox: outbox)
        SSL_set_accept_state(machine.connection.raw)
        return machine
    }

    /// The hello that is or was held; nil before it came, and for other machines.
    public var clientHello: ClientHello? { held?.hello }

    /// Continues with a held hello: serves `leaf`, and answers ALPN with `alpn` if the client offered it.
    ///
    /// - Parameter allowingWeakness: for leaves that clients should reject for their key or hash.
    /// - Precondition: the state is ``TLSState/helloHeld``.
    public func finish(leaf: Leaf, alpn: String?, allowingWeakness: Bool = false) {
        guard let held, state == .helloHeld else { preconditionFailure("no hello is held") }
        ErrorQueue.clear()
        let raw = connection.raw
        // At level 1 OpenSSL would not serve MD5 and SHA-1 signatures (SSL_CTX_set_security_level(3)).
        if allowingWeakness { SSL_set_security_level(raw, 0) }
        let chain = CertificateStack(leaf.intermediates)
        // Tickets are only accepted in the same context (SSL_set_session_id_context(3)).
        let scope = leaf.resumptionScope
        guard SSL_use_cert_and_key(raw, leaf.identity.certificate.raw, leaf.identity.key.raw, chain.raw, 1) == 1,
            SSL_set_session_id_context(raw, scope, UInt32(scope.count)) == 1
        else { return refuse(alert: Self.internalError) }
        held.accept(alpn.flatMap { try? ProtocolNames([$0]) })
        resume()
    }

    /// Answers a held hello with this fatal alert. The machine then fails with an error of our side.
    ///
    /// - Precondition: the state is ``TLSState/helloHeld``.
    public func refuse(alert: UInt8) {
        guard let held, state == .helloHeld else { preconditionFailure("no hello is held") }
        held.refuse(alert: alert)
        resume()
    }

    /// RFC 8446 section 6.2.
    private static let internalError: UInt8 = 80
}
