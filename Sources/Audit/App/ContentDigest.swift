import ATSPolicy
import COpenSSL
import Declarations
import Files
import Foundation

/// SHA-256 of bytes that arrive in pieces.
struct ContentDigest: ~Copyable {
    private let context: OpaquePointer?

    init() {
        context = EVP_MD_CTX_new()
        EVP_DigestInit_ex(context, EVP_sha256(), nil)
    }

    deinit { EVP_MD_CTX_free(context) }

    func add(_ bytes: [UInt8]) { EVP_DigestUpdate(context, bytes, bytes.count) }

    /// In lower-case hexadecimal. Adding more bytes afterwards has no effect.
    consuming func value() -> String {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        EVP_DigestFinal_ex(context, &digest, &length)
        return digest.prefix(Int(length)).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// The digest of a file, as `sha256sum` prints it.
    static func file(_ path: String) throws(DeclarationError) -> String {
        let descriptor: Int32
        do throws(FileFault) { descriptor = try InputFile.open(path) } catch {
            throw DeclarationError(source: path, what: "cannot be read: \(error)")
        }
        defer { close(descriptor) }
        let digest = ContentDigest()
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        while true {
            let got = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { break }
            digest.add(got == piece.count ? piece : Array(piece[..<got]))
        }
        return digest.value()
    }

    static let pieceBytes = 1 << 20
}

/// The digest of a folder: the SHA-256 of the lines that `sha256sum` prints for its files, sorted by path.
struct FolderDigest {
    private var lines: [(path: String, line: String)] = []

    mutating func add(_ content: AppFileContent, path: String) {
        let digest = ContentDigest()
        var start = 0
        while start < content.count {
            let bytes = content.bytes(at: start, count: ContentDigest.pieceBytes)
            guard !bytes.isEmpty else { break }
            digest.add(bytes)
            start += bytes.count
        }
        lines.append((path, digest.value() + "  " + path + "\n"))
    }

    var value: String {
        let digest = ContentDigest()
        for entry in lines.sorted(by: { Array($0.path.utf8).lexicographicallyPrecedes(Array($1.path.utf8)) }) {
            digest.add(Array(entry.line.utf8))
        }
        return digest.value()
    }
}
