import ATSPolicy
import Text

/// A dictionary with a key of every kind, and loads for each of them.
enum LawMix {
    struct Load: Sendable {
        let target: LoadTarget
        let loader: ATSPolicy.Loader
        let facts: HandshakeFacts

        /// Makes one decision, like the gate.
        func isRefused(by judge: Judge) -> Bool {
            switch judge.rule(on: target, loader: loader) {
            case .denial(let denial):
                return RuleBook.standard.judge(denial, profile: judge.profile).failure != nil
            case .permit(let permit):
                guard permit.offer != nil else { return false }
                let handshake = HandshakeCase(
                    facts: facts, host: target.host, demands: permit.demands, profile: judge.profile, now: LawMix.now,
                    basis: permit.basis)
                return RuleBook.standard.judge(handshake).failure != nil
            }
        }
    }

    /// The number of ``loads`` that are blocked.
    static let refusals = 5

    /// Sixteen loads, most of which are allowed, as in practice.
    static let loads = [
        load("https://example.com", modern), load("https://api.example.com", modern),
        load("https://cdn.example.net", old), load("https://a.b.legacy.example.org", staticRSA),
        load("https://www.apple.com", modern), load("https://pinned.example.com", old),
        load("https://printer.local", old), load("https://192.0.2.77", old),
        load("http://localhost", modern), load("http://10.0.0.5", modern), load("http://192.0.2.77", modern),
        // Blocked: a key exchange, two names, an address, and a permission that the loader does not have.
        load("https://weak.example.net", staticRSA), load("http://example.com", modern),
        load("http://deep.down.example.edu", modern), load("http://203.0.113.9", modern),
        load("http://media.example.net", modern, .web),
    ]

    /// - Throws: only if the rules no longer accept these keys.
    static func declaration() throws -> Declaration {
        let entries = dictionary([
            ("legacy.example.org", flags(["NSIncludesSubdomains": true, "NSExceptionRequiresForwardSecrecy": false])),
            ("192.0.2.0/24", flags(["NSExceptionAllowsInsecureHTTPLoads": true])),
            ("api.example.com", flags([:])),
        ])
        let pins = dictionary([
            (
                "pinned.example.com",
                dictionary([("NSPinnedLeafIdentities", .array([node([("SPKI-SHA256-BASE64", .string(pin))])]))])
            )
        ])
        let ats = dictionary([
            ("NSAllowsArbitraryLoadsForMedia", .boolean(true)), ("NSExceptionDomains", entries),
            ("NSPinnedDomains", pins),
        ])
        return try Declaration(root: node([("NSAppTransportSecurity", ats)]), source: "mix")
    }

    /// Those of ``loads`` that are allowed and have distinct names; and the others.
    static let passingNames = loads.prefix(5).filter { IPAddress($0.target.host) == nil }
    static let refusedNames = loads.suffix(5).filter { IPAddress($0.target.host) == nil }

    private static func flags(_ members: KeyValuePairs<String, Bool>) -> PropertyValue {
        dictionary(members.map { ($0.key, .boolean($0.value)) })
    }

    private static func dictionary(_ members: [(String, PropertyValue)]) -> PropertyValue {
        .dictionary(members.map { PropertyMember(key: $0.0, node: PropertyNode($0.1)) })
    }

    private static func node(_ members: [(String, PropertyValue)]) -> PropertyNode { PropertyNode(dictionary(members)) }

    private static func load(_ origin: String, _ facts: HandshakeFacts, _ loader: ATSPolicy.Loader = .app) -> Load {
        let isSecure = origin.hasPrefix("https")
        let host = String(origin.drop { $0 != "/" }.dropFirst(2))
        let scheme: LoadTarget.Scheme = isSecure ? .https : .http
        var facts = facts
        // A certificate for exactly this host.
        let isAddress = IPAddress(host) != nil
        for index in facts.path.indices.prefix(1) {
            facts.path[index].dnsNames = isAddress ? [] : [host]
            facts.path[index].ipAddresses = isAddress ? [host] : []
            facts.served[index] = facts.path[index]
        }
        return Load(
            target: LoadTarget(scheme: scheme, host: host, port: scheme.defaultPort), loader: loader, facts: facts)
    }

    private static func shaken(_ version: TLSVersion, _ suite: CipherSuite) -> HandshakeFacts {
        let path = [("leaf", "Bench CA"), ("Bench CA", "Bench Root"), ("Bench Root", "Bench Root")].map(certificate)
        var facts = HandshakeFacts(
            version: version, suite: suite, group: "X25519", alpn: "http/1.1", served: Array(path.dropLast()),
            path: path, anchor: .system, scts: SCTCounts(embedded: 3))
        facts.usesExtendedMasterSecret = true
        return facts
    }

    private static func certificate(_ name: String, _ issuer: String) -> CertificateFacts {
        var facts = CertificateFacts()
        facts.subject = "CN=\(name)"
        facts.issuer = "CN=\(issuer)"
        facts.commonName = name
        facts.keyType = .ec
        facts.keyBits = 256
        facts.signature = "ecdsa-with-SHA256"
        facts.signatureHashBits = 256
        facts.notBefore = now - 10 * day
        facts.notAfter = now + 80 * day
        facts.spkiSHA256 = pin
        facts.allowsServerAuth = true
        facts.isCA = name != "leaf"
        facts.isSelfIssued = name == issuer
        return facts
    }

    private static let modern = shaken(.tls13, CipherSuite(code: 0x1301, name: "TLS_AES_128_GCM_SHA256"))
    private static let old = shaken(
        .tls12, CipherSuite(code: 0xC02B, name: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"))
    private static let staticRSA = shaken(
        .tls12, CipherSuite(code: 0x009C, name: "TLS_RSA_WITH_AES_128_GCM_SHA256"))

    private static let pin = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    private static let day: Int64 = 86_400
    /// 2026-09-21.
    static let now: Int64 = 1_790_000_000
}
