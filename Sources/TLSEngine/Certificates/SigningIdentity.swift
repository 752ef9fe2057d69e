internal import COpenSSL
internal import Files
internal import Foundation
import Text

/// A certificate and its private key, for signing or for a server.
public final class SigningIdentity: Sendable {
    public let certificate: Certificate
    let key: PrivateKey

    init(certificate: Certificate, key: PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    /// Reads a pair; nil if either is unreadable, they do not match, or the key has a passphrase.
    public convenience init?(certificatePEM: String, keyPEM: String) {
        guard let certificate = Certificate(pem: certificatePEM), let key = PrivateKey(pem: keyPEM),
            key.matches(certificate)
        else { return nil }
        self.init(certificate: certificate, key: key)
    }

    public var certificatePEM: String { certificate.pem }

    /// PKCS #8, not encrypted.
    public var keyPEM: String { key.pem }
}

extension PrivateKey {
    convenience init?(pem: String) {
        let bytes = Array(pem.utf8)
        let raw = bytes.withUnsafeBytes { bytes -> OpaquePointer? in
            guard let source = MemoryBIO(reading: bytes) else { return nil }
            // Without a callback OpenSSL would prompt for a passphrase on the terminal (PEM_read_bio_PrivateKey(3)).
            return PEM_read_bio_PrivateKey(source.raw, nil, { _, _, _, _ in 0 }, nil)
        }
        ErrorQueue.clear()
        guard let raw else { return nil }
        self.init(owned: raw)
    }

    var pem: String {
        guard let target = MemoryBIO() else { return "" }
        PEM_write_bio_PrivateKey(target.raw, raw, nil, nil, 0, nil, nil)
        return target.text
    }

    func matches(_ certificate: Certificate) -> Bool {
        defer { ErrorQueue.clear() }
        return X509_check_private_key(certificate.raw, raw) == 1
    }
}

/// The certificate and key that a server uses, with the certificates between it and the root.
public final class Leaf: Sendable {
    public let identity: SigningIdentity
    /// Sent after the leaf, in order.
    public let intermediates: [Certificate]
    /// Sessions are resumed only within the same scope: 32 bytes.
    let resumptionScope: [UInt8]

    public init(identity: SigningIdentity, intermediates: [Certificate] = []) {
        self.identity = identity
        self.intermediates = intermediates
        resumptionScope = sha256(identity.certificate.der)
    }

    /// A leaf that shares resumption with earlier leaves of the same issuer for the same host.
    ///
    /// - Parameter issuer: SHA-256 of the issuer's certificate.
    init(identity: SigningIdentity, issuer: [UInt8], host: String) {
        self.identity = identity
        intermediates = []
        resumptionScope = sha256(issuer + Array(host.utf8))
    }

    /// Approximate memory of a leaf: certificate and key in OpenSSL.
    public static let bytes = 6_144

    public var der: [UInt8] { identity.certificate.der }
}

extension PrivateKey {
    /// Eight hexadecimal digits that identify this key.
    var shortName: String { sha256(encoded { i2d_PUBKEY(raw, $0) }).prefix(4).hexadecimal }
}

/// Reads the certificates of a PEM file one by one.
final class PEMFile {
    private let path: String
    private let source: OpaquePointer
    /// The memory that `source` reads without a copy (BIO_new_mem_buf(3)).
    private let text: UnsafeMutableRawBufferPointer

    /// - Throws: ``TrustStoreError/unreadable(path:_:)``, also if the file is larger than ``limitBytes``.
    init(_ path: String) throws(TrustStoreError) {
        let bytes: [UInt8]
        do { bytes = try InputFile.bytes(of: path, upTo: Self.limitBytes + 1) } catch {
            throw .unreadable(path: path, error)
        }
        guard bytes.count <= Self.limitBytes else { throw .unreadable(path: path, .tooLong) }
        let text = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        text.copyBytes(from: bytes)
        guard let source = BIO_new_mem_buf(text.baseAddress, Int32(bytes.count)) else {
            text.deallocate()
            throw .library(ErrorQueue.drain().first ?? 0)
        }
        self.path = path
        self.text = text
        self.source = source
    }

    deinit {
        BIO_free_all(source)
        text.deallocate()
    }

    /// Longest accepted file: bundles of all roots are below 1 MiB.
    private static let limitBytes = 64 << 20

    func nextCertificate() -> Certificate? {
        PEM_read_bio_X509(source, nil, { _, _, _, _ in 0 }, nil).map { Certificate(owned: $0) }
    }

    /// The certificate of a file in DER, as exported by Windows and Keychain Access (.cer); nil for any other file.
    func certificateInDER() -> Certificate? {
        // A sequence with a length of two bytes (X.690 section 8.1.3.5); PEM begins with other characters.
        guard text.starts(with: [0x30, 0x82]) else { return nil }
        defer { ErrorQueue.clear() }
        return d2i_X509_bio(source, nil).map { Certificate(owned: $0) }
    }

    /// The DER of the next certificate, exactly as in the file.
    func nextCertificateBytes() -> [UInt8]? {
        var bytes: UnsafeMutablePointer<UInt8>?
        var length = 0
        guard PEM_bytes_read_bio(&bytes, &length, nil, PEM_STRING_X509, source, { _, _, _, _ in 0 }, nil) == 1 else {
            return nil
        }
        defer { ossl_free(bytes) }
        return Array(UnsafeBufferPointer(start: bytes, count: length))
    }

    /// - Throws: ``TrustStoreError`` if reading stopped before the end of the file, or the file had no certificate.
    func expectEnd(after count: Int) throws(TrustStoreError) {
        // At the end of the file the only error is "no start line" (PEM_read_bio_X509(3)).
        let code = UInt(ErrorQueue.drain().last ?? 0)
        guard ERR_GET_LIB(code) == ERR_LIB_PEM, ERR_GET_REASON(code) == PEM_R_NO_START_LINE else {
            throw .malformed(path: path, number: count + 1)
        }
        if count == 0 { throw .empty(path: path) }
    }
}

/// Reads and replaces the small files of the local CA.
enum SmallFile {
    /// - Parameter isSecret: reject a file that group or others can access.
    static func read(_ path: String, isSecret: Bool) throws(CertificateAuthorityError) -> String {
        let descriptor: Int32
        do { descriptor = try InputFile.open(path) } catch {
            throw error.errno == ENOENT ? .missing(path: path) : .unreadable(path: path, error)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(path: path, .system(errno: errno)) }
        if isSecret, status.st_uid != geteuid(), status.st_uid != 0 {
            throw .foreign(path: path, owner: status.st_uid)
        }
        if isSecret, status.st_mode & 0o077 != 0 {
            throw .exposed(path: path, mode: UInt16(truncatingIfNeeded: status.st_mode & 0o777))
        }
        do {
            return String(decoding: try InputFile.bytes(of: descriptor, upTo: limitBytes), as: UTF8.self)
        } catch {
            throw .unreadable(path: path, error)
        }
    }

    /// Writes a temporary file, with the final mode from the start, and renames it into place.
    static func write(_ text: String, to path: String, mode: mode_t) throws(CertificateAuthorityError) {
        let draft = "\(path).new"
        // Left by a gate that died; the caller holds the directory's lock.
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .unwritable(path: draft, errno: errno) }
        let isWritten = writeAll(Array(text.utf8), to: descriptor) && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isWritten else {
            unlink(draft)
            throw .unwritable(path: draft, errno: code)
        }
        guard rename(draft, path) == 0 else { throw .unwritable(path: path, errno: errno) }
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { return false }
            count += more
        }
        return true
    }

    /// Longest accepted file, in bytes: a CA pair has under 10 KB.
    private static let limitBytes = 65_536
}
