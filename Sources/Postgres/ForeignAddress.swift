#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The forms in which other programs name a server. They are a URI of another scheme, libpq's keywords and variables
/// (PostgreSQL 15, sections 34.1.1.1 and 34.15), a line of its password file (section 34.16), ODBC's keywords, a login,
/// or a host with its port. Such text may contain a secret, and must not become a file name.
enum ForeignAddress {
    /// - Returns: false for text that begins like a path: every file can be written that way.
    static func isOne(_ text: String) -> Bool {
        let isPath = ["./", "../"].contains { text.hasPrefix($0) } || text.hasPrefix("/") && !text.hasPrefix("//")
        guard !isPath else { return false }
        let plain = decoded(text)
        return [text, plain].contains { hasScheme($0) || hasLogin($0) || hasKeyword($0) || isPasswordLine($0) }
            || isPlace(plain) && access(text, F_OK) != 0
    }

    /// Removes percent-encoding, even if it was applied several times. Bytes that are not ASCII stay as they are.
    static func decoded(_ text: String) -> String {
        var now = text
        while true {
            var next = ""
            var rest = now[...]
            while let character = rest.popFirst() {
                let digits = rest.prefix(2)
                guard character == "%", digits.count == 2, digits.allSatisfy(\.isHexDigit),
                    let byte = UInt8(digits, radix: 16), byte < 0x80
                else {
                    next.append(character)
                    continue
                }
                next.unicodeScalars.append(Unicode.Scalar(byte))
                rest = rest.dropFirst(2)
            }
            guard next.count < now.count else { return now }
            now = next
        }
    }

    /// True for `SCHEME://` anywhere, for `SCHEME:/` at the start, and for our schemes without a slash, also after
    /// another one.
    private static func hasScheme(_ text: String) -> Bool {
        let front = text.prefix { $0 != "/" }
        let schemes = text.lowercased().split(separator: ":", omittingEmptySubsequences: false).dropLast()
        let isOurs = schemes.contains { $0 == "postgres" || $0 == "postgresql" }
        return isOurs || text.contains("://") || front.hasSuffix(":") && front.count < text.count
    }

    /// True for `USER:PASSWORD@`.
    private static func hasLogin(_ text: String) -> Bool {
        text.drop { $0 != ":" }.contains("@")
    }

    /// True for `NAME=` with a name from a server's address. After `/`, `.`, `-` or a digit it is part of a file name.
    private static func hasKeyword(_ text: String) -> Bool {
        text.split(separator: "=", omittingEmptySubsequences: false).dropLast().contains { part in
            let end = part.reversed().drop(while: \.isWhitespace)
            let name = String(end.prefix { $0.isLetter || $0 == "_" }.reversed())
            if let before = end.dropFirst(name.count).first, "/.-".contains(before) || before.isNumber { return false }
            return isVariable(name) || isKeyword(name.lowercased())
        }
    }

    /// True for `PGHOST` and the like, including variables of later versions.
    private static func isVariable(_ name: String) -> Bool {
        name.hasPrefix("PG") && name.count > 2 && name.allSatisfy(\.isUppercase)
    }

    private static func isKeyword(_ name: String) -> Bool {
        let bare = name.hasPrefix("pg") ? String(name.dropFirst(2)) : name
        let words = name.split(separator: "_").map(String.init) + [bare]
        return PostgresURI.known.contains(bare) || PostgresURI.isSecret(name) || ofODBC.contains(name)
            || words.contains { secrets.contains($0) }
    }

    /// True for `HOST:PORT:DATABASE:USER:PASSWORD`, or a part of it from the host on: a port, or `*`, and something
    /// after it.
    private static func isPasswordLine(_ text: String) -> Bool {
        let fields = fields(of: text)
        return fields.count > 2 && (fields[1] == "*" || isPort(fields[1])) && isHost(fields[0])
    }

    /// True for `USER@HOST` or `HOST:PORT`, alone or with a database. They contain no secret; text with a store's file
    /// extension is a file.
    private static func isPlace(_ text: String) -> Bool {
        let front = text.prefix { $0 != "/" }
        let isFile = [".sqlite", ".sqlite3", ".db"].contains { text.lowercased().hasSuffix($0) }
        let login = front.split(separator: "@", maxSplits: 1)
        let fields = fields(of: front.split(separator: ",").first.map(String.init) ?? "")
        let hasPort = fields.count == 2 && isHost(fields[0]) && isPort(fields[1].prefix { $0 != "?" })
        return !isFile && (login.count == 2 || hasPort)
    }

    /// Splits at colons, except for those in brackets and after a backslash.
    private static func fields(of text: String) -> [Substring] {
        var (isInside, isEscaped) = (false, false)
        return text.split(omittingEmptySubsequences: false) { character in
            defer { isEscaped = character == "\\" && !isEscaped }
            if character == "[" || character == "]" { isInside = character == "[" }
            return character == ":" && !isInside && !isEscaped
        }
    }

    /// True for text with a letter, a dot or brackets: the beginning of a time of day is not a host.
    private static func isHost(_ text: Substring) -> Bool {
        text == "*" || !text.contains("/") && text.contains { $0.isLetter || $0 == "." || $0 == "[" }
    }

    /// Shorter numbers are minutes.
    private static func isPort(_ text: Substring) -> Bool {
        (3...5).contains(text.count) && text.allSatisfy { $0.isASCII && $0.isNumber }
    }

    private static let ofODBC: Set = ["server", "database", "uid", "pwd"]
    private static let secrets: Set = ["pass", "passphrase", "pwd", "pw"]
}
