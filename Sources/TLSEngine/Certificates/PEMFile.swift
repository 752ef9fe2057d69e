internal import COpenSSL
internal import Files
internal import Foundation

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
