internal import COpenSSL

/// Settings for handshakes with clients: TLS 1.2 and 1.3, forward secret AEAD suites only. One per process will do.
///
/// Every ClientHello is held until the machine is told how to go on. A ticket of an earlier connection is taken only
/// when host and issuer of the leaf are the same, so a refusal by an untrusted leaf cannot be slept through.
public final class ClientTLSContext: Sendable {
    let handle: ContextHandle
    private let keyLog: KeyLog?
    /// Never used for anything but to look names of suites up.
    // Unsafe: a pointer of C is not Sendable. SSL_CIPHER_find reads the library's own tables, which never change.
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
        // A library that does not know an extension does not tell of it unless it is asked to; one that does refuses this.
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

    /// What RFC 9325 section 4.2 recommends for TLS 1.2, and ChaCha20 for clients without AES instructions.
    private static let suites = "ECDHE+AESGCM:ECDHE+CHACHA20"
    private static let modernSuites = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
}

/// Answers a client's list of protocols with the first of `names` that is in it; with nothing when none is.
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
