/// What other programs name a server by: a URI of another scheme, libpq's keywords (PostgreSQL 15, section 34.1.1.1), ODBC's,
/// or a login with its password. It may hold a secret, and must not become a file's name.
enum ForeignAddress {
    /// - Returns: false for what begins as a path, by which every file can be named.
    static func isOne(_ text: String) -> Bool {
        let isPath = ["./", "../"].contains { text.hasPrefix($0) } || text.hasPrefix("/") && !text.hasPrefix("//")
        return !isPath && (hasScheme(text) || hasLogin(text) || hasKeyword(text))
    }

    /// `SCHEME://` anywhere, `SCHEME:/` in front, and ours without a slash.
    private static func hasScheme(_ text: String) -> Bool {
        let front = text.prefix { $0 != "/" }
        let isOurs = ["postgres:", "postgresql:"].contains { text.lowercased().hasPrefix($0) }
        return isOurs || text.contains("://") || front.hasSuffix(":") && front.count < text.count
    }

    /// `USER:PASSWORD@`.
    private static func hasLogin(_ text: String) -> Bool {
        text.drop { $0 != ":" }.contains("@")
    }

    /// `NAME=` with a name that a server's address has. Behind `/`, `.`, `-` or a digit it is a part of a file's name.
    private static func hasKeyword(_ text: String) -> Bool {
        text.split(separator: "=", omittingEmptySubsequences: false).dropLast().contains { part in
            let end = part.reversed().drop(while: \.isWhitespace)
            let name = String(end.prefix { $0.isLetter || $0 == "_" }.reversed()).lowercased()
            if let before = end.dropFirst(name.count).first, "/.-".contains(before) || before.isNumber { return false }
            return PostgresURI.known.contains(name) || PostgresURI.isSecret(name) || ofODBC.contains(name)
        }
    }

    private static let ofODBC: Set = ["server", "database", "uid", "pwd"]
}
