import Text

/// The grammar of libpq's URIs: `postgresql://[user@][host][:port][,...][/dbname][?name=value[&...]]`, each part
/// percent-encoded. Source: PostgreSQL 15, section 34.1.1.2; RFC 3986 section 2.1.
enum PostgresURI {
    typealias Refusal = PostgresAddress.Refusal

    /// Returns the text after `postgres://`; nil for another scheme. Schemes ignore case (RFC 3986 section 3.1).
    static func afterScheme(of text: String) -> Substring? {
        guard let mark = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<mark.lowerBound].lowercased()
        return scheme == "postgres" || scheme == "postgresql" ? text[mark.upperBound...] : nil
    }

    static func parameters(of text: Substring) throws(Refusal) -> [String: String] {
        var found: [String: String] = [:]
        var rest = text
        // Like libpq: the text before an @ is a user, unless a slash comes before.
        if let end = rest.firstIndex(where: { $0 == "@" || $0 == "/" }), rest[end] == "@" {
            let user = rest[..<end].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard user.count < 2 || user[1].isEmpty else { throw secret("a password") }
            try keep("user", user[0], in: &found)
            rest = rest[rest.index(after: end)...]
        }
        let question = rest.firstIndex(of: "?") ?? rest.endIndex
        let slash = rest[..<question].firstIndex(of: "/") ?? question
        try hosts(rest[..<slash], in: &found)
        let path = rest[slash..<question].dropFirst()
        // A password with a slash in it, or a second @: libpq would read them as a port and a database.
        guard !path.contains("@") else {
            throw Refusal(description: "an @ in the path of a postgres:// address; for a password: \(ways)")
        }
        try keep("dbname", path, in: &found)
        for parameter in rest[question...].dropFirst().split(separator: "&", omittingEmptySubsequences: false) {
            try keep(parameter: parameter, in: &found)
        }
        return try checked(found)
    }

    private static func hosts(_ text: Substring, in found: inout [String: String]) throws(Refusal) {
        var (hosts, ports): ([Substring], [Substring]) = ([], [])
        for place in text.split(separator: ",", omittingEmptySubsequences: false) {
            var rest = place
            if place.hasPrefix("[") {
                guard let end = place.firstIndex(of: "]"), end > place.index(after: place.startIndex) else {
                    throw Refusal(description: "an IPv6 address in a postgres:// address needs brackets: [::1]")
                }
                hosts.append(place[place.index(after: place.startIndex)..<end])
                rest = place[place.index(after: end)...]
                guard rest.isEmpty || rest.hasPrefix(":") else {
                    throw Refusal(description: "only :PORT may follow the ] of a postgres:// address")
                }
            } else {
                hosts.append(place.prefix { $0 != ":" })
                rest = place.drop { $0 != ":" }
            }
            ports.append(rest.dropFirst())
        }
        if hosts.contains(where: { !$0.isEmpty }) || hosts.count > 1 {
            try keep("host", Substring(hosts.joined(separator: ",")), in: &found)
        }
        if ports.contains(where: { !$0.isEmpty }) {
            try keep("port", Substring(ports.joined(separator: ",")), in: &found)
        }
    }

    private static func keep(parameter text: Substring, in found: inout [String: String]) throws(Refusal) {
        guard !text.isEmpty else { return }
        let parts = text.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw Refusal(description: "a parameter of a postgres:// address is NAME=VALUE; write %3D for = in a value")
        }
        let name = try decoded(parts[0])
        guard !isSecret(name) else { throw secret("\(name.printable)=") }
        // Users of JDBC write this, and libpq accepts it.
        let isJDBC = name == "ssl" && parts[1] == "true"
        try keep(isJDBC ? "sslmode" : name, isJDBC ? "require" : parts[1], in: &found)
    }

    /// Keeps a parameter. The last of several wins, as in libpq.
    private static func keep(
        _ name: String, _ text: Substring, in found: inout [String: String]
    ) throws(Refusal) {
        let value = try decoded(text)
        if !value.isEmpty { found[name] = value }
    }

    /// True for names of secrets, including likely names in later versions.
    static func isSecret(_ name: String) -> Bool {
        let small = name.lowercased()
        return ["password", "passwd", "secret", "client_key", "server_key", "token"].contains { small.contains($0) }
    }

    private static func checked(_ found: [String: String]) throws(Refusal) -> [String: String] {
        // libpq would accept a whole connection string, with a password in it, as the database name.
        if let name = found["dbname"], name.contains("=") || name.contains("://") {
            throw Refusal(description: "the database of a postgres:// address is a name, not another address")
        }
        // Passwords in other spellings: a user with an encoded colon, or a second @ before a host.
        let hosts = (found["host"] ?? "").split(separator: ",").filter { !$0.hasPrefix("/") && !$0.hasPrefix("@") }
        guard !ForeignAddress.decoded(found["user"] ?? "").contains(":"),
            !hosts.contains(where: { ForeignAddress.decoded(String($0)).contains("@") })
        else { throw secret("a password") }
        let ports = (found["port"] ?? "").split(separator: ",")
        // The message leaves out the port: it may be the beginning of a password.
        guard ports.allSatisfy({ (1...65_535).contains(Int($0) ?? 0) }) else {
            throw Refusal(description: "the port of a postgres:// address must be a number from 1 to 65535")
        }
        let modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
        if let mode = found["sslmode"], !modes.contains(mode) {
            throw Refusal(description: "sslmode must be one of \(modes.joined(separator: ", ")), not \(mode.printable)")
        }
        return found
    }

    private static func secret(_ what: String) -> Refusal {
        Refusal(description: "\(what) in a postgres:// address would be visible in process lists and logs: \(ways)")
    }

    private static let ways =
        "use a password file (~/.pgpass, or ?passfile=FILE), a service file (?service=NAME) "
        + "or a client certificate (?sslcert=FILE&sslkey=FILE)"

    private static func decoded(_ text: Substring) throws(Refusal) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            guard digits.count == 2, digits != [0, 0] else {
                throw Refusal(
                    description: "a % in a postgres:// address needs two hex digits, as in %20; %00 is not allowed")
            }
            rest = rest.dropFirst(2)
            bytes.append(UInt8(digits[0] << 4 | digits[1]))
        }
        guard let value = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw Refusal(description: "a postgres:// address must be UTF-8 after its %XX are decoded")
        }
        return value
    }

    /// Returns the text percent-encoded, except for unreserved characters (RFC 3986 section 2.3), and `/` in a
    /// parameter's value.
    static func escaped(_ text: String, isParameter: Bool = false) -> String {
        text.utf8.map { byte in
            switch byte {
            case _ where byte.isAlphanumeric || "-._~".utf8.contains(byte): String(Unicode.Scalar(byte))
            case UInt8(ascii: "/") where isParameter: "/"
            default: "%" + byte.hexadecimal.uppercased()
            }
        }.joined()
    }

    /// The parameters of libpq 15 to 18 without a secret. Source: PostgreSQL 18, section 34.1.2.
    static let known: Set = [
        "application_name", "channel_binding", "client_encoding", "connect_timeout", "dbname",
        "fallback_application_name",
        "gssdelegation", "gssencmode", "gsslib", "host", "hostaddr", "keepalives", "keepalives_count",
        "keepalives_idle",
        "keepalives_interval", "krbsrvname", "load_balance_hosts", "max_protocol_version", "min_protocol_version",
        "options", "passfile", "port", "replication", "require_auth", "requirepeer", "requiressl", "service",
        "ssl_max_protocol_version", "ssl_min_protocol_version", "sslcert", "sslcertmode", "sslcompression", "sslcrl",
        "sslcrldir", "sslkey", "sslmode", "sslnegotiation", "sslrootcert", "sslsni", "target_session_attrs",
        "tcp_user_timeout", "user",
    ]
}
