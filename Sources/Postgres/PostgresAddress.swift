internal import COpenSSL
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

    /// Each parameter of the URI once, by libpq's names.
    let parameters: [String: String]

    /// True if `text` looks like an address. ``init(_:)`` may still reject its form, but it is not a file path.
    public static func isOne(_ text: String) -> Bool {
        PostgresURI.afterScheme(of: text) != nil || ForeignAddress.isOne(text)
    }

    /// - Throws: ``Refusal`` if `text` is not such a URI, or contains a secret.
    public init(_ text: String) throws(Refusal) {
        guard let rest = PostgresURI.afterScheme(of: text) else {
            let path = ForeignAddress.isOne(text) ? "; write a file of that name as ./NAME" : ""
            throw Refusal(description: "a shared store is postgres://USER@HOST/DATABASE, without a password\(path)")
        }
        parameters = try PostgresURI.parameters(of: rest)
    }

    /// The address for people, with every parameter that libpq is known to have. Contains no secret. The directory of a
    /// socket is written as a parameter, which is easier to read.
    public var shown: String { shown(for: parameters["user"]) }

    /// The address with another login.
    public func shown(for login: String?) -> String {
        let isSocket = isSocket
        let userPart = login.map { PostgresURI.escaped($0) + "@" } ?? ""
        let hostPart = (isSocket ? [] : places).map { place in
            let host = place.host.contains(":") ? "[\(place.host)]" : PostgresURI.escaped(place.host)
            return place.port.isEmpty ? host : host + ":" + PostgresURI.escaped(place.port)
        }.joined(separator: ",")
        let path = parameters["dbname"].map { "/" + PostgresURI.escaped($0) } ?? ""
        let told: Set = isSocket ? ["user", "dbname"] : ["user", "host", "port", "dbname"]
        let rest = parameters.filter { !told.contains($0.key) }
            .sorted { $0.key < $1.key }
            .map { name, value in
                let isKnown = PostgresURI.known.contains(name)
                return PostgresURI.escaped(name) + "="
                    + (isKnown ? PostgresURI.escaped(value, isParameter: true) : "...")
            }
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
}
