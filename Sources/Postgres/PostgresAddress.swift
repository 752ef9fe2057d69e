internal import COpenSSL
internal import Text

/// Where a shared store is: a URI as libpq takes it (PostgreSQL 15, section 34.1.1.2), without a password in it.
///
/// `verify-full` is asked for unless the URI says another `sslmode`: neither the environment nor a service file can
/// weaken it. Sockets, which are on this machine, have no TLS.
public struct PostgresAddress: Sendable, Hashable {
    /// Why a text is no address of a shared store: a sentence, which does not repeat the text.
    public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// Each parameter of the URI once, as libpq names them.
    let parameters: [String: String]

    /// Whether `text` is meant to be one, by its look: it may be a form that ``init(_:)`` refuses, but is no file's path.
    public static func isOne(_ text: String) -> Bool {
        PostgresURI.afterScheme(of: text) != nil || ForeignAddress.isOne(text)
    }

    /// - Throws: ``Refusal`` for what is no such URI, and for one with a secret in it.
    public init(_ text: String) throws(Refusal) {
        guard let rest = PostgresURI.afterScheme(of: text) else {
            let path = ForeignAddress.isOne(text) ? ", and a file of such a name ./NAME" : ""
            throw Refusal(description: "a shared store is postgres://USER@HOST/DATABASE, with no password in it\(path)")
        }
        parameters = try PostgresURI.parameters(of: rest)
    }

    /// For people: the address with every parameter that libpq is known to have. There is no secret in it. A socket's folder
    /// is a parameter, where it can be read.
    public var shown: String { shown(for: parameters["user"]) }

    /// The same with another login.
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

    /// What the start line says: each a sentence about TLS that is weaker than `verify-full`, unless a socket is named.
    public var remarks: [String] {
        // The environment may name a host where the URI names none, and an address counts more than a name.
        let isSurelySocket = isSocket && !places.contains(where: \.host.isEmpty) && parameters["hostaddr"] == nil
        guard let mode = parameters["sslmode"], !isSurelySocket else { return [] }
        let words: String
        switch mode {
        case "disable": words = "records go to the server in the clear"
        case "allow", "prefer": words = "TLS is used only where the server offers it, and nobody checks its certificate"
        case "require": words = "the connection is encrypted, but nobody checks whose server it is"
        case "verify-ca": words = "any server with a certificate of that CA is believed"
        default: return []
        }
        return ["sslmode=\(mode) is weaker than verify-full: \(words)"]
    }

    /// A name for what belongs to this store, in files' names: 32 hexadecimal digits, the same for every spelling of
    /// host, port, database, user and service. How to get there, as by TLS, makes no difference.
    public var digest: String {
        let parts =
            places.flatMap { [$0.host.lowercased(), $0.port.isEmpty ? "5432" : $0.port] }
            + ["dbname", "user", "service"].map { parameters[$0] ?? "" }
        let text = Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8)
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_Digest(text, text.count, &digest, nil, EVP_sha256(), nil)
        return digest.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Whether every host is a socket's folder. None at all is libpq's own socket, unless a service file names one.
    private var isSocket: Bool {
        places.allSatisfy { place in
            place.host.isEmpty ? parameters["service"] == nil : place.host.hasPrefix("/") || place.host.hasPrefix("@")
        }
    }

    /// Hosts with their ports, in their order; empty texts where the URI leaves it to libpq.
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
