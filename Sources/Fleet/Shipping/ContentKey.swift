internal import COpenSSL
import Postgres

/// The ids of shared rows, diagnoses and handshakes in a shared store: the first 128 bits of the SHA-256 of their
/// content. All gates compute the same id for the same content without asking the server, which verifies it
/// (content_id of Schema/schema.sql).
enum ContentKey {
    static func handshake(_ text: String) -> PostgresUUID { key(counted(text)) }

    /// - Parameter handshake: the key of the row's handshake; nil if it has none.
    static func row(_ values: [String?], handshake: PostgresUUID?) -> PostgresUUID {
        key(values.flatMap(counted) + (handshake.map { length(16) + $0.bytes } ?? length(-1)))
    }

    /// The text with its length first, so that different contents never have the same bytes; -1 alone for no text.
    private static func counted(_ text: String?) -> [UInt8] {
        text.map { length($0.utf8.count) + $0.utf8 } ?? length(-1)
    }

    private static func length(_ count: Int) -> [UInt8] {
        withUnsafeBytes(of: Int32(truncatingIfNeeded: count).bigEndian) { Array($0) }
    }

    private static func key(_ bytes: [UInt8]) -> PostgresUUID {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        return PostgresUUID(digest)
    }
}
