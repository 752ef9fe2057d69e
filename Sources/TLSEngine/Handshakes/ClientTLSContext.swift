public import ATSPolicy
public import Bytes
internal import COpenSSL

/// The settings for handshakes with clients: TLS 1.2 and 1.3, forward secret AEAD suites only. One per process is
/// enough.
///
/// Every ClientHello is held until the caller decides how to answer. A session ticket is only accepted for the same
/// host and issuer of the leaf. So a client cannot evade a refusal (an untrusted leaf) by resuming an earlier session.
public final class ClientTLSContext: Sendable {
    let handle: ContextHandle
    private let keyLog: KeyLog?
    /// Only used to look up names of suites.
    // Unsafe: a C pointer is not Sendable. SSL_CIPHER_find reads the library's own tables, which never change.
    nonisolated(unsafe) let names: ConnectionHandle

    public init(keyLog: KeyLog? = nil) throws(TLSSetupError) {
        self.keyLog = keyLog
        handle = try ContextHandle(method: TLS_server_method())
        keyLog?.attach(to: handle)
        let context = handle.raw
        SSL_CTX_set_security_level(context, 1)
        try handle.require(ossl_ctx_set_versions(context, TLS1_2_VERSION, TLS1_3_VERSION) == 1)
        try handle.require(SSL_CTX_set_cipher_list(context, Self.suites) == 1)
        try handle.require(SSL_CTX_set_ciphersuites(context, Self.modernSuites) == 1)
        try handle.require(ossl_ctx_set_groups(context, "X25519:P-256:P-384") == 1)
        try handle.require(SSL_CTX_set_num_tickets(context, 1) == 1)
        ossl_ctx_server_preference(context)
        // OpenSSL only reports an extension it does not know if it is registered; a version that knows it rejects this
        // call.
        SSL_CTX_add_custom_ext(
            context, ClientHello.encryptedClientHello, UInt32(SSL_EXT_CLIENT_HELLO), nil, nil, nil, nil, nil)
        names = try ConnectionHandle(handle)
        SSL_CTX_set_client_hello_cb(
            context,
            { connection, alert, _ in
                HeldHello.of(connection)?.decide(for: connection, alert: alert) ?? SSL_CLIENT_HELLO_ERROR
            }, nil)
        SSL_CTX_set_alpn_select_cb(
            context,
            { connection, chosen, chosenLength, offered, offeredLength, _ in
                let names = HeldHello.of(connection)?.protocolNames
                return answer(names, chosen, chosenLength, offered, offeredLength)
            }, nil)
    }

    /// The TLS 1.2 suites that RFC 9325 section 4.2 recommends, and ChaCha20 for clients without AES instructions.
    private static let suites = "ECDHE+AESGCM:ECDHE+CHACHA20"
    private static let modernSuites = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
}

/// Answers a client's ALPN list with the first of `names` in it; sends no answer if none is.
func answer(
    _ names: ProtocolNames?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ chosenLength: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ offeredLength: UInt32
) -> Int32 {
    let list = UnsafeBufferPointer(start: offered, count: Int(offeredLength))
    guard let offered, let choice = names?.choice(in: list) else { return SSL_TLSEXT_ERR_NOACK }
    chosen?.pointee = offered + choice.offset
    chosenLength?.pointee = choice.length
    return SSL_TLSEXT_ERR_OK
}

/// Application protocol names, encoded as in a hello. Source: RFC 7301 section 3.1.
struct ProtocolNames: Sendable {
    /// Each name after its length.
    let wire: [UInt8]

    init(_ names: [String]) throws(TLSSetupError) {
        var wire: [UInt8] = []
        for name in names {
            guard let length = UInt8(exactly: name.utf8.count), length > 0 else { throw .protocolName }
            wire.append(length)
            wire.append(contentsOf: name.utf8)
        }
        self.wire = wire
    }

    /// Returns the offset and length, in a client's list, of the first of our names that the list contains.
    func choice(in offered: UnsafeBufferPointer<UInt8>) -> (offset: Int, length: UInt8)? {
        var index = 0
        while index < wire.count {
            let length = Int(wire[index])
            let ours = wire[(index + 1)..<min(index + 1 + length, wire.count)]
            var place = 0
            while place < offered.count {
                let start = place + 1
                let end = start + Int(offered[place])
                guard end <= offered.count else { break }
                if offered[start..<end].elementsEqual(ours) { return (start, offered[place]) }
                place = end
            }
            index += 1 + length
        }
        return nil
    }
}

/// The reason why a context or a machine could not be created. The cause is our own or the user's settings, never a
/// peer.
public enum TLSSetupError: Error, Sendable, Hashable {
    /// The TLS library supports none of the offered suites, or none that fits the versions.
    case noUsableSuite
    /// The name does not fit into a ClientHello: longer than 255 bytes or with a zero byte (RFC 6066 section 3).
    case serverName
    /// A protocol name is empty or longer than 255 bytes (RFC 7301 section 3.1).
    case protocolName
    /// OpenSSL failed, with its packed error code.
    case library(UInt64)
}

extension TLSSetupError: CustomStringConvertible {
    /// The problem, without a full stop.
    public var description: String {
        switch self {
        case .noUsableSuite: "the TLS library supports none of the suites"
        case .serverName: "the name does not fit into a ClientHello"
        case .protocolName: "a protocol name is empty or too long"
        case .library(let code): "OpenSSL error \(ErrorQueue.words(code))"
        }
    }
}

/// A client whose hello waits for an answer from the gate or from the origin.
///
/// If the origin answers, the gate does no handshake. OpenSSL is then only needed to read a fragmented or unusual
/// hello, or if the gate must answer after all.
public final class HeldClient {
    public let hello: ClientHello
    private let context: ClientTLSContext
    private let bytes: [UInt8]
    private var known: TLSMachine?

    /// Creates a client that has sent only its hello, in one record; nil for any other bytes.
    public init?(_ bytes: UnsafeRawBufferPointer, _ context: ClientTLSContext) {
        guard let hello = ClientHello(alone: bytes) else { return nil }
        self.hello = hello
        self.context = context
        self.bytes = Array(bytes)
    }

    /// Creates the client of a machine that holds its hello; nil if it holds none.
    public init?(_ machine: TLSMachine, _ context: ClientTLSContext) {
        guard machine.state == .helloHeld, let hello = machine.clientHello else { return nil }
        self.hello = hello
        self.context = context
        bytes = []
        known = machine
    }

    /// Returns the machine that can answer the hello, at ``TLSState/helloHeld``.
    ///
    /// - Parameter outbox: the queue for its output from now on.
    public func machine(outbox: ByteQueue) throws(TLSSetupError) -> TLSMachine {
        if let known {
            known.redirect(to: outbox)
            return known
        }
        let machine = try TLSMachine.client(context, outbox: outbox)
        bytes.withUnsafeBytes { machine.receive($0, plaintext: ByteQueue()) }
        known = machine
        return machine
    }

    /// Returns a suite by its number, with OpenSSL's standard name for it.
    public func suite(_ code: UInt16) -> CipherSuite { context.suite(code) }
}

/// A ClientHello that waits for the gate's decision. OpenSSL's callbacks hold a pointer to it.
final class HeldHello {
    private enum Decision {
        case pending
        case accepted(ProtocolNames?)
        case refused(alert: UInt8)
    }

    private(set) var hello: ClientHello?
    private var decision = Decision.pending

    var protocolNames: ProtocolNames? {
        if case .accepted(let names) = decision { names } else { nil }
    }

    func accept(_ names: ProtocolNames?) { decision = .accepted(names) }

    func refuse(alert: UInt8) { decision = .refused(alert: alert) }

    /// Stores a pointer to this object in the connection. The object must outlive the connection's last call.
    func attach(to connection: ConnectionHandle) -> Bool {
        SSL_set_ex_data(connection.raw, 0, Unmanaged.passUnretained(self).toOpaque()) == 1
    }

    static func of(_ connection: OpaquePointer?) -> HeldHello? {
        guard let pointer = SSL_get_ex_data(connection, 0) else { return nil }
        return Unmanaged<HeldHello>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// The body of the client hello callback. It runs once per attempt, so again after each resumption
    /// (SSL_CTX_set_client_hello_cb(3)).
    func decide(for connection: OpaquePointer?, alert: UnsafeMutablePointer<Int32>?) -> Int32 {
        if hello == nil { hello = ClientHello(during: connection) }
        switch decision {
        case .pending:
            return SSL_CLIENT_HELLO_RETRY
        case .accepted:
            return SSL_CLIENT_HELLO_SUCCESS
        case .refused(let code):
            alert?.pointee = Int32(code)
            return SSL_CLIENT_HELLO_ERROR
        }
    }
}
