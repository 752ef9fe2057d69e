import ATSPolicy
import Diagnosis
import Dialing
import ProxyCore
import ProxyServer
import Records
import Text

/// Errors of the scanner as problems of a value.
extension HostPortScanner {
    mutating func hostPart() throws(ValueProblem) -> String {
        do throws(AuthorityFault) {
            return try host()
        } catch {
            throw ValueProblem("\(error)")
        }
    }

    /// - Parameter lowest: 0 if the system may choose.
    mutating func portPart(from lowest: Int = 1) throws(ValueProblem) -> Int? {
        do throws(HostPortScanner.NotAPort) {
            return try port(from: lowest)
        } catch {
            throw ValueProblem("\"\(error.text)\" is not a port from \(lowest) to 65535")
        }
    }

    /// Skips a colon.
    mutating func colonPart(_ shape: String) throws(ValueProblem) {
        guard colon() else { throw ValueProblem("write \(shape)") }
    }
}

extension ListenAddress {
    /// `[LABEL=][socks5://|transparent://]HOST:PORT[,label=LABEL][,assume=LOADER][,outside=WHAT][,os=PROFILE][,policy=PATH]
    /// [,via=WHAT]`, port 0 for a free one, or `fd:NAME` instead of `HOST:PORT`.
    init(argument: String) throws(ValueProblem) {
        let shape =
            "HOST:PORT, LABEL=HOST:PORT, socks5://HOST:PORT, transparent://HOST:PORT or fd:NAME, IPv6 in brackets"
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        let first = parts.first ?? ""
        let equals = first.firstIndex(of: "=")
        let place = equals.map { first[first.index(after: $0)...] } ?? first
        let named = [LoadEntrance.proxy, .socks, .transparent].first { place.hasPrefix("\($0.scheme)://") }
        let target = place.dropFirst(named.map { "\($0.scheme)://".count } ?? 0)
        let label = equals.map { String(first[..<$0]) }
        if target.hasPrefix("fd:"), target != "fd:" {
            self.init(host: "", port: 0, label: label, entrance: named ?? .proxy)
            socketName = String(target.dropFirst(3))
            for part in parts.dropFirst() { try set(part) }
            return
        }
        var scanner = HostPortScanner(target)
        let host = try scanner.hostPart()
        try scanner.colonPart(shape)
        guard let port = try scanner.portPart(from: 0), scanner.isAtEnd, !host.isEmpty else {
            throw ValueProblem("write \(shape)")
        }
        self.init(host: host, port: port, label: label, entrance: named ?? .proxy)
        for part in parts.dropFirst() { try set(part) }
    }

    /// Reads one `NAME=VALUE` after the address.
    private mutating func set(_ part: Substring) throws(ValueProblem) {
        let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, !sides[1].isEmpty else {
            throw ValueProblem(
                "\"\(part)\" is not label=LABEL, assume=LOADER, outside=WHAT, os=PROFILE, policy=PATH or via=WHAT")
        }
        let value = String(sides[1])
        switch sides[0] {
        case "label" where label == nil: label = value
        case "assume" where assumedLoader == nil:
            assumedLoader = try Self.read(value, among: Loader.allCases, "assume")
        case "outside" where outside == nil:
            outside = try Self.read(value, among: OutsideClients.allCases, "outside")
        case "os" where law.system == nil: law.system = try Self.system(value)
        case "policy" where law.policyPath == nil: law.policyPath = value
        case "via" where !entrance.isRedirected: throw ValueProblem("via works only with transparent://")
        case "via" where entrance == .transparent:
            entrance = try Self.read(value, among: [.transparent, .wireguard], "via")
        case "label", "assume", "outside", "os", "policy", "via": throw ValueProblem("\(sides[0]) is given twice")
        default: throw ValueProblem("\"\(sides[0])\" is not one of label, assume, outside, os, policy and via")
        }
    }

    private static func system(_ text: String) throws(ValueProblem) -> SystemChoice {
        do { return try SystemChoice(argument: text) } catch {
            throw ValueProblem("\"\(text)\" is not a value of os: \(error)")
        }
    }

    private static func read<Value: RawRepresentable<String>>(
        _ text: String, among values: [Value], _ name: String
    ) throws(ValueProblem) -> Value {
        if let value = values.first(where: { $0.rawValue == text }) { return value }
        let names = values.map(\.rawValue).joined(separator: ", ")
        throw ValueProblem("\"\(text)\" is not a value of \(name): write one of \(names)")
    }
}

extension ConnectTo {
    /// `HOST:PORT:ADDR:PORT`, like curl's option of that name. Empty parts match everything, or keep the original.
    init(argument: String) throws(ValueProblem) {
        let shape = "HOST:PORT:ADDR:PORT, with IPv6 addresses in brackets"
        var scanner = HostPortScanner(argument[...])
        let host = try scanner.hostPart()
        try scanner.colonPart(shape)
        let port = try scanner.portPart()
        try scanner.colonPart(shape)
        let toHost = try scanner.hostPart()
        try scanner.colonPart(shape)
        let toPort = try scanner.portPart()
        guard scanner.isAtEnd else { throw ValueProblem("write \(shape)") }
        self.init(
            host: host.isEmpty ? nil : try WrittenHost.single(option: host), port: port,
            toHost: toHost.isEmpty ? nil : try WrittenHost.single(option: toHost), toPort: toPort)
    }
}
