internal import CPostgres
internal import Text

/// libpq, PostgreSQL's own client library, which is loaded when the first connection asks for it.
public enum PostgresLibrary {
    /// Nil where libpq is there, which loads it; else a sentence that names the package that brings it.
    public static var missing: String? {
        guard let words = cpostgres_missing() else { return nil }
        return sentence(for: String(cString: words))
    }

    /// - Parameter words: what the system's loader says.
    static func sentence(for words: String) -> String {
        #if canImport(Darwin)
        let ways = "please install it: brew install libpq"
        #else
        let ways =
            "please install it: apt install libpq5 (Debian, Ubuntu), dnf install libpq (Fedora), apk add libpq (Alpine)"
        #endif
        return "a shared store needs libpq, PostgreSQL's client library, which is missing: \(ways) (\(words.printable))"
    }
}
