/// The environment that leads a command through a gate, and makes it trust the gate's CA.
///
/// Source of the names: each program's own manual. Go and Swift on macOS look into the keychain instead, URLSession on
/// Apple's systems ignores proxy variables, and Java wants a key store: those need a hand of their own.
struct ChildEnvironment {
    /// As in `http://127.0.0.1:49152`.
    var proxyURL: String
    /// PEM file of the local CA alone, for programs that add it to their roots.
    var authorityPath: String
    /// PEM file of all roots and the local CA, for programs that replace theirs.
    var bundlePath: String
    var recording: String
    /// The command meets the origins' own certificates, and believes whom it would believe without a gate.
    var keepsRoots = false
    /// Its loopback is not the gate's: what it asks there is asked directly.
    var hasOwnLoopback = false

    /// `inherited` with what the child needs, and without what would lead it past the gate.
    func variables(over inherited: [String: String]) -> [String: String] {
        var result = inherited
        for name in Self.proxies { result[name] = proxyURL }
        for name in Self.bypasses { result[name] = hasOwnLoopback ? Self.loopback : nil }
        if !keepsRoots {
            for name in Self.bundles { result[name] = bundlePath }
            // A directory of roots would be searched beside the bundle, and lead OpenSSL to roots nobody asked for.
            result["SSL_CERT_DIR"] = nil
            result["NODE_EXTRA_CA_CERTS"] = authorityPath
        }
        result["NODE_USE_ENV_PROXY"] = "1"
        for (name, value) in zip(Self.ownNames, [proxyURL, authorityPath, recording]) { result[name] = value }
        return result
    }

    /// What a script may ask for; the last one also makes a gate inside of the command join the recording.
    static let ownNames = ["ATSGATE_PROXY", "ATSGATE_CA", "ATSGATE_RECORDING"]

    /// curl reads http_proxy in lower case only; others differ.
    private static let proxies = [
        "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "CGI_HTTP_PROXY",
        "GLOBAL_AGENT_HTTP_PROXY", "npm_config_proxy", "npm_config_https_proxy",
    ]
    private static let bypasses = ["no_proxy", "NO_PROXY", "npm_config_noproxy"]
    private static let loopback = "localhost,127.0.0.1,::1"
    private static let bundles = [
        "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "HTTPLIB2_CA_CERTS", "GIT_SSL_CAINFO",
        "CARGO_HTTP_CAINFO", "AWS_CA_BUNDLE", "DENO_CERT", "PERL_LWP_SSL_CA_FILE", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
        "NIX_SSL_CERT_FILE", "HEX_CACERTS_PATH", "CONDA_SSL_VERIFY", "URLSessionCertificateAuthorityInfoFile",
    ]
}
