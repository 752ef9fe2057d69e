internal import ATSPolicy
internal import COpenSSL

/// A private key.
// Unchecked: a C pointer is not Sendable. OpenSSL counts references atomically, and no code here changes a key after
// its creation (openssl-threads(7): several threads may read an object).
final class PrivateKey: @unchecked Sendable {
    let raw: OpaquePointer

    /// Takes ownership of the caller's reference.
    init(owned raw: OpaquePointer) {
        self.raw = raw
    }

    deinit { EVP_PKEY_free(raw) }
}

/// A set of TLS settings.
// Unchecked: a C pointer is not Sendable. Several threads may call `SSL_new` on a context once its setup is over
// (openssl-threads(7)), and every class that holds one finishes its setup in `init`.
final class ContextHandle: @unchecked Sendable {
    let raw: OpaquePointer

    /// - Throws: ``TLSSetupError/library(_:)`` if OpenSSL runs out of memory or cannot read its configuration.
    init(method: OpaquePointer?) throws(TLSSetupError) {
        ErrorQueue.clear()
        guard let raw = SSL_CTX_new(method) else { throw .library(ErrorQueue.drain().first ?? 0) }
        self.raw = raw
        ossl_ctx_set_lean_modes(raw)
    }

    deinit { SSL_CTX_free(raw) }

    /// Throws the first error of the queue unless `succeeded`.
    func require(_ succeeded: Bool) throws(TLSSetupError) {
        guard succeeded else { throw .library(ErrorQueue.drain().first ?? 0) }
    }
}

/// One TLS connection.
final class ConnectionHandle {
    let raw: OpaquePointer

    init(_ context: ContextHandle) throws(TLSSetupError) {
        ErrorQueue.clear()
        guard let raw = SSL_new(context.raw) else { throw .library(ErrorQueue.drain().first ?? 0) }
        self.raw = raw
    }

    deinit {
        // Without this, closing without close_notify would invalidate the last session (ssl_clear_bad_session in
        // ssl/ssl_sess.c), which TLS 1.3 does not require. After a fatal alert it is still invalidated (RFC 8446
        // section 6.2).
        SSL_set_shutdown(raw, SSL_SENT_SHUTDOWN)
        SSL_free(raw)
    }
}

/// A list of certificates for OpenSSL. The caller must keep the certificates alive.
final class CertificateStack {
    let raw: OpaquePointer?

    init(_ certificates: [Certificate]) {
        raw = certificates.isEmpty ? nil : ossl_certificates_new()
        guard let raw else { return }
        for certificate in certificates { ossl_certificates_push(raw, certificate.raw) }
    }

    deinit {
        if let raw { ossl_certificates_free(raw) }
    }
}

/// A growing buffer that OpenSSL prints into.
final class MemoryBIO {
    let raw: OpaquePointer

    init?() {
        guard let raw = BIO_new(BIO_s_mem()) else { return nil }
        self.raw = raw
    }

    /// A read-only view of bytes that outlive it.
    init?(reading bytes: UnsafeRawBufferPointer) {
        guard let raw = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
        self.raw = raw
    }

    deinit { BIO_free_all(raw) }

    /// Everything printed so far. Bytes that are not UTF-8 are replaced.
    var text: String {
        var start: UnsafeMutablePointer<CChar>?
        let length = ossl_bio_memory(raw, &start)
        guard let start, length > 0 else { return "" }
        return String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
    }
}

/// OpenSSL's error queue, one per thread. Cleared before a call and read to the end after a failure; error texts are
/// never parsed. Source: ERR_get_error(3), SSL_get_error(3).
enum ErrorQueue {
    /// Clears the queue. Checks first, because clearing visits every slot and the queue is nearly always empty.
    static func clear() {
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }

    /// Removes and returns every packed code, oldest (so deepest) first.
    static func drain() -> [UInt64] {
        var codes: [UInt64] = []
        while codes.count < 32 {
            let code = ERR_get_error()
            if code == 0 { break }
            codes.append(UInt64(code))
        }
        ERR_clear_error()
        return codes
    }

    /// Formats a packed code for people: the number that `openssl errstr` accepts, and OpenSSL's reason if it has one.
    static func words(_ code: UInt64) -> String {
        let number = String(code, radix: 16, uppercase: true)
        return ERR_reason_error_string(UInt(code)).map { "\(number), \(String(cString: $0))" } ?? number
    }

    /// Returns the fatal alert that the peer sent, if that is why a call failed. OpenSSL adds 1000 to its number and
    /// uses that as the reason code (SSL_AD_REASON_OFFSET in ssl.h).
    static func alert(in codes: [UInt64]) -> UInt8? {
        for code in codes {
            let reason = sslReason(of: code)
            if reason > SSL_AD_REASON_OFFSET { return UInt8(exactly: reason - SSL_AD_REASON_OFFSET) }
        }
        return nil
    }

    /// Classifies a failed handshake or read. `opening` is the first bytes from the peer.
    static func failure(_ codes: [UInt64], opening: [UInt8]) -> HandshakeFailure {
        if let alert = alert(in: codes) { return .alertReceived(alert) }
        if !looksLikeTLS(opening) { return .notTLS(opening) }
        for code in codes {
            switch sslReason(of: code) {
            case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_WRONG_SSL_VERSION, SSL_R_WRONG_VERSION_NUMBER,
                SSL_R_BAD_PROTOCOL_VERSION_NUMBER, SSL_R_VERSION_TOO_LOW:
                return .versionNotOffered
            case SSL_R_WRONG_CIPHER_RETURNED, SSL_R_UNKNOWN_CIPHER_RETURNED:
                return .suiteNotOffered
            default:
                continue
            }
        }
        return .library(codes.first ?? 0)
    }

    /// True if a message was longer than the configured limit for its kind (SSL_CTX_set_max_cert_list(3)).
    static func isAboutLength(_ codes: [UInt64]) -> Bool {
        codes.contains { sslReason(of: $0) == SSL_R_EXCESSIVE_MESSAGE_SIZE }
    }

    /// True if the bytes can begin a TLS record: a content type of 20 to 23, then major version 3 (RFC 8446 section
    /// 5.1). Also true for no bytes.
    static func looksLikeTLS(_ opening: [UInt8]) -> Bool {
        guard let type = opening.first else { return true }
        return (20...23).contains(type) && (opening.count < 2 || opening[1] == 3)
    }

    private static func sslReason(of code: UInt64) -> Int32 {
        let code = UInt(truncatingIfNeeded: code)
        return ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : 0
    }
}
