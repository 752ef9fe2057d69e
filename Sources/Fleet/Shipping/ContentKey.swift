internal import COpenSSL
import Postgres
import Reporting

/// The names of forms and handshakes in a shared store: the first 128 bits of the SHA-256 of their content. All gates
/// compute the same name for the same content without asking the server, which verifies it (form_id of
/// Schema/1-tables.sql).
enum ContentKey {
    static func handshake(_ text: String) -> PostgresUUID {
        key(counted(text))
    }

    /// - Parameter handshake: the key of the form's handshake; nil if it has none.
    static func form(_ form: SpooledForm, handshake: PostgresUUID?) -> PostgresUUID {
        let names = [form.recording, form.host, form.verdict, form.os].flatMap { counted($0) }
        let number = handshake.map { length(16) + $0.bytes } ?? length(-1)
        return key(names + number + counted(form.text))
    }

    static func texts(_ texts: [String]) -> PostgresUUID { key(texts.flatMap { counted($0) }) }

    /// The text with its length first, so that different contents never have the same bytes.
    private static func counted(_ text: String) -> [UInt8] { length(text.utf8.count) + text.utf8 }

    private static func length(_ count: Int) -> [UInt8] {
        withUnsafeBytes(of: Int32(truncatingIfNeeded: count).bigEndian) { Array($0) }
    }

    private static func key(_ bytes: [UInt8]) -> PostgresUUID {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        return PostgresUUID(digest)
    }
}
