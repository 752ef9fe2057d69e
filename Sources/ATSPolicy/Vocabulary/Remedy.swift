/// The smallest changes that would make a blocked load acceptable.
public struct Remedy: Sendable, Hashable {
    public var advice: [Advice]
    /// The entry to add under `NSExceptionDomains`, if one can help.
    public var exception: ExceptionFix?

    public init(_ advice: [Advice], exception: ExceptionFix? = nil) {
        self.advice = advice
        self.exception = exception
    }

    /// - Parameter server: changes for the server, one sentence each.
    public init(server: [String], exception: ExceptionFix? = nil) {
        self.init(server.map { .server($0) }, exception: exception)
    }

    /// Returns the remedy with each sentence changed.
    public func with(_ change: (String) -> String) -> Remedy {
        Remedy(advice.map { $0.with(change) }, exception: exception)
    }

    /// The advice as records store it.
    public var sentences: [String] { advice.map(\.sentence) }
}

/// A fix for a blocked load, or the reason why a fix does not exist; each a whole sentence.
public enum Advice: Sendable, Hashable {
    /// A change on the server.
    case server(String)
    /// The reason why no key of a dictionary helps.
    case noKey(String)
    /// The reason why no entry of `NSExceptionDomains` helps.
    case noException(String)

    /// - Parameters:
    ///   - reason: ends the sentence, including the full stop.
    ///   - system: the release that it applies to; nil for all.
    static func noKeyHelps(because reason: String, on system: String? = nil) -> Advice {
        .noKey(noKeyBeginning + (system.map { " on \($0): " } ?? ": ") + reason)
    }

    static func noExceptionHelps(because reason: String) -> Advice {
        .noException("\(noExceptionBeginning): \(reason)")
    }

    public var sentence: String {
        switch self {
        case .server(let sentence), .noKey(let sentence), .noException(let sentence): sentence
        }
    }

    /// True if this is a change for the server, not a limit of the dictionary.
    public var isForServer: Bool {
        switch self {
        case .server: true
        case .noKey, .noException: false
        }
    }

    /// The reason without the fixed beginning, as the end of a sentence; nil for advice for the server.
    public var reason: String? {
        switch self {
        case .server: nil
        case .noKey(let sentence): Self.end(of: sentence, after: Self.noKeyBeginning)
        case .noException(let sentence): Self.end(of: sentence, after: Self.noExceptionBeginning)
        }
    }

    /// Reads advice back from a record, which stores only the sentence.
    public init(recorded sentence: String) {
        if sentence.hasPrefix(Self.noKeyBeginning) {
            self = .noKey(sentence)
        } else if sentence.hasPrefix(Self.noExceptionBeginning) {
            self = .noException(sentence)
        } else {
            self = .server(sentence)
        }
    }

    /// Returns the advice with its sentence changed.
    public func with(_ change: (String) -> String) -> Advice {
        switch self {
        case .server(let sentence): .server(change(sentence))
        case .noKey(let sentence): .noKey(change(sentence))
        case .noException(let sentence): .noException(change(sentence))
        }
    }

    private static func end(of sentence: String, after beginning: String) -> String {
        String(sentence.dropFirst(beginning.count).drop { $0 == ":" || $0 == " " })
    }

    /// Frozen: stored in records.
    private static let noKeyBeginning = "No ATS key helps"
    private static let noExceptionBeginning = "No exception helps"
}

/// A minimal exception: one domain and the keys to set.
public struct ExceptionFix: Sendable, Hashable {
    public enum Value: Sendable, Hashable {
        case flag(Bool)
        case text(String)
    }

    public struct Setting: Sendable, Hashable {
        public var key: String
        public var value: Value

        public init(_ key: String, _ value: Value) {
            self.key = key
            self.value = value
        }
    }

    /// Key of the entry, for example `api.example.com`.
    public var domain: String
    /// In the order to write them.
    public var settings: [Setting]

    public init(domain: String, settings: [Setting]) {
        self.domain = domain
        self.settings = settings
    }

    /// The fix in one sentence without a full stop, as every output shows it: `NSExceptionDomains "api.example.com":
    /// NSExceptionRequiresForwardSecrecy = false`.
    public var sentence: String {
        let settings = settings.map { "\($0.key) = \($0.value.words)" }
        return "\(ATSKey.exceptionDomains) \"\(domain)\": " + settings.joined(separator: ", ")
    }
}

extension ExceptionFix.Value {
    /// `true`, `false`, or the text itself.
    public var words: String {
        switch self {
        case .flag(let flag): String(flag)
        case .text(let text): text
        }
    }
}

/// Finds the smallest change that makes a refused handshake acceptable.
struct RemedyWriter {
    private let handshake: HandshakeCase

    init(_ handshake: HandshakeCase) {
        self.handshake = handshake
    }

    /// - Parameter findings: all rules that the handshake breaks. An exception is proposed only if it waives all of
    ///   them.
    func remedy(for findings: [Finding]) -> Remedy {
        let settings = findings.map { $0.rule.consequence?.waiver(handshake) }
        guard settings.allSatisfy({ $0 != nil }) else {
            return Remedy(serverAdvice(for: findings) + [whyNoExceptionHelps(findings)])
        }
        guard ExceptionPath.exists(for: handshake.host, on: handshake.profile) else {
            return Remedy(
                serverAdvice(for: findings) + [Self.ineffectiveAddressEntry(handshake.host, handshake.profile)])
        }
        let domain = ExceptionPath.domain(host: handshake.host, basis: handshake.basis)
        return Remedy(
            serverAdvice(for: findings),
            exception: ExceptionFix(domain: domain, settings: settings.compactMap(\.self).uniqued))
    }

    private func whyNoExceptionHelps(_ findings: [Finding]) -> Advice {
        let title = handshake.profile.title
        if handshake.facts.version < handshake.profile.tlsFloor {
            return Self.ineffectiveMinimum(handshake.profile)
        }
        if let own = findings.lazy.compactMap({ $0.rule.consequence?.whyNoKeyHelps }).first {
            return .noKeyHelps(because: own)
        }
        if findings.first?.rule.isHandshakeParameter == true, findings.allSatisfy(\.rule.isHandshakeParameter) {
            let suites = handshake.profile.atsSuites + handshake.profile.staticRSASuites
            guard !suites.contains(handshake.facts.suite) else {
                return .noKeyHelps(because: "one entry cannot waive all of these rules together.")
            }
            return .noKeyHelps(because: "\(title) does not offer \(handshake.facts.suite.name) at all.")
        }
        return .noKeyHelps(
            because: "exceptions do not cover bad certificates; \(ATSKey.insecureHTTP) only lets the app's own "
                + "code accept them.")
    }

    /// For a release whose own minimum is above the value that the key could allow. Code can lower that minimum, and an
    /// app linked earlier does not have it (observed, documented; docs/law/tls.md#system-floor).
    static func ineffectiveMinimum(_ profile: OSProfile) -> Advice {
        .noKeyHelps(
            because: "apps linked with its SDK need TLS \(profile.tlsFloor.name), so a lower \(ATSKey.minimumTLS) has "
                + "no effect. Code can lower it: URLSessionConfiguration.tlsMinimumSupportedProtocolVersion. For an "
                + "app linked earlier, use --reading linked-sdk=ios18.", on: profile.title)
    }

    /// For a release that ignores entries for addresses (documented; docs/law/rulings.md#ios-9,
    /// docs/law/addresses.md#by-release, C9).
    static func ineffectiveAddressEntry(_ host: String, _ profile: OSProfile) -> Advice {
        .noExceptionHelps(
            because: "\(profile.title) ignores entries for addresses, so only \(ATSKey.arbitraryLoads) allows \(host).")
    }

    /// Returns the fix for each broken rule, in order and without duplicates.
    func serverAdvice(for findings: [Finding]) -> [Advice] {
        (findings.map { .server(sentence(for: $0)) } + privateAdvice(for: findings)).uniqued
    }

    /// For a host that public CAs issue no certificates for. Source: CA/Browser Forum, Baseline Requirements 7.1.2.7.12 (no
    /// internal names, no reserved addresses); docs/questions/own-ca.md.
    private func privateAdvice(for findings: [Finding]) -> [Advice] {
        guard findings.contains(where: { [.selfSigned, .untrustedRoot].contains($0.rule) }) else { return [] }
        let host = handshake.host
        let isPrivate =
            handshake.basis.isLocal || Self.isOfPrivateNetwork(host) || !host.contains(".") && !host.contains(":")
        guard isPrivate else { return [] }
        var sentences = [
            "No public CA issues certificates for \(host): use a CA of your own, and install its root on the devices and in "
                + "each simulator."
        ]
        if handshake.demands?.strictTrust == true, Self.isOfPrivateNetwork(host) {
            sentences.append(Self.localForms(of: host))
        }
        return sentences.map { .server($0) }
    }

    private func sentence(for finding: Finding) -> String {
        finding.rule.consequence?.remedy(handshake, finding) ?? "Change the server so that it has: \(finding.expected)."
    }
}

extension Array where Element: Equatable {
    /// The distinct elements, in order. Two rules may have the same fix.
    fileprivate var uniqued: [Element] {
        reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension RemedyWriter {
    /// Returns fixes that are specific to a host: a name that is probably of a private network but not local (observed;
    /// docs/law/addresses.md#direct), or a public address, for which a public CA issues certificates (observed;
    /// docs/law/addresses.md#certificates-for-addresses).
    private static func hints(for target: LoadTarget, isLocal: Bool) -> [String] {
        guard !isLocal else { return [] }
        if target.address != nil {
            return [
                "A public CA can issue a certificate for a public address: Let's Encrypt does, with its profile shortlived."
            ]
        }
        return isOfPrivateNetwork(target.host) ? [localForms(of: target.host)] : []
    }

    private static func localForms(of host: String) -> String {
        "If \(host) is in your own network, use its private address, its .local name, or a name without a dot in the URL: "
            + "only these count as local."
    }

    /// True for names under top-level domains that home routers and companies use. Source: RFC 8375 (home.arpa), RFC 6761
    /// (localhost), RFC 6762 appendix G (the others), ICANN's reserved .internal, and fritz.box of AVM's routers.
    private static func isOfPrivateNetwork(_ host: String) -> Bool {
        let name = host.lowercased()
        return privateSuffixes.contains { name.hasSuffix($0) }
    }

    private static let privateSuffixes = [
        ".lan", ".home", ".home.arpa", ".internal", ".intranet", ".corp", ".private", ".localdomain", ".fritz.box",
        ".localhost",
    ]

    /// Returns the fix for a cleartext load: one key for one host; for an address, the entry is the address. Source:
    /// Apple, NSExceptionDomains; Security, SecProtocolConfiguration.m; docs/law/keys.md#entry-keys,
    /// docs/law/addresses.md#address-keys.
    static func cleartext(to target: LoadTarget, basis: RulingBasis, profile: OSProfile) -> Remedy {
        var server = ["Serve \(target.host) over https with TLS 1.2 or newer, and use an https URL in the app."]
        // An entry has precedence over the local rule (docs/law/rulings.md#order-of-decisions), so the global key helps
        // only if there is no entry.
        if basis.isLocal, basis.step != .exception {
            let isForbidden = basis.keyPath == "\(ATSKey.root).\(ATSKey.localNetworking)"
            server.append(
                isForbidden
                    ? "Or remove \(ATSKey.localNetworking) or set it to true: \(target.host) is local, and only an "
                        + "explicit false keeps it under ATS."
                    : "Or set \(ATSKey.localNetworking) to true: \(target.host) is local, but \(profile.title) applies "
                        + "ATS to it without that key.")
        }
        server += hints(for: target, isLocal: basis.isLocal)
        guard ExceptionPath.exists(for: target.host, on: profile) else {
            return Remedy(server.map { .server($0) } + [ineffectiveAddressEntry(target.host, profile)])
        }
        let fix = ExceptionFix(
            domain: ExceptionPath.domain(host: target.host, basis: basis),
            settings: [ExceptionFix.Setting(ATSKey.insecureHTTP, .flag(true))])
        return Remedy(server: server, exception: fix)
    }
}
