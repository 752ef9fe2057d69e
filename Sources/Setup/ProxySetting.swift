/// One proxy of a network service, as `networksetup` reads and sets it. Source: networksetup(8) of macOS.
public struct ProxySetting: Sendable, Hashable, Codable {
    /// Raw values are stored: never rename one.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case web, secureWeb, automatic

        /// The word in the names of its commands.
        var word: String {
            switch self {
            case .web: "webproxy"
            case .secureWeb: "securewebproxy"
            case .automatic: "autoproxyurl"
            }
        }

        var title: String {
            switch self {
            case .web: "web proxy"
            case .secureWeb: "secure web proxy"
            case .automatic: "automatic proxy configuration"
            }
        }
    }

    public var isOn: Bool
    /// A host, or the URL of an automatic configuration; empty for none.
    public var server: String
    /// 0 for none.
    public var port: Int

    public init(isOn: Bool, server: String, port: Int = 0) {
        self.isOn = isOn
        self.server = server
        self.port = port
    }

    /// Reads the output of `-getwebproxy`, `-getsecurewebproxy` or `-getautoproxyurl`: lines of `Name: value`.
    ///
    /// - Returns: nil for any other text.
    init?(_ text: String) {
        let members = Self.members(of: text)
        guard let enabled = members["Enabled"] else { return nil }
        isOn = enabled == "Yes"
        let given = members["Server"] ?? members["URL"] ?? ""
        server = given == "(null)" ? "" : given
        port = members["Port"].flatMap { Int($0) } ?? 0
    }

    /// True if the proxy requires a name and a password.
    static func hasPassword(_ text: String) -> Bool { members(of: text)["Authenticated Proxy Enabled"] == "1" }

    private static func members(of text: String) -> [String: String] {
        var members: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let sides = line.split(separator: ":", maxSplits: 1)
            guard let name = sides.first else { continue }
            members[String(name)] = sides.count > 1 ? String(sides[1].drop { $0 == " " }) : ""
        }
        return members
    }

    /// The commands that apply it.
    func commands(_ kind: Kind, of service: String) -> [[String]] {
        let state = kind == .automatic ? "-setautoproxystate" : "-set\(kind.word)state"
        var commands: [[String]] = []
        if !server.isEmpty {
            let value = kind == .automatic ? [server] : [server, String(port)]
            commands.append(["networksetup", "-set\(kind.word)", service] + value)
        }
        // Naming a server turns it on (networksetup(8)).
        if server.isEmpty || !isOn { commands.append(["networksetup", state, service, isOn ? "on" : "off"]) }
        return commands
    }

    static func question(_ kind: Kind, of service: String) -> [String] {
        ["networksetup", "-get\(kind.word)", service]
    }
}
