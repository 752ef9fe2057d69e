/// The environment that sends a command's loads through a gate, and makes the command trust the gate's CA.
///
/// Source of the names: each program's own manual. Three kinds of programs must be set up separately: Go and Swift on
/// macOS use the keychain, URLSession on Apple platforms ignores proxy variables, and Java needs a key store.
struct ChildEnvironment {
    /// As in `http://127.0.0.1:49152`.
    var proxyURL: String
    /// PEM file of the local CA alone, for programs that add it to their roots.
    var authorityPath: String
    /// PEM file of all roots and the local CA, for programs that replace theirs.
    var bundlePath: String
    var recording: String
    /// True if the command sees the origins' own certificates, and must trust the same roots as without a gate.
    var keepsRoots = false
    /// True if its loopback is not the gate's, so that connections to it bypass the gate.
    var hasOwnLoopback = false

    /// `inherited`, with the variables for the child and without those that make it bypass the gate.
    func variables(over inherited: [String: String]) -> [String: String] {
        var result = inherited
        for name in Self.proxies { result[name] = proxyURL }
        for name in Self.bypasses { result[name] = hasOwnLoopback ? Self.loopback : nil }
        if !keepsRoots {
            for name in Self.bundles { result[name] = bundlePath }
            // OpenSSL would search a directory of roots in addition to the bundle, and trust unwanted roots.
            result["SSL_CERT_DIR"] = nil
            result["NODE_EXTRA_CA_CERTS"] = authorityPath
        }
        result["NODE_USE_ENV_PROXY"] = "1"
        for (name, value) in zip(Self.ownNames, [proxyURL, authorityPath, recording]) { result[name] = value }
        return result
    }

    /// Variables for scripts. The last one also makes a gate inside the command use the same recording.
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
