public import ATSPolicy
internal import COpenSSL

/// One X.509 certificate.
// Unchecked: a C pointer is not Sendable. OpenSSL counts references atomically and fills its caches under a lock
// (openssl-threads(7)); no code here changes a certificate after it is signed.
public final class Certificate: @unchecked Sendable {
    let raw: OpaquePointer

    /// Takes ownership of the caller's reference.
    init(owned raw: OpaquePointer) {
        self.raw = raw
    }

    /// Adds a reference.
    init(sharing raw: OpaquePointer) {
        X509_up_ref(raw)
        self.raw = raw
    }

    deinit { X509_free(raw) }

    /// The first certificate in a PEM text; nil if there is none or it cannot be read.
    public convenience init?(pem: String) {
        let bytes = Array(pem.utf8)
        let raw = bytes.withUnsafeBytes { bytes -> OpaquePointer? in
            guard let source = MemoryBIO(reading: bytes) else { return nil }
            return PEM_read_bio_X509(source.raw, nil, { _, _, _, _ in 0 }, nil)
        }
        ErrorQueue.clear()
        guard let raw else { return nil }
        self.init(owned: raw)
    }

    /// True if subject and issuer are the same name.
    var isSelfIssued: Bool { X509_get_extension_flags(raw) & UInt32(EXFLAG_SI) != 0 }

    public var der: [UInt8] { encoded { i2d_X509(raw, $0) } }

    public var pem: String {
        guard let target = MemoryBIO() else { return "" }
        PEM_write_bio_X509(target.raw, raw)
        return target.text
    }

    /// The facts that rules and reports use.
    public var facts: CertificateFacts {
        defer { ErrorQueue.clear() }
        var unkept = CertificateNames()
        return CertificateFacts(of: raw, unkept: &unkept)
    }
}

/// Returns the output of one of OpenSSL's `i2d_` functions; empty if it fails.
func encoded(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
    let length = Int(write(nil))
    guard length > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: length) { room, count in
        var cursor = room.baseAddress
        count = max(0, Int(write(&cursor)))
    }
}

/// Returns the SHA-256 of some bytes.
func sha256(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { room, count in
        SHA256(bytes, bytes.count, room.baseAddress)
        count = Int(SHA256_DIGEST_LENGTH)
    }
}

/// Returns the bytes in lower-case hexadecimal.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
}
