/// Additional lines of the unified log since 13 when ATS rejects a certificate or a handshake. The strings of
/// libboringssl are from the systems' own files, as blacktop/ipsw-diffs lists them from 26.5 to 27.0. Which failure
/// prints which string is inferred, except for the one of VelaTerm issue 77. Source: docs/console-lines.md#variants.
struct UnifiedLog {
    let console: AppleConsole

    init(_ console: AppleConsole) { self.console = console }

    /// Lines before those of the console: the certificate and the check that failed, written as in Security
    /// (SecFrameworkStrings.h), and the result of the system's own evaluation. Source: FlatFold's notes on pinning, for
    /// both and their order; GitHub, aoagents/agent-orchestrator, package simtrust, for a private root.
    func before(_ rule: RuleID, _ status: StreamStatus) -> [String] {
        guard console.shows(.unifiedLog) else { return [] }
        let check = isYearly ? rule.consequence?.loggedCheck : nil
        return (check.map { ["Trust evaluate failure: [\($0)]"] } ?? [])
            + ["System Trust Evaluation yielded status(\(status.code))"]
    }

    /// Lines after those of the console. Source of the last line: GitHub, VelaTerm issue 77.
    func after(_ rule: RuleID, facts: HandshakeFacts?) -> [String] {
        guard console.shows(.unifiedLog), isYearly else { return [] }
        return violation(of: rule, leaf: facts?.path.first ?? facts?.served.first)
            + ["reporting state cancelled error ATS violation"]
    }

    /// On 26 and 27, a self-signed leaf, an untrusted root and another host's certificate were seen; the result of the
    /// evaluation in two reports. Weak leaves, other rules, and everything on 13 to 18 were not seen.
    func confidence(_ rule: RuleID) -> Confidence {
        isYearly && rule.consequence?.loggedCheck != nil ? .observedOnce : .inferred
    }

    /// Lines for an app that requires a NIAP package: the handshake itself breaks the rule. Before 26.4 there was no
    /// package.
    func of(handshake rule: RuleID?, facts: HandshakeFacts?) -> [String] {
        guard rule == .niap, console.shows(.unifiedLog), isYearly, let facts else { return [] }
        if facts.version < .tls13, facts.usesExtendedMasterSecret == false {
            return console.generation == .ios27
                ? [atServer("FCPv2.1 violation", "TLS 1.2 negotiated without extended master secret (EMS)")] : []
        }
        guard facts.path.first?.hasOfferedSignature == false else { return [] }
        // No log shows the name of the algorithm.
        return console.generation == .ios27
            ? [
                atServer(
                    "FCPv2.1 violation",
                    "Server certificate signed using signature algorithm ... not advertised in client hello")
            ] : ["FCS TLS v2 compliance error: leaf cert signature algorithm not in offered signature algorithms"]
    }

    /// 26 has texts only for weak leaves, without the host. 27 also has one for all other failures. The number of the
    /// hash is unknown.
    private func violation(of rule: RuleID, leaf: CertificateFacts?) -> [String] {
        let isNew = console.generation == .ios27
        let trust = isNew ? [atServer("Violation", "ATS certificate trust requirement not satisfied")] : []
        guard let leaf else { return trust }
        if rule == .keySize, let weak = weakKey(of: leaf) {
            return isNew
                ? [
                    atServer(
                        "violation",
                        "\(weak.new) key size \(leaf.keyBits) bits is less than minimum \(weak.least) bits")
                ]
                : ["ATS violation: \(weak.old) key size \(leaf.keyBits) less than minimum bound \(weak.least)"]
        }
        if rule == .signatureHash, leaf.signatureHashBits.map({ $0 < Rule.leastATSHashBits }) == true {
            let text = "Leaf certificate hash algorithm (...) is not at least SHA-256"
            return [isNew ? atServer("violation", text) : "ATS violation: \(text)"]
        }
        return trust
    }

    private func weakKey(of leaf: CertificateFacts) -> (old: String, new: String, least: Int)? {
        switch leaf.keyType {
        case .rsa where leaf.keyBits < Rule.leastRSABits: ("RSA", "RSA", Rule.leastRSABits)
        case .ec where leaf.keyBits < Rule.leastECBits: ("EC", "ECDSA", Rule.leastECBits)
        case .rsa, .ec, .ed25519, .ed448, .dsa, .other: nil
        }
    }

    /// The form of 27, with its inconsistent capitals.
    private func atServer(_ kind: String, _ text: String) -> String {
        "Error [ATS \(kind)]: \(text) for server: \(console.target.host)"
    }

    /// 26 and later.
    private var isYearly: Bool { console.generation == .ios26 || console.generation == .ios27 }
}

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
