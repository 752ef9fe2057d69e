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
