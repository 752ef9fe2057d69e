internal import CPostgres
internal import Text

/// libpq, PostgreSQL's own client library, loaded for the first connection.
public enum PostgresLibrary {
    /// Loads libpq. nil on success, else a sentence with the package to install.
    public static var missing: String? {
        guard let words = cpostgres_missing() else { return nil }
        return sentence(for: String(cString: words))
    }

    /// - Parameter words: the error of the system's loader.
    static func sentence(for words: String) -> String {
        #if canImport(Darwin)
        let ways = "install it with brew install libpq"
        #else
        let ways =
            "install it with apt install libpq5 (Debian, Ubuntu), dnf install libpq (Fedora) or apk add libpq (Alpine)"
        #endif
        return "a shared store needs libpq, PostgreSQL's client library: \(ways) (\(words.printable))"
    }
}
