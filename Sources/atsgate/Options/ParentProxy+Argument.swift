import Diagnosis
import Dialing
import Foundation
import ProxyServer
import Text

/// One `--no-parent HOST,...`.
struct BypassList: Sendable, Hashable {
    let text: String

    init(argument: String) throws(ValueProblem) {
        let hosts = argument.split(separator: ",", omittingEmptySubsequences: false)
        for host in hosts where host.isEmpty || host.contains("://") || host.contains(where: \.isWhitespace) {
            throw ValueProblem("\"\(host)\" is not a host, address or range; write a.example,10.0.0.0/8")
        }
        var entries: [String] = []
        for host in hosts { entries.append(try Self.inASCII(host)) }
        text = entries.joined(separator: ",")
    }

    /// Converts an international name to ASCII, as in records, keeping a leading dot and a port.
    private static func inASCII(_ entry: Substring) throws(ValueProblem) -> String {
        guard !entry.utf8.allSatisfy({ $0 < 0x80 }) else { return String(entry) }
        let name = entry.drop { $0 == "." }.prefix { $0 != ":" }
        return entry[..<name.startIndex] + (try WrittenHost(option: String(name)).spelling) + entry[name.endIndex...]
    }
}

extension ParentProxy {
    /// `http://[USER[:PASSWORD]@]HOST:PORT`; credentials may be percent-encoded as in any URL. No error repeats them.
    init(argument: String) throws(ValueProblem) {
        let shape = "http://[USER:PASSWORD@]HOST:PORT, with IPv6 addresses in brackets"
        guard argument.hasPrefix("http://") else {
            throw ValueProblem("only plain HTTP proxies are supported: write \(shape)")
        }
        var rest = argument.dropFirst("http://".count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        let at = rest.lastIndex(of: "@")
        // The wrong part may be a piece of a password, so the error does not repeat it.
        guard let (host, port) = Self.place(at.map { rest[$0...].dropFirst() } ?? rest) else {
            throw ValueProblem("write \(shape)")
        }
        guard let at else {
            self.init(host: host, port: port)
            return
        }
        let sides = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .map { String($0).removingPercentEncoding ?? String($0) }
        guard let user = sides.first, !user.isEmpty, !user.contains(":") else {
            throw ValueProblem("the user is missing, or contains a colon, which Basic cannot send")
        }
        let password = sides.count > 1 ? sides[1] : ""
        guard !(user + password).unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            throw ValueProblem("user and password must not contain control characters")
        }
        self.init(host: host, port: port, user: user, password: password)
    }

    private static func place(_ text: Substring) -> (host: String, port: Int)? {
        var scanner = HostPortScanner(text)
        guard let host = try? scanner.host(), HostGrammar.isValidHost(host), scanner.colon(),
            let port = try? scanner.port(), scanner.isAtEnd
        else { return nil }
        return (host, port)
    }
}

extension ClientCertificateFile {
    /// `HOST[:PORT]=PEM`.
    init(argument: String) throws(ValueProblem) {
        let shape = "HOST=PEM or HOST:PORT=PEM, with IPv6 addresses in brackets"
        guard let equals = argument.firstIndex(of: "=") else { throw ValueProblem("write \(shape)") }
        let path = String(argument[argument.index(after: equals)...])
        var scanner = HostPortScanner(argument[..<equals])
        let host = try HostPattern(argument: try scanner.hostPart()).text
        var port: Int?
        if !scanner.isAtEnd {
            try scanner.colonPart(shape)
            port = try scanner.portPart()
        }
        guard scanner.isAtEnd, !path.isEmpty else { throw ValueProblem("write \(shape)") }
        self.init(host: host, port: port, path: path)
    }
}
