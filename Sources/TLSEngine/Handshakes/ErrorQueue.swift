internal import ATSPolicy
internal import COpenSSL

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
