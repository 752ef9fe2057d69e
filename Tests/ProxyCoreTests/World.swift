import ATSPolicy
import Foundation
import ProxyCore
import TLSEngine
import Text

/// Certificates, policies and loop contexts that all playbooks share. Every certificate is made for ``now``.
enum World {
    /// 2026-11-20T00:00:00Z.
    static let now: Int64 = 1_795_132_800
    static let day: Int64 = 86_400

    static let root = Result {
        try CertificateRecipe(
            commonName: "Test Root", notBefore: now - 100 * day, notAfter: now + 1_000 * day, isCA: true
        ).issued(by: nil)
    }
    static let strangeRoot = Result {
        try CertificateRecipe(
            commonName: "Strange Root", notBefore: now - 100 * day, notAfter: now + 1_000 * day, isCA: true
        ).issued(by: nil)
    }
    /// The CA of a debugging proxy.
    static let proxyRoot = Result {
        try CertificateRecipe(
            commonName: "mitmproxy", notBefore: now - 100 * day, notAfter: now + 1_000 * day, isCA: true
        ).issued(by: nil)
    }
    /// A CA that no table lists.
    static let unknownRoot = Result {
        try CertificateRecipe(
            commonName: "Workbench CA", notBefore: now - 100 * day, notAfter: now + 1_000 * day, isCA: true
        ).issued(by: nil)
    }
    static let authority = Result { try CertificateAuthority.ephemeral(commonName: "Gate", now: now) }
    static let untrusted = Result { try CertificateAuthority.ephemeral(commonName: "Nobody", now: now) }
    /// Trusts ``root`` as a system root.
    static let trust = Result { try trust(adding: nil) }

    /// Trusts ``root`` as a system root, and a root that the user added.
    static func trust(adding added: SigningIdentity?) throws -> TrustStore {
        let files = [try root.get(), added].compactMap(\.self).map { identity in
            (NSTemporaryDirectory() + "atsgate-core-\(UUID().uuidString).pem", identity.certificatePEM)
        }
        defer { for (file, _) in files { try? FileManager.default.removeItem(atPath: file) } }
        for (file, text) in files { try text.write(toFile: file, atomically: true, encoding: .utf8) }
        return try TrustStore(
            systemRootsPEM: files.prefix(1).map(\.0), userRootsPEM: files.dropFirst().map(\.0))
    }

    /// A client certificate, loaded as the gate loads it.
    static let clientIdentity = Result {
        let file = NSTemporaryDirectory() + "atsgate-core-\(UUID().uuidString).pem"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let made = try World.identity("client")
        try (made.certificatePEM + made.keyPEM).write(toFile: file, atomically: true, encoding: .utf8)
        return try ClientIdentity(path: file)
    }

    /// Issues a leaf by ``root``, or by the given issuer.
    ///
    /// - Parameter names: all hosts of the certificate; nil for `host` alone.
    static func identity(
        _ host: String, names: [String]? = nil, key: CertificateRecipe.Key = .ec(curve: .p256),
        issuer: SigningIdentity? = nil
    ) throws -> SigningIdentity {
        try CertificateRecipe(
            commonName: host, dnsNames: names ?? [host], key: key, notBefore: now - day, notAfter: now + 90 * day,
            extendedKeyUsages: [.serverAuth]
        ).issued(by: issuer ?? root.get())
    }

    static func law(_ declaration: PropertyValue, _ change: (inout PolicyDraft) -> Void = { _ in }) throws -> GatePolicy
    {
        var sketch = PolicyDraft()
        change(&sketch)
        let outer = PropertyMember(key: "NSAppTransportSecurity", keyLine: 1, node: PropertyNode(declaration, line: 1))
        var read = try Declaration(root: PropertyNode(.dictionary([outer]), line: 1), source: "Info.plist")
        read.trustKitDomains = HostPatterns(sketch.trustKitDomains)
        return GatePolicy(
            system: JudgedSystem(
                judge: Judge(declaration: read, profile: sketch.profile, switches: sketch.switches),
                source: sketch.system),
            laws: sketch.laws, rules: sketch.rules, trust: try sketch.trust ?? trust.get(),
            identities: sketch.identities, recording: "test", ownAuthorities: ["127.0.0.1:9802"])
    }

    static func loop(
        _ law: GatePolicy, authority given: CertificateAuthority? = nil, untrusted other: CertificateAuthority? = nil,
        outboxes: OutboxBudget = OutboxBudget(), pinning: PinningWatch = PinningWatch()
    ) throws -> LoopContext {
        LoopContext(
            policy: law, authority: try given ?? authority.get(), untrusted: try other ?? untrusted.get(),
            clientContext: try ClientTLSContext(), memory: GateMemory(pinning: pinning), outboxes: outboxes,
            identifiers: { LogIdentifiers(task: "00000000-0000-0000-0000-000000000000", taskIndex: 1, connection: 1) })
    }
}

/// A playbook's changes to its policy; the members of ``LoadRules`` are available directly.
@dynamicMemberLookup
struct PolicyDraft {
    var rules = LoadRules()
    var system = SystemSource.named
    var trustKitDomains: [String] = []
    var laws: [ListenerPolicy: JudgedSystem] = [:]
    var profile = OSProfile.iOS26
    var switches = JudgeSwitches()
    var identities = ClientIdentities()
    /// nil for ``World/trust``.
    var trust: TrustStore?

    subscript<Value>(dynamicMember path: WritableKeyPath<LoadRules, Value>) -> Value {
        get { rules[keyPath: path] }
        set { rules[keyPath: path] = newValue }
    }
}

/// Lets playbooks write dictionaries as Swift literals.
extension PropertyValue: ExpressibleByBooleanLiteral, ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral {
    init(booleanLiteral value: Bool) { self = .boolean(value) }
    init(stringLiteral value: String) { self = .string(value) }

    init(dictionaryLiteral elements: (String, PropertyValue)...) {
        self = .dictionary(elements.map { PropertyMember(key: $0.0, keyLine: 1, node: PropertyNode($0.1, line: 1)) })
    }

    /// http is allowed to `*.test`; no other rule is relaxed.
    static let openWorld: PropertyValue = [
        "NSExceptionDomains": [
            "test": ["NSIncludesSubdomains": true, "NSExceptionAllowsInsecureHTTPLoads": true]
        ]
    ]
    /// The secure defaults.
    static let strict: PropertyValue = [:]
}
