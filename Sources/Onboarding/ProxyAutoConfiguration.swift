internal import ProxyCore
public import Text

/// A PAC file that sends traffic through the gate only if the gate can judge it.
///
/// Source: Netscape, "Navigator Proxy Auto-Config File Format", March 1996; Apple's systems read the same.
public struct ProxyAutoConfiguration: Sendable {
    private let proxy: Authority
    private let passthrough: [HostPattern]
    private let excluded: [HostPattern]

    /// - Parameters:
    ///   - proxy: the gate's address for the device, with a port.
    ///   - passthrough: hosts whose TLS the gate does not decrypt: TLS goes direct, but cleartext does not.
    ///   - excluded: hosts that wildcards in `passthrough` do not match.
    public init(proxy: Authority, passthrough: [HostPattern] = [], excluding excluded: [HostPattern] = []) {
        self.proxy = proxy
        self.passthrough = passthrough
        self.excluded = excluded.filter { !passthrough.contains($0) }
    }

    /// JavaScript as of 1996. Its only input from a client is a host in ``HostGrammar`` and a port.
    public var text: String {
        """
        function FindProxyForURL(url, host) {
          host = host.toLowerCase();
          function covers(hosts, suffixes) {
            for (var i = 0; i < hosts.length; i++) if (host == hosts[i]) return true;
            for (var j = 0; j < suffixes.length; j++) {
              var at = host.length - suffixes[j].length;
              if (at > 0 && host.indexOf(suffixes[j], at) == at) return true;
            }
            return false;
          }
          if (host == "\(OwnSite.name)") return "PROXY \(proxy)";
          var scheme = url.substring(0, url.indexOf(":")).toLowerCase();
          var isClear = scheme == "http" || scheme == "ws";
          if (!isClear && scheme != "https" && scheme != "wss") return "DIRECT";
          if (host == "localhost" || host == "127.0.0.1" || host == "::1" || host == "[::1]") return "DIRECT";
          if (\(Self.condition(excluded + excluded.below))) return "PROXY \(proxy)";
          if (!isClear && \(Self.condition(passthrough))) return "DIRECT";
          return "PROXY \(proxy)";
        }

        """
    }

    private static func condition(_ patterns: [HostPattern]) -> String {
        let exact = patterns.filter { !$0.text.hasPrefix("*.") }.map(\.text)
        let suffixes = patterns.filter { $0.text.hasPrefix("*.") }.map { String($0.text.dropFirst()) }
        return "covers(\(list(exact)), \(list(suffixes)))"
    }

    private static func list(_ hosts: [String]) -> String {
        "[" + hosts.map { JSONValue.string($0.lowercased()).text }.joined(separator: ", ") + "]"
    }
}

extension [HostPattern] {
    /// Patterns for all hosts below these.
    fileprivate var below: [HostPattern] { compactMap { HostPattern("*.\($0.name)") } }
}
