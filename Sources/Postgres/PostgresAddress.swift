internal import COpenSSL
internal import CPostgres
import Text

/// The address of a shared store: a libpq URI (PostgreSQL 15, section 34.1.1.2) without a password.
///
/// `sslmode` is `verify-full` unless the URI contains another one: neither the environment nor a service file can
/// weaken it. Sockets, which are on this machine, have no TLS.
public struct PostgresAddress: Sendable, Hashable {
    /// The reason why a text is not the address of a shared store: a sentence that does not repeat the text.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// Each parameter of the URI once, by libpq's names. Empty without libpq: then no connection is possible, and each
    /// attempt reports ``PostgresError/missingLibrary(_:)``.
    let parameters: [String: String]

    /// True if `text` looks like an address in any program's notation. Such text may contain a secret, and must not
    /// become a file name. Text that begins like a path or ends like a store's file is a file name.
    public static func isOne(_ text: String) -> Bool {
        let isPath = ["./", "../"].contains { text.hasPrefix($0) } || text.hasPrefix("/") && !text.hasPrefix("//")
        guard !isPath else { return false }
        let isFile = [".sqlite", ".sqlite3", ".db", ".jsonl"].contains { text.lowercased().hasSuffix($0) }
        return text.contains("://") || !isFile && text.contains { ":@=%".contains($0) }
    }

    /// - Throws: ``Refusal`` if `text` is not a URI that libpq reads, or contains a secret.
    public init(_ text: String) throws(Refusal) {
        guard let rest = Self.afterScheme(of: text), !rest.utf8.contains(0) else {
            let path = Self.isOne(text) ? "; write a file of that name as ./NAME" : ""
            throw Refusal(description: "a shared store is postgres://USER@HOST/DATABASE, without a password\(path)")
        }
        guard PostgresLibrary.missing == nil else {
            parameters = [:]
            return
        }
        // libpq distinguishes capitals in the scheme.
        guard let options = PostgresOptions(uri: "postgresql://" + rest) else {
            throw Refusal(
                description: "libpq cannot read this address: write postgres://USER@HOST:PORT/DATABASE?NAME=VALUE, "
                    + "with %XX for other characters and [ADDRESS] for IPv6, without a password: \(Self.ways)")
        }
        parameters = try Self.checked(options)
    }

    /// Returns the text after `postgres://`; nil for another scheme. Schemes ignore case (RFC 3986 section 3.1).
    private static func afterScheme(of text: String) -> Substring? {
        guard let mark = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<mark.lowerBound].lowercased()
        return scheme == "postgres" || scheme == "postgresql" ? text[mark.upperBound...] : nil
    }

    /// Refuses secrets, and those that libpq accepts as another part: a user with an encoded colon, a second @, a
    /// connection string as the database name. libpq checks ports and modes only when it connects.
    private static func checked(_ options: PostgresOptions) throws(Refusal) -> [String: String] {
        let values = options.values
        let database = values["dbname"] ?? ""
        let hosts = (values["host"] ?? "").split(separator: ",").filter { !$0.hasPrefix("/") && !$0.hasPrefix("@") }
        guard options.secrets.isEmpty, !(values["user"] ?? "").contains(where: { ":%".contains($0) }),
            !hosts.contains(where: { $0.contains("@") || $0.contains("%40") || $0.contains("%25") }),
            !["@", "=", "://"].contains(where: { database.contains($0) })
        else {
            throw Refusal(
                description: "a password in a postgres:// address would be visible in process lists and logs: \(ways)")
        }
        guard !values.values.contains(where: { $0.contains("\u{FFFD}") }) else {
            throw Refusal(description: "a postgres:// address must be UTF-8 after its %XX are decoded")
        }
        // The message leaves out the port: it may be the beginning of a password.
        guard (values["port"] ?? "").split(separator: ",").allSatisfy({ (1...65_535).contains(Int($0) ?? 0) }) else {
            throw Refusal(description: "the port of a postgres:// address must be a number from 1 to 65535")
        }
        let modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
        if let mode = values["sslmode"], !modes.contains(mode) {
            throw Refusal(description: "sslmode must be one of \(modes.joined(separator: ", ")), not \(mode.printable)")
        }
        return values
    }

    /// The address for people. Contains no secret. The directory of a socket is written as a parameter, which is easier
    /// to read.
    public var shown: String { shown(for: parameters["user"]) }

    /// The address with another login.
    public func shown(for login: String?) -> String {
        let isSocket = isSocket
        let userPart = login.map { Self.escaped($0) + "@" } ?? ""
        let hostPart = (isSocket ? [] : places).map { place in
            let host = place.host.contains(":") ? "[\(place.host)]" : Self.escaped(place.host)
            return place.port.isEmpty ? host : host + ":" + Self.escaped(place.port)
        }.joined(separator: ",")
        let path = parameters["dbname"].map { "/" + Self.escaped($0) } ?? ""
        let told: Set = isSocket ? ["user", "dbname"] : ["user", "host", "port", "dbname"]
        let rest = parameters.filter { !told.contains($0.key) }
            .sorted { $0.key < $1.key }
            .map { name, value in "\(name)=\(Self.escaped(value, isParameter: true))" }
        return "postgres://" + userPart + hostPart + path + (rest.isEmpty ? "" : "?" + rest.joined(separator: "&"))
    }

    /// Warnings for the start message: a sentence about TLS weaker than `verify-full`, unless the host is a socket.
    public var remarks: [String] {
        // The environment may name a host if the URI names none, and hostaddr takes precedence over host.
        let isSurelySocket = isSocket && !places.contains(where: \.host.isEmpty) && parameters["hostaddr"] == nil
        guard let mode = parameters["sslmode"], !isSurelySocket else { return [] }
        let words: String
        switch mode {
        case "disable": words = "records are sent unencrypted"
        case "allow", "prefer": words = "TLS is used only if the server offers it, and its certificate is not checked"
        case "require": words = "the connection is encrypted, but the server's certificate is not checked"
        case "verify-ca": words = "any server with a certificate of that CA is accepted"
        default: return []
        }
        return ["sslmode=\(mode) is weaker than verify-full: \(words)"]
    }

    /// A name for this store's files: 32 hexadecimal digits, equal for every spelling of host, port, database, user and
    /// service. The other parameters, such as those for TLS, do not change it.
    public var digest: String {
        let parts =
            places.flatMap { [$0.host.lowercased(), $0.port.isEmpty ? "5432" : $0.port] }
            + ["dbname", "user", "service"].map { parameters[$0] ?? "" }
        let text = Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8)
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_Digest(text, text.count, &digest, nil, EVP_sha256(), nil)
        return digest.prefix(16).hexadecimal
    }

    /// Returns the text percent-encoded, except for unreserved characters (RFC 3986 section 2.3), and `/` in a
    /// parameter's value.
    private static func escaped(_ text: String, isParameter: Bool = false) -> String {
        text.utf8.map { byte in
            switch byte {
            case _ where byte.isAlphanumeric || "-._~".utf8.contains(byte): String(Unicode.Scalar(byte))
            case UInt8(ascii: "/") where isParameter: "/"
            default: "%" + byte.hexadecimal.uppercased()
            }
        }.joined()
    }

    /// True if every host is a directory of sockets. No host at all means libpq's own socket, unless a service file
    /// names one.
    private var isSocket: Bool {
        places.allSatisfy { place in
            place.host.isEmpty ? parameters["service"] == nil : place.host.hasPrefix("/") || place.host.hasPrefix("@")
        }
    }

    /// Hosts with their ports in order; empty texts if the URI leaves them to libpq.
    private var places: [(host: String, port: String)] {
        let hosts = (parameters["host"] ?? parameters["hostaddr"] ?? "").split(
            separator: ",", omittingEmptySubsequences: false)
        let ports = (parameters["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        return hosts.enumerated().map { index, host in
            (
                String(host),
                ports.isEmpty ? "" : String(ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : "")
            )
        }
    }

    private static let ways =
        "use a password file (~/.pgpass, or ?passfile=FILE), a service file (?service=NAME) "
        + "or a client certificate (?sslcert=FILE&sslkey=FILE)"
}

/// Parameters with values, as libpq lists them.
struct PostgresOptions {
    private(set) var values: [String: String] = [:]
    private(set) var secrets: [String] = []

    /// The parameters that a connection really uses: from the address, a service file, the environment and libpq's
    /// defaults.
    init(of connection: OpaquePointer) {
        self.init(pq_conninfo(connection))
    }

    /// The parameters of a URI; nil if libpq rejects it. libpq's message repeats the text, so it is dropped. Source:
    /// PostgreSQL 15, section 34.1, PQconninfoParse.
    init?(uri: String) {
        var message: UnsafeMutablePointer<CChar>?
        let options = pq_conninfo_parse(uri, &message)
        if let message { pq_freemem(message) }
        guard let options else { return nil }
        self.init(options)
    }

    private init(_ options: UnsafeMutablePointer<pq_option>?) {
        guard let options else { return }
        defer { pq_conninfo_free(options) }
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val, value.pointee != 0 {
                values[String(cString: keyword)] = String(cString: value)
                // libpq's own mark for values that must not be shown (PostgreSQL 15, section 34.1, PQconndefaults).
                if String(cString: option.pointee.dispchar) == "*" { secrets.append(String(cString: value)) }
            }
            option += 1
        }
    }

    /// The configured time limit for a host; nil for none or 0. In seconds.
    var connectTimeout: Duration? {
        values["connect_timeout"].flatMap { Int($0) }.flatMap { $0 > 0 ? .seconds($0) : nil }
    }

    /// Returns the reason why connecting cannot work, or nil.
    ///
    /// - Parameter version: libpq's version number.
    func obstacle(version: Int) -> String? {
        guard values["sslrootcert"] == "system", version < 160_000 else { return nil }
        return "sslrootcert=system needs libpq 16, but version \(version / 10_000) is installed: "
            + "name the CA file instead, as in sslrootcert=/etc/ssl/certs/ca-certificates.crt"
    }

    /// The hosts without this one; nil if it was the only one.
    func without(host: String, port: String) -> [String: String]? {
        func list(_ name: String) -> [String] {
            (values[name] ?? "").split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
        }
        var (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        let count = max(names.count, addresses.count)
        guard count > 1 else { return nil }
        func value(_ list: [String], _ index: Int) -> String { index < list.count ? list[index] : "" }
        let found = (0..<count).first { index in
            let itsPort = ports.count == 1 ? ports[0] : value(ports, index)
            return [value(names, index), value(addresses, index)].contains(host)
                && (itsPort == port || itsPort.isEmpty)
        }
        let index = found ?? 0
        names.remove(index, of: count)
        addresses.remove(index, of: count)
        ports.remove(index, of: count)
        return [("host", names), ("hostaddr", addresses), ("port", ports)]
            .reduce(into: [:]) { $0[$1.0] = $1.1.joined(separator: ",") }
    }
}

extension [String] {
    /// Removes one item of a list with one for each host. A shorter list applies to all hosts and stays.
    fileprivate mutating func remove(_ index: Int, of count: Int) {
        if self.count == count { remove(at: index) }
    }
}
