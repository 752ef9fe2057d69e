public import ATSPolicy
public import Bytes
internal import COpenSSL
import Text

/// The state of a TLS connection.
public enum TLSState: Sendable, Hashable {
    case handshaking
    /// Client side only: the ClientHello was read and waits for ``TLSMachine/finish(leaf:alpn:allowingWeakness:)`` or a
    /// refusal.
    case helloHeld
    case established
    /// The peer sent close_notify. Sending is still possible (RFC 8446 section 6.1).
    case closed
    case failed(HandshakeFailure)
}

/// One TLS connection without a socket: bytes in, bytes out. Belongs to one event loop.
///
/// Any call may append ciphertext to the outbox given at creation or by ``redirect(to:)``.
public final class TLSMachine {
    // Unchecked (also for `alertReceived`): loaded or stored as a whole, and no call into OpenSSL runs during that.
    @exclusivity(unchecked) public internal(set) var state = TLSState.handshaking
    /// The number of the fatal alert that the peer sent, during the handshake or after it. In TLS 1.3 a client rejects
    /// our leaf after the handshake is done on our side.
    @exclusivity(unchecked) public internal(set) var alertReceived: UInt8?

    let connection: ConnectionHandle
    /// nil except on the client side.
    let held: HeldHello?
    /// nil except towards origins.
    private(set) var certificateRequest: CertificateRequest?
    private let wire: Wire
    /// Kept alive because callbacks use the context.
    private let context: AnyObject
    /// Ciphertext that came while the hello was held.
    private let backlog = ByteQueue()
    /// The first bytes from the peer, until the handshake is done.
    // Unchecked: the bytes are copied before OpenSSL is called.
    @exclusivity(unchecked) private var opening: [UInt8] = []
    private var hasSentClose = false

    init(
        _ handle: ContextHandle, of context: AnyObject, held: HeldHello?, outbox: ByteQueue
    ) throws(TLSSetupError) {
        connection = try ConnectionHandle(handle)
        wire = Wire(outbox: outbox)
        self.context = context
        self.held = held
        guard let bio = wire.makeBIO() else { throw .library(ErrorQueue.drain().first ?? 0) }
        // One reference serves both directions (SSL_set_bio(3)).
        SSL_set_bio(connection.raw, bio, bio)
        if let held, !held.attach(to: connection) { throw .library(ErrorQueue.drain().first ?? 0) }
    }

    /// Answers an origin's certificate request. Without an identity, only records that it came.
    func awaitCertificateRequest(_ identity: ClientIdentity?) {
        let request = CertificateRequest(identity: identity)
        request.attach(to: connection.raw)
        certificateRequest = request
    }

    /// Writes the ClientHello. Only for machines towards an origin; the others wait for the peer.
    public func start() {
        if state == .handshaking { advance() }
    }

    /// Sends all further output to another outbox. Output that waits in the old one is moved there first.
    public func redirect(to outbox: ByteQueue) {
        outbox.append(wire.outbox.bytes)
        wire.outbox.removeAll()
        wire.outbox = outbox
    }

    /// Reads all of `ciphertext`, advances the handshake, and appends decrypted bytes.
    ///
    /// - Parameter plaintext: a queue other than the outbox.
    public func receive(_ ciphertext: UnsafeRawBufferPointer, plaintext: ByteQueue) {
        switch state {
        case .closed, .failed: return
        case .handshaking, .helloHeld, .established: break
        }
        if opening.count < Self.openingBytes, state != .established {
            opening.append(contentsOf: ciphertext.prefix(Self.openingBytes - opening.count))
        }
        if state != .helloHeld, backlog.isEmpty {
            wire.incoming = ciphertext
            pump(into: plaintext)
            keepRest(wire.incoming)
        } else {
            keepRest(ciphertext)
            runBacklog(into: plaintext)
        }
        wire.incoming = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// Encrypts all of `plaintext`, in records of up to 16 KiB. Sends nothing after a failure or ``sendClose()``.
    ///
    /// - Precondition: the handshake is done.
    public func send(_ plaintext: UnsafeRawBufferPointer) {
        switch state {
        case .handshaking, .helloHeld: preconditionFailure("sent before the handshake was done")
        case .failed: return
        case .established, .closed: break
        }
        var rest = plaintext
        while !hasSentClose, rest.count > 0 {
            ErrorQueue.clear()
            let count = SSL_write(connection.raw, rest.baseAddress, Int32(clamping: rest.count))
            guard count > 0 else { return fail() }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(count)))
        }
    }

    /// Sends close_notify, once. Does nothing before the handshake is done or after a failure.
    public func sendClose() {
        guard state == .established || state == .closed, !hasSentClose else { return }
        hasSentClose = true
        ErrorQueue.clear()
        SSL_shutdown(connection.raw)
        ErrorQueue.clear()
    }

    /// Reacts to the end of the peer's TCP stream. Without a close_notify before it this is a failure in every state,
    /// because the stream may have been cut (RFC 8446 section 6.1).
    ///
    /// - Parameter reset: by RST instead of FIN.
    public func inputEnded(reset: Bool) {
        switch state {
        case .closed, .failed: return
        case .handshaking, .helloHeld, .established: break
        }
        let isStranger = held == nil && !ErrorQueue.looksLikeTLS(opening)
        state = .failed(isStranger ? .notTLS(opening) : .closed(reset: reset))
    }

    /// The protocol negotiated by ALPN.
    public var negotiatedALPN: String? {
        var start: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(connection.raw, &start, &length)
        guard let start, length > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: start, count: Int(length)), as: UTF8.self)
    }

    /// Continues a handshake that waited, with the bytes that arrived in the meantime.
    func resume() {
        state = .handshaking
        runBacklog(into: ByteQueue())
    }

    static let openingBytes = 16
    /// Ciphertext accepted while a hello is held, in bytes. A well-behaved client sends none.
    private static let backlogLimit = 65_536
    /// Longest plaintext of a record, in bytes (RFC 8446 section 5.1).
    public static let recordBytes = 16_384

    private func advance() {
        ErrorQueue.clear()
        let result = SSL_do_handshake(connection.raw)
        if result == 1 {
            state = .established
            opening = []
            return
        }
        switch SSL_get_error(connection.raw, result) {
        case SSL_ERROR_WANT_READ: break
        case SSL_ERROR_WANT_CLIENT_HELLO_CB: state = .helloHeld
        default: fail()
        }
    }

    /// Processes `wire.incoming` until it is empty, or the connection waits for a decision or ends.
    private func pump(into plaintext: ByteQueue) {
        let wasHandshaking = state == .handshaking
        if wasHandshaking { advance() }
        while state == .established {
            let waiting = Int(SSL_pending(connection.raw))
            guard waiting > 0 || wire.incoming.count > 0 else {
                // Done for every load, this would cost 700 instructions each time (callgrind, OpenSSL 3.0).
                if wasHandshaking { releaseBuffers() }
                return
            }
            guard read(limit: waiting > 0 ? waiting : wire.incoming.count, into: plaintext) else { return }
        }
    }

    /// Decrypts once. Plaintext is never longer than its ciphertext, so the limit avoids reserving large buffers for
    /// small records.
    private func read(limit: Int, into plaintext: ByteQueue) -> Bool {
        ErrorQueue.clear()
        var count: Int32 = 0
        plaintext.append(limit: min(limit, Self.recordBytes)) { room in
            count = SSL_read(connection.raw, room.baseAddress, Int32(clamping: room.count))
            return max(0, Int(count))
        }
        if count > 0 { return true }
        switch SSL_get_error(connection.raw, count) {
        case SSL_ERROR_WANT_READ: releaseBuffers()
        case SSL_ERROR_ZERO_RETURN: state = .closed
        default: fail()
        }
        return false
    }

    /// Frees the read and write buffers. SSL_MODE_RELEASE_BUFFERS frees only the buffer of the last transfer. A
    /// handshake or a ticket fills both, and the tunnel may then stay idle for long. Between a record's header and its
    /// body nothing is freed: SSL_free_buffers(3) would treat that read buffer as empty.
    private func releaseBuffers() {
        guard ossl_is_between_records(connection.raw) == 1 else { return }
        SSL_free_buffers(connection.raw)
    }

    private func keepRest(_ rest: UnsafeRawBufferPointer) {
        guard state == .helloHeld || !backlog.isEmpty else { return }
        guard backlog.count + rest.count <= Self.backlogLimit else {
            state = .failed(.library(0))
            return backlog.removeAll()
        }
        backlog.append(rest)
    }

    private func runBacklog(into plaintext: ByteQueue) {
        guard state == .handshaking || state == .established else { return }
        let before = backlog.count
        wire.incoming = backlog.bytes
        pump(into: plaintext)
        backlog.consume(before - wire.incoming.count)
        wire.incoming = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    private func fail() {
        let codes = ErrorQueue.drain()
        alertReceived = ErrorQueue.alert(in: codes)
        let isChain = held == nil && SSL_get_state(connection.raw) == TLS_ST_CR_CERT
        state = .failed(
            isChain && ErrorQueue.isAboutLength(codes)
                ? .chainTooLarge : ErrorQueue.failure(codes, opening: opening))
        opening = []
    }

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

    /// The origin's signature in the handshake; nil with static RSA. Source: SSL_get_peer_signature_nid(3).
    var peerSignature: HandshakeSignature? {
        var type: Int32 = 0
        guard SSL_get_peer_signature_type_nid(connection.raw, &type) == 1 else { return nil }
        var digest: Int32 = 0
        // SSL_get_peer_signature_nid is a macro. An EdDSA signature has no separate digest.
        let answer = SSL_ctrl(connection.raw, SSL_CTRL_GET_PEER_SIGNATURE_NID, 0, &digest)
        let hasDigest = answer == 1 && digest != NID_undef
        let hash = hasDigest ? EVP_get_digestbyname(OBJ_nid2sn(digest)) : nil
        return HandshakeSignature(Self.scheme(type), hashBits: hash.map { Int(EVP_MD_get_size($0)) * 8 })
    }

    private static func scheme(_ type: Int32) -> HandshakeSignature.Scheme {
        switch type {
        case NID_rsaEncryption: .rsaPKCS1
        case NID_rsassaPss: .rsaPSS
        case NID_X9_62_id_ecPublicKey: .ecdsa
        case NID_dsa: .dsa
        case NID_ED25519, NID_ED448: .eddsa
        default: .other
        }
    }
}

extension ContextHandle {
    /// Removes every signature algorithm with SHA-1 from the hello. Source: SSL_CTX_set1_sigalgs_list(3).
    func refuseSHA1Signatures() throws(TLSSetupError) {
        let hashes = ["SHA256", "SHA384", "SHA512"]
        let pairs = ["ECDSA", "RSA-PSS", "RSA"].flatMap { scheme in hashes.map { "\(scheme)+\($0)" } }
        try setSignatures((pairs + ["ed25519", "ed448"]).joined(separator: ":"))
    }

    /// - Parameter list: in the format of SSL_CTX_set1_sigalgs_list(3).
    func setSignatures(_ list: String) throws(TLSSetupError) {
        var text = list.utf8CString
        let result = text.withUnsafeMutableBufferPointer {
            // SSL_CTX_set1_sigalgs_list is a macro.
            SSL_CTX_ctrl(raw, SSL_CTRL_SET_SIGALGS_LIST, 0, $0.baseAddress)
        }
        try require(result == 1)
    }

    /// Behaves like a server without RFC 7627. Source: SSL_CTX_set_options(3).
    func refuseExtendedMasterSecret() {
        SSL_CTX_set_options(raw, Self.noExtendedMasterSecret)
    }

    /// SSL_OP_NO_EXTENDED_MASTER_SECRET, which is a macro with a shift.
    private static let noExtendedMasterSecret: UInt64 = 1 << 0
}

/// The input and output of a TLS machine: the bytes of the current `receive` call, in place, and the outbox.
final class Wire {
    // Unchecked: loaded or stored as a whole, and no call into OpenSSL runs while it is stored.
    @exclusivity(unchecked) var outbox: ByteQueue
    /// Unread ciphertext. Only set while a call into OpenSSL runs.
    var incoming = UnsafeRawBufferPointer(start: nil, count: 0)

    init(outbox: ByteQueue) {
        self.outbox = outbox
    }

    /// Creates a BIO that reads and writes this wire. The wire must outlive it.
    func makeBIO() -> OpaquePointer? {
        guard let method = WireMethod.shared.raw, let bio = BIO_new(method) else { return nil }
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
        return bio
    }

    fileprivate static func of(_ bio: OpaquePointer?) -> Unmanaged<Wire>? {
        BIO_get_data(bio).map { Unmanaged<Wire>.fromOpaque($0) }
    }

    fileprivate func take(into target: UnsafeMutablePointer<CChar>, limit: Int32) -> Int32 {
        guard let source = incoming.baseAddress, limit > 0, incoming.count > 0 else { return 0 }
        let count = min(Int(limit), incoming.count)
        UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: count)
        incoming = UnsafeRawBufferPointer(rebasing: incoming.dropFirst(count))
        return Int32(count)
    }
}

/// The only BIO method of the process.
// Unchecked: a C pointer is not Sendable. The method is complete before `shared` is published, and only read
// afterwards.
private final class WireMethod: @unchecked Sendable {
    static let shared = WireMethod()

    let raw: OpaquePointer?

    private init() {
        raw = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "atsgate wire")
        guard let raw else { return }
        BIO_meth_set_write(raw) { bio, bytes, count in
            guard let bytes, count > 0, let wire = Wire.of(bio) else { return 0 }
            wire._withUnsafeGuaranteedRef { $0.outbox.append(UnsafeRawBufferPointer(start: bytes, count: Int(count))) }
            return count
        }
        BIO_meth_set_read(raw) { bio, target, limit in
            guard let target, let wire = Wire.of(bio) else { return 0 }
            ossl_bio_clear_retry(bio)
            let count = wire._withUnsafeGuaranteedRef { $0.take(into: target, limit: limit) }
            if count > 0 { return count }
            ossl_bio_retry_read(bio)
            return -1
        }
        BIO_meth_set_ctrl(raw) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
    }

    deinit { BIO_meth_free(raw) }
}

/// Answers an origin's request for a client certificate and records whether one came. OpenSSL holds a pointer to it.
final class CertificateRequest {
    private let identity: ClientIdentity?
    private(set) var hasCome = false

    init(identity: ClientIdentity?) {
        self.identity = identity
    }

    /// Registers for the request of a connection. This object must outlive the connection's last call.
    func attach(to connection: OpaquePointer) {
        SSL_set_cert_cb(
            connection,
            { connection, argument in
                guard let connection, let argument else { return 1 }
                return Unmanaged<CertificateRequest>.fromOpaque(argument).takeUnretainedValue().answer(on: connection)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// How the gate answered the request, once the handshake has ended; nil if none came.
    func outcome(on connection: OpaquePointer) -> ClientCertificateUse? {
        guard hasCome else { return nil }
        // A signature algorithm is set only if we sent a certificate (SSL_get_signature_type_nid(3)).
        var kind: Int32 = 0
        return SSL_get_signature_type_nid(connection, &kind) == 1 ? .sent : .asked
    }

    /// The callback's body. 1 continues, with or without a certificate (SSL_CTX_set_cert_cb(3)).
    private func answer(on connection: OpaquePointer) -> Int32 {
        hasCome = true
        guard let identity else { return 1 }
        let chain = CertificateStack(identity.intermediates)
        let leaf = identity.leaf
        ErrorQueue.clear()
        return SSL_use_cert_and_key(connection, leaf.certificate.raw, leaf.key.raw, chain.raw, 1)
    }
}
