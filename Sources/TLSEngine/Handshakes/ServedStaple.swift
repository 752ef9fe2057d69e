internal import COpenSSL

/// The OCSP response that a lab origin staples. A callback points to it, so it must live as long as its context.
final class ServedStaple: Sendable {
    private let response: [UInt8]

    init(_ response: [UInt8]) {
        self.response = response
    }

    /// Answers the status requests of clients (RFC 6066 section 8).
    func attach(to context: ContextHandle) {
        ossl_ctx_on_status_request(
            context.raw,
            { connection, argument in
                guard let connection, let argument else { return SSL_TLSEXT_ERR_NOACK }
                let staple = Unmanaged<ServedStaple>.fromOpaque(argument).takeUnretainedValue()
                let isSet = ossl_staple(connection, staple.response, staple.response.count) == 1
                return isSet ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}

extension ContextHandle {
    /// Sends timestamps to clients that request them in the handshake (RFC 6962 section 3.3.1). Set the leaf first.
    func serveTimestamps(_ timestamps: [[UInt8]]) throws(TLSSetupError) {
        if timestamps.isEmpty { return }
        let context = UInt64(SSL_EXT_CLIENT_HELLO | SSL_EXT_TLS1_2_SERVER_HELLO | SSL_EXT_TLS1_3_CERTIFICATE)
        // SSL_SERVERINFOV2 of SSL_CTX_use_serverinfo_ex(3): contexts, type, length, value.
        let entry =
            TimestampList.bigEndian(context, bytes: 4)
            + TimestampList.bigEndian(UInt64(TLSEXT_TYPE_signed_certificate_timestamp), bytes: 2)
            + TimestampList.sized(TimestampList.tls(timestamps))
        try require(SSL_CTX_use_serverinfo_ex(raw, UInt32(SSL_SERVERINFOV2), entry, entry.count) == 1)
    }
}
