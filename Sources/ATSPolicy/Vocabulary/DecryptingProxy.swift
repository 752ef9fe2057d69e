/// A proxy between the gate and the origin that decrypts TLS. It shows its own certificate, so that the origin's
/// handshake is not seen.
public struct DecryptingProxy: Sendable, Hashable {
    /// For example `mitmproxy`; for an unknown tool the name of its CA.
    public let name: String
    /// The setting of the tool that passes TLS through; nil for an unknown tool.
    public let passthrough: String?
    public let confidence: Confidence
    /// The place that documents the name of its CA.
    public let source: String
    /// The origins by which an unknown tool was recognized; empty for a known one.
    public let owners: [String]

    private init(_ tool: Tool) {
        name = tool.name
        passthrough = tool.passthrough
        confidence = .documented
        source = tool.source
        owners = []
    }

    /// A tool that is not in the table: its CA signed certificates for unrelated origins.
    ///
    /// - Parameters:
    ///   - authority: the name of its CA.
    ///   - owners: one registered domain for each owner.
    public init(authority: String, owners: [String]) {
        name = authority
        passthrough = nil
        confidence = .inferred
        source = "docs/coming-from.md#both-at-once"
        self.owners = owners
    }

    /// The tool whose CA issued a certificate of the path; nil if none did.
    ///
    /// - Parameter path: the evaluated path, leaf first. The leaf's own name is not read, because a tool's website has
    ///   a certificate, too.
    public static func named(in path: [CertificateFacts]) -> DecryptingProxy? {
        for certificate in path {
            if let proxy = named(byIssuer: certificate.issuer) { return proxy }
        }
        return nil
    }

    /// The tool whose CA has that name.
    ///
    /// - Parameter issuer: a distinguished name, or its common name.
    public static func named(byIssuer issuer: String) -> DecryptingProxy? {
        let issuer = issuer.lowercased()
        return tools.first { $0.marks.contains(where: issuer.contains) }.map(DecryptingProxy.init)
    }

    private struct Tool: Sendable {
        let name: String
        /// In lower case; one of them is part of the CA's name.
        let marks: [String]
        let passthrough: String?
        let source: String

        init(_ name: String, _ marks: String..., passthrough: String? = nil, source: String) {
            self.name = name
            self.marks = marks
            self.passthrough = passthrough
            self.source = source
        }
    }

    /// The names of CAs that debugging proxies and TLS inspection create.
    private static let tools: [Tool] = [
        Tool(
            "mitmproxy", "mitmproxy", passthrough: "--set ignore_hosts='.*'",
            source: "GitHub, mitmproxy/mitmproxy, mitmproxy/certs.py"),
        Tool(
            "Charles", "charles proxy", "charlesproxy.com/ssl", passthrough: "no SSL proxying for the host",
            source: "charlesproxy.com, SSL Certificates"),
        Tool(
            "Proxyman", "proxyman ca", "proxyman.io/ssl", "proxyman ltd", "proxyman llc",
            passthrough: "no SSL proxying for the host", source: "docs.proxyman.com, SSL Proxying"),
        Tool(
            "Burp Suite", "portswigger", passthrough: "TLS pass through", source: "PortSwigger, Burp's CA certificate"),
        Tool(
            "Fiddler", "do_not_trust_fiddlerroot", "fiddler root certificate", "created by http://www.fiddler2.com",
            passthrough: "no decryption of HTTPS",
            source: "Telerik, Fiddler documentation, Trust Fiddler Root Certificate"),
        Tool(
            "HTTP Toolkit", "http toolkit ca", "mockttp testing ca", passthrough: "TLS passthrough for the host",
            source: "GitHub, httptoolkit/httptoolkit-server, certificates"),
        Tool("Reqable", "reqable ca", "reqable certificate authority", source: "reqable.com, SSL certificates"),
        Tool("Surge", "surge generated ca", source: "manual.nssurge.com, HTTPS decryption"),
        Tool("Stream", "stream root ca", source: "App Store, Stream: its root certificate"),
        Tool("whistle", "whistle.", "o=whistle", source: "GitHub, avwo/whistle, lib/https/ca.js"),
        Tool("AnyProxy", "anyproxy", source: "GitHub, alibaba/anyproxy, and node-easy-cert"),
        Tool("node-mitmproxy", "node-mitmproxy", source: "GitHub, wuchangming/node-mitmproxy"),
        Tool(
            "ZAP", "owasp zed attack proxy root ca", "owasp zap root ca", "zap root ca",
            source: "GitHub, zaproxy/zap-extensions, addOns/network"),
        Tool("Requestly", "rqproxyca", "requestly", source: "GitHub, requestly/requestly-proxy, certificate settings"),
        Tool("ProxyPin", "proxypin", source: "GitHub, wanghongenpin/proxypin"),
        Tool("http-mitm-proxy", "nodemitmproxyca", source: "GitHub, joeferner/node-http-mitm-proxy, lib/ca.ts"),
        Tool("Zscaler", "zscaler", passthrough: "an SSL inspection bypass", source: "help.zscaler.com, SSL inspection"),
        Tool(
            "Netskope", "netskope", "goskope", passthrough: "a do-not-decrypt policy",
            source: "docs.netskope.com, SSL decryption"),
        Tool("Fortinet", "fortinet", "fortigate", source: "docs.fortinet.com, SSL/SSH inspection"),
        Tool("Cisco Umbrella", "cisco umbrella", source: "docs.umbrella.com, Cisco Umbrella root certificate"),
        Tool(
            "Cloudflare Gateway", "cloudflare for teams", "gateway ca - cloudflare",
            source: "developers.cloudflare.com, TLS decryption"),
        Tool("another atsgate", "atsgate local ca", passthrough: "--passthrough HOST", source: "docs/options.md"),
    ]
}

/// The handling of origins whose certificate is that of a decrypting proxy. Raw values are those of an option.
public enum DecryptedOrigins: String, Sendable, Hashable, CaseIterable {
    /// Recognizes known tools by the names of their CAs, and others by the origins that their CA signed for.
    case infer
    /// Recognizes known tools only.
    case named
    /// Judges the proxy's certificate as the origin's.
    case judge
}
