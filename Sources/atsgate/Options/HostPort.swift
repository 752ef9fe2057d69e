import ATSPolicy
import ProxyServer
import Text

/// Reads `HOST:PORT` and its relatives, an IPv6 address in brackets, from the front of a text.
struct HostPortScanner {
    private var rest: Substring

    init(_ text: Substring) {
        rest = text
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// The text up to the next colon, without brackets; empty when there is none.
    mutating func host() throws(ValueProblem) -> String {
        guard rest.hasPrefix("[") else { return String(takePart()) }
        guard let end = rest.firstIndex(of: "]") else { throw ValueProblem("the closing bracket is missing") }
        let address = rest[rest.index(after: rest.startIndex)..<end]
        guard case .v6? = IPAddress(address) else {
            throw ValueProblem("[\(address)] holds no IPv6 address")
        }
        rest = rest[rest.index(after: end)...]
        return String(address)
    }

    /// A port, or nil where the part is empty.
    ///
    /// - Parameter lowest: 0 where the system may choose.
    mutating func port(from lowest: Int) throws(ValueProblem) -> Int? {
        let digits = takePart()
        guard !digits.isEmpty else { return nil }
        guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let port = Int(digits), lowest...65_535 ~= port else {
            throw ValueProblem("\"\(digits)\" is no port from \(lowest) to 65535")
        }
        return port
    }

    /// Passes a colon, or says that it is missing.
    mutating func colon(_ shape: String) throws(ValueProblem) {
        guard rest.first == ":" else { throw ValueProblem("it must be written as \(shape)") }
        rest = rest.dropFirst()
    }

    private mutating func takePart() -> Substring {
        let part = rest.prefix { $0 != ":" }
        rest = rest[part.endIndex...]
        return part
    }
}

extension ListenAddress {
    /// `[LABEL=][socks5://]HOST:PORT[,assume=LOADER][,label=LABEL]`, port 0 for a free one.
    init(argument: String) throws(ValueProblem) {
        let shape = "HOST:PORT, LABEL=HOST:PORT or socks5://HOST:PORT, an IPv6 address in brackets"
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        let first = parts.first ?? ""
        let equals = first.firstIndex(of: "=")
        let place = equals.map { first[first.index(after: $0)...] } ?? first
        let language = ProxyLanguage.allCases.first { place.hasPrefix("\($0.rawValue)://") }
        var scanner = HostPortScanner(place.dropFirst(language.map { "\($0.rawValue)://".count } ?? 0))
        let host = try scanner.host()
        try scanner.colon(shape)
        guard let port = try scanner.port(from: 0), scanner.isAtEnd, !host.isEmpty else {
            throw ValueProblem("it must be written as \(shape)")
        }
        self.init(
            host: host, port: port, label: equals.map { String(first[..<$0]) }, speaks: language ?? .http)
        for part in parts.dropFirst() { try set(part) }
    }

    /// One `NAME=VALUE` behind the address.
    private mutating func set(_ part: Substring) throws(ValueProblem) {
        let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, !sides[1].isEmpty else {
            throw ValueProblem("\"\(part)\" is neither assume=LOADER nor label=LABEL")
        }
        switch sides[0] {
        case "label" where label == nil: label = String(sides[1])
        case "assume" where assumedLoader == nil:
            do {
                assumedLoader = try ValueKind<Loader>.loader.read(String(sides[1]))
            } catch {
                throw ValueProblem("\"\(sides[1])\" is no loader to assume: \(error)")
            }
        case "label", "assume": throw ValueProblem("it says \(sides[0]) twice")
        default: throw ValueProblem("\"\(sides[0])\" is neither assume nor label")
        }
    }
}

extension ConnectTo {
    /// `HOST:PORT:ADDR:PORT`; empty parts match, or keep, everything. As curl's option of that name.
    init(argument: String) throws(ValueProblem) {
        let shape = "HOST:PORT:ADDR:PORT, an IPv6 address in brackets"
        var scanner = HostPortScanner(argument[...])
        let host = try scanner.host()
        try scanner.colon(shape)
        let port = try scanner.port(from: 1)
        try scanner.colon(shape)
        let toHost = try scanner.host()
        try scanner.colon(shape)
        let toPort = try scanner.port(from: 1)
        guard scanner.isAtEnd else { throw ValueProblem("it must be written as \(shape)") }
        self.init(
            host: host.isEmpty ? nil : host, port: port, toHost: toHost.isEmpty ? nil : toHost, toPort: toPort)
    }
}
