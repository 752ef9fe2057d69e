/// The userInfo of an NSError as the console prints it, in a compact form: on one line, in the key order of one
/// published log of iOS 18. The real order is that of a hash table and varies (observed; docs/law/errors.md#userinfo).
/// Object addresses are meaningless here and are written `0x...`.
struct UserInfo {
    let text: String

    private init(_ members: [(key: String, value: String)]) {
        text = "{" + members.map { "\($0.key)=\($0.value)" }.joined(separator: ", ") + "}"
    }

    /// For -1022 (docs/law/errors.md#userinfo).
    static func cleartext(_ console: AppleConsole, code: Int, message: String) -> UserInfo {
        UserInfo([
            ("NSLocalizedDescription", message),
            ("NSErrorFailingURLStringKey", console.urlText),
            ("NSErrorFailingURLKey", console.urlText),
            ("_NSURLErrorRelatedURLSessionTaskErrorKey", "(\"\(dataTask(console))\")"),
            ("_NSURLErrorFailingURLSessionTaskErrorKey", dataTask(console)),
            ("NSUnderlyingError", "0x... {Error Domain=kCFErrorDomainCFNetwork Code=\(code) \"(null)\"}"),
        ])
    }

    /// For -1022 in a web view of 9, whose underlying error has the full description (docs/law/errors.md#userinfo).
    static func ofWebView(_ console: AppleConsole, code: Int, message: String) -> UserInfo {
        UserInfo([
            ("NSUnderlyingError", "0x... {Error Domain=kCFErrorDomainCFNetwork Code=\(code) \"\(message)\"}"),
            ("NSErrorFailingURLStringKey", console.urlText),
            ("NSErrorFailingURLKey", console.urlText),
            ("NSLocalizedDescription", message),
        ])
    }

    /// For -1200 and -1202 (docs/law/errors.md#userinfo). Without a certificate, the keys about certificates are
    /// missing.
    ///
    /// - Parameter served: certificates as served, leaf first.
    static func tls(
        _ console: AppleConsole, code: Int, status: Int, message: String, served: [CertificateFacts]
    ) -> UserInfo {
        let chain = served.isEmpty ? nil : "(" + served.map(\.consoleText).joined(separator: ", ") + ")"
        let trust = chain.map { _ in "<SecTrustRef: 0x...>" }
        // Since about iOS 14, if no certificate was seen; with a gate, the path has a proxy (observed;
        // docs/law/errors.md#userinfo).
        let hasPath = chain == nil && console.device.release >= OSVersion(14)
        let underlying = UserInfo(
            members(
                ("_kCFStreamPropertySSLClientCertificateState", "0"), ("_NSURLErrorNWPathKey", hasPath ? path : nil),
                ("kCFStreamPropertySSLPeerTrust", trust),
                ("_kCFNetworkCFStreamSSLErrorOriginalValue", "\(status)"),
                ("_kCFStreamErrorDomainKey", "3"),
                ("_kCFStreamErrorCodeKey", "\(status)"),
                ("kCFStreamPropertySSLPeerCertificates", chain)))
        return UserInfo(
            members(
                ("NSLocalizedRecoverySuggestion", "Would you like to connect to the server anyway?"),
                ("_kCFStreamErrorDomainKey", "3"),
                ("NSErrorPeerCertificateChainKey", chain),
                ("NSErrorClientCertificateStateKey", "0"),
                ("NSErrorFailingURLKey", console.urlText),
                ("NSErrorFailingURLStringKey", console.urlText),
                (
                    "NSUnderlyingError",
                    "0x... {Error Domain=kCFErrorDomainCFNetwork Code=\(code) \"(null)\" UserInfo=\(underlying.text)}"
                ),
                ("_NSURLErrorRelatedURLSessionTaskErrorKey", "(\"\(dataTask(console))\")"),
                ("_kCFStreamErrorCodeKey", "\(status)"),
                ("_NSURLErrorFailingURLSessionTaskErrorKey", dataTask(console)),
                ("NSURLErrorFailingURLPeerTrustErrorKey", trust),
                ("NSLocalizedDescription", message)))
    }

    /// Interface and address family as in the only published log, because the device's own are unknown.
    private static let path = "satisfied (Path is satisfied), viable, interface: en0[802.11], ipv4, dns, proxy"

    private static func members(_ all: (key: String, value: String?)...) -> [(key: String, value: String)] {
        all.compactMap { member in member.value.map { (member.key, $0) } }
    }

    private static func dataTask(_ console: AppleConsole) -> String {
        "LocalDataTask <\(console.identifiers.task)>.<\(console.identifiers.taskIndex)>"
    }
}

extension CertificateFacts {
    /// The element of a printed chain since about iOS 11 (observed; docs/law/errors.md#userinfo).
    fileprivate var consoleText: String {
        "\"<cert(0x...) s: \(displayName) i: \(issuerCommonName ?? issuer.singleLine)>\""
    }
}
