import Foundation

/// The certificates of a server, made by openssl for it alone.
struct ServerCertificates {
    let folder: ServerFolder
    let system: ServerSystem

    /// Names and addresses under which the server is reached.
    static let names = "IP:127.0.0.1,DNS:localhost"

    /// Makes two CAs, one for the clients and one unknown to them, and a certificate from the first.
    func make() throws {
        for name in ["ca", "other-ca"] {
            try openssl([
                "-subj", "/CN=atsgate tests \(name)", "-keyout", folder.path(name + ".key"),
                "-out", folder.path(name + ".crt"),
            ])
        }
        try folder.give(folder.path("ca.crt"))
        try certify(Self.names, by: "ca")
    }

    /// Writes a certificate for the server, which must then reload.
    func certify(_ names: String, by authority: String) throws {
        try issue("server", "atsgate tests server", ["-addext", "subjectAltName=\(names)"], by: authority)
        for file in ["server.key", "server.crt"] { try folder.give(folder.path(file)) }
    }

    /// Makes NAME.crt and NAME.key, which log a client in as the user NAME.
    func issue(client name: String) throws {
        try issue(name, name, [], by: "ca")
    }

    private func issue(_ name: String, _ subject: String, _ extensions: [String], by authority: String) throws {
        try openssl(
            [
                "-subj", "/CN=\(subject)", "-keyout", folder.path(name + ".key"), "-out", folder.path(name + ".crt"),
                "-CA", folder.path(authority + ".crt"), "-CAkey", folder.path(authority + ".key"),
                "-addext", "basicConstraints=critical,CA:FALSE",
            ] + extensions)
        chmod(folder.path(name + ".key"), 0o600)
    }

    private func openssl(_ arguments: [String]) throws {
        try ServerSystem.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
                + ["-days", "30"] + arguments)
    }
}
