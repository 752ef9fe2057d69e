/// Exceptions that the system registers in addition to the app's own. Source: Security, SecProtocolConfiguration.m;
/// docs/law/keys.md#built-in-exceptions.
enum BuiltInExceptions {
    /// All of them cover subdomains, allow http and do not require forward secrecy.
    static let entries: [String: ExceptionEntry] = [
        "apple.com": entry(.tls12),
        "setup.icloud.com": entry(.tls12),
        "ls.apple.com": entry(.tls10),
        "gs.apple.com": entry(.tls10),
        "geo.apple.com": entry(.tls10),
        "is.autonavi.com": entry(.tls10),
        "apple-mapkit.com": entry(.tls10),
    ]

    private static func entry(_ minimum: TLSVersion) -> ExceptionEntry {
        ExceptionEntry(
            includesSubdomains: true, allowsInsecureHTTPLoads: true, minimumTLS: minimum,
            requiresForwardSecrecy: false)
    }
}
