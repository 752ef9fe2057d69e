internal import ATSPolicy
internal import COpenSSL

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
