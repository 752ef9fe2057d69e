public import ATSPolicy
public import Bytes
internal import COpenSSL

/// Where a TLS connection stands.
public enum TLSState: Sendable, Hashable {
    case handshaking
    /// Client side only: the ClientHello is read and waits for ``TLSMachine/finish(leaf:alpn:)`` or a refusal.
    case helloHeld
    case established
    /// The peer said close_notify. Sending is still possible (RFC 8446 section 6.1).
    case closed
    case failed(HandshakeFailure)
}

/// One TLS connection without a socket: bytes in, bytes out. Belongs to one event loop.
///
/// Ciphertext to send lands in the outbox given at creation, or by ``redirect(to:)``, as a result of any call.
public final class TLSMachine {
    // Unchecked, with `alertReceived`: each is loaded, or stored, as a whole, and no call into OpenSSL runs meanwhile.
    @exclusivity(unchecked) public internal(set) var state = TLSState.handshaking
    /// Number of the fatal alert that the peer sent, during the handshake or after it. A client that rejects our leaf
    /// in TLS 1.3 says so after we think the handshake is done.
    @exclusivity(unchecked) public internal(set) var alertReceived: UInt8?

    let connection: ConnectionHandle
    /// nil except on the client side.
    let held: HeldHello?
    /// nil except towards origins.
    private(set) var certificateRequest: CertificateRequest?
    /// nil except towards origins whose sessions may be resumed.
    var resumption: SessionResumption?
    private let wire: Wire
    /// Callbacks reach into the context, so it lives as long as the connection.
    private let context: AnyObject
    /// Ciphertext that came while the hello was held.
    private let backlog = ByteQueue()
    /// First bytes that the peer sent, until the handshake is done.
    // Unchecked: bytes that are copied, before OpenSSL is called.
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

    /// Answers an origin that asks for a certificate, or just takes note of it.
    func awaitCertificateRequest(_ identity: ClientIdentity?) {
        let request = CertificateRequest(identity: identity)
        request.attach(to: connection.raw)
        certificateRequest = request
    }

    /// Writes the ClientHello. Only for machines towards an origin; the others wait for the peer.
    public func start() {
        if state == .handshaking { advance() }
    }

    /// What it has to say goes there from now on; what waits in the outbox given at creation goes first.
    public func redirect(to outbox: ByteQueue) {
        outbox.append(wire.outbox.bytes)
        wire.outbox.removeAll()
        wire.outbox = outbox
    }

    /// Takes all of `ciphertext`, moves the handshake on and appends what was decrypted.
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

    /// Encrypts all of `plaintext`, in records of up to 16 KiB. After a failure or ``sendClose()`` nothing is sent.
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

    /// Says close_notify, once. Does nothing before the handshake is done or after a failure.
    public func sendClose() {
        guard state == .established || state == .closed, !hasSentClose else { return }
        hasSentClose = true
        ErrorQueue.clear()
        SSL_shutdown(connection.raw)
        ErrorQueue.clear()
    }

    /// The peer's TCP stream ended. Without a close_notify before it, that is a failure in every state: the stream
    /// may have been cut (RFC 8446 section 6.1).
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

    /// The protocol agreed on by ALPN.
    public var negotiatedALPN: String? {
        var start: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(connection.raw, &start, &length)
        guard let start, length > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: start, count: Int(length)), as: UTF8.self)
    }

    /// Goes on with a handshake that waited, and with what came meanwhile.
    func resume() {
        state = .handshaking
        runBacklog(into: ByteQueue())
    }

    static let openingBytes = 16
    /// Ciphertext accepted while a hello is held, in bytes. A well-behaved client sends none.
    private static let backlogLimit = 65_536
    /// Longest plaintext of a record, in bytes (RFC 8446 section 5.1).
    public static let recordBytes = 16_384
}

extension TLSMachine {
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

    /// Works through `wire.incoming` until it is used up or the connection waits for a decision or is over.
    private func pump(into plaintext: ByteQueue) {
        let wasHandshaking = state == .handshaking
        if wasHandshaking { advance() }
        while state == .established {
            let waiting = Int(SSL_pending(connection.raw))
            guard waiting > 0 || wire.incoming.count > 0 else {
                // Asked of every load, it would be 700 instructions each time (callgrind, OpenSSL 3.0).
                if wasHandshaking || resumption?.hasHeard == true { releaseBuffers() }
                return
            }
            guard read(limit: waiting > 0 ? waiting : wire.incoming.count, into: plaintext) else { return }
        }
    }

    /// Decrypts once. Plaintext is never longer than its ciphertext, so the limit keeps small records from reserving
    /// room for large ones.
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

    /// The mode that releases buffers lets go of the one that data came in or went out by. A handshake and a ticket take
    /// both, and with the data behind them or without any, a tunnel may wait for long. A header that waits for its body
    /// lies in a buffer that SSL_free_buffers(3) takes for empty.
    private func releaseBuffers() {
        guard ossl_is_between_records(connection.raw) == 1 else { return }
        resumption?.hasHeard = false
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
}
