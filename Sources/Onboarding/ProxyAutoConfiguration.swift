internal import ProxyCore
public import Text

/// A PAC file: leads through the gate what it can judge, and nothing else.
///
/// Source: Netscape, "Navigator Proxy Auto-Config File Format", March 1996; Apple's systems read the same.
public struct ProxyAutoConfiguration: Sendable {
    private let proxy: Authority
    private let passthrough: [HostPattern]

    /// - Parameters:
    ///   - proxy: as the device reaches it; with a port.
    ///   - passthrough: hosts that the gate does not open; they go directly.
    public init(proxy: Authority, passthrough: [HostPattern] = []) {
        self.proxy = proxy
        self.passthrough = passthrough
    }

    /// JavaScript. Nothing in it comes from a client but a host of ``HostGrammar`` and a port.
    public var text: String {
        let exact = passthrough.filter { !$0.text.hasPrefix("*.") }.map(\.text)
        let suffixes = passthrough.filter { $0.text.hasPrefix("*.") }.map { String($0.text.dropFirst()) }
        return """
            function FindProxyForURL(url, host) {
              host = host.toLowerCase();
              if (host == "\(OwnSite.name)") return "PROXY \(proxy)";
              var scheme = url.substring(0, url.indexOf(":")).toLowerCase();
              if (scheme != "http" && scheme != "https" && scheme != "ws" && scheme != "wss") return "DIRECT";
              if (host == "localhost" || host == "127.0.0.1" || host == "::1" || host == "[::1]") return "DIRECT";
              var hosts = \(Self.list(exact));
              for (var i = 0; i < hosts.length; i++) if (host == hosts[i]) return "DIRECT";
              var suffixes = \(Self.list(suffixes));
              for (var j = 0; j < suffixes.length; j++) {
                var at = host.length - suffixes[j].length;
                if (at > 0 && host.indexOf(suffixes[j], at) == at) return "DIRECT";
              }
              return "PROXY \(proxy)";
            }

            """
    }

    private static func list(_ hosts: [String]) -> String {
        "[" + hosts.map { JSONValue.string($0.lowercased()).text }.joined(separator: ", ") + "]"
    }
}
