import Text

/// Domains whose hosts belong to many owners: lint warns of entries for them, and suggestions never cover a whole one.
///
/// Samples of publicsuffix.org and of hosters' own documents, not copies of them, so the findings are inferred
/// (docs/law/domains.md#shared-domains).
public enum SharedDomains {
    /// Two labels that many registrants share.
    public static let registries: Set = [
        "ac.uk", "co.in", "co.jp", "co.kr", "co.nz", "co.uk", "co.za", "com.ar", "com.au", "com.br", "com.cn", "com.mx",
        "com.tr", "com.tw", "gov.uk", "ne.jp", "net.au", "or.jp", "org.au", "org.uk",
    ]
    /// Domains of hosters and networks that give customers names under their own.
    public static let hosters: Set = [
        "akamaihd.net", "akamaized.net", "amazonaws.com", "amazonaws.com.cn", "appspot.com", "azurefd.net",
        "azurewebsites.net", "cloudapp.net", "cloudflarestorage.com", "cloudfront.net", "duckdns.org", "edgekey.net",
        "execute-api.amazonaws.com", "fastly.net", "firebaseapp.com", "fly.dev", "github.io", "herokuapp.com",
        "netlify.app", "onrender.com", "pages.dev", "r2.dev", "s3.amazonaws.com", "tailscale.net", "ts.net",
        "vercel.app", "web.app", "windows.net", "workers.dev",
    ]
    /// Domains of services that forward a public name to a private machine.
    public static let tunnels: Set<Substring> = [
        "devtunnels.ms", "exp.direct", "lhr.life", "loca.lt", "localhost.run", "localtunnel.me", "ngrok-free.app",
        "ngrok-free.dev", "ngrok.app", "ngrok.dev", "ngrok.io", "serveo.net", "trycloudflare.com",
    ]

    /// True if hosts under the domain may belong to other owners.
    public static func contains(_ domain: String) -> Bool {
        registries.contains(domain) || hosters.contains(domain) || tunnels.contains(domain[...])
    }

    /// True for the domain of a tunnel service, and for a host under one.
    public static func isTunnel(_ host: String) -> Bool {
        tunnels.contains(host[...]) || HostGrammar.parents(of: host[...]).contains(where: tunnels.contains)
    }
}

/// The domain under which one owner registered a host, and the owner's name in it.
///
/// The public suffixes are samples of publicsuffix.org (``SharedDomains``), so the result is inferred.
public struct OwnerDomain: Sendable, Hashable {
    /// For example `example.co.uk`.
    public let domain: String
    /// The label that the owner chose: `example`. A company often has it under several public suffixes.
    public let owner: String

    /// nil for addresses, names without a dot, and names that no public registry has: they are local or internal.
    ///
    /// - Parameter host: in any spelling.
    public init?(of host: String) {
        let name = HostGrammar.normalized(host)
        guard HostGrammar.isValidName(name), IPAddress(host: name) == nil else { return nil }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, let top = labels.last, !Self.specialUse.contains(String(top)) else { return nil }
        let suffixes = [name[...]] + HostGrammar.parents(of: name[...])
        guard !suffixes.contains("home.arpa") else { return nil }
        let suffix = suffixes.first { SharedDomains.contains(String($0)) }
        let length = suffix.map { $0.split(separator: ".").count } ?? 1
        guard labels.count > length else { return nil }
        domain = labels.suffix(length + 1).joined(separator: ".")
        owner = String(labels[labels.count - length - 1])
    }

    /// Top-level domains that no public registry delegates. Source: RFC 6761, RFC 6762 appendix G; ICANN, resolution on
    /// .internal (2024-07-29).
    private static let specialUse: Set = [
        "corp", "example", "home", "internal", "intranet", "invalid", "lan", "local", "localhost", "onion", "private",
        "test",
    ]
}
