import ATSPolicy
import Lab

/// The verdict on an origin that is really visited, by the same steps as in the gate.
struct Trial {
    let neighbourhood: LabEnvironment
    let declaration: Declaration
    let profile: OSProfile
    var root = LabRoot.system
    /// True to use the list of the lab's logs.
    var isListed = false

    func verdict(on origin: LabOrigin) async throws -> HandshakeVerdict? {
        let target = LoadTarget(scheme: origin.scheme, host: origin.name, port: origin.port)
        switch Judge(declaration: declaration, profile: profile).rule(on: target, loader: .app) {
        case .denial(let denial):
            return RuleBook.standard.judge(denial, profile: profile)
        case .permit(let permit):
            guard let offer = permit.offer else { return nil }
            let visit = try await shakeHands(origin, offer)
            if let facts = visit.facts {
                let verdict = RuleBook.standard.judge(shown(facts, permit))
                guard case .alertReceived(let alert) = visit.failure else { return verdict }
                let lost = LostConnection(
                    .alert(alert), clientCertificate: facts.clientCertificate, answerBegan: false)
                return RuleBook.standard.judge(lost, by: origin.name, after: verdict)
            }
            let second = try await shakeHands(origin, .diagnostic)
            return RuleBook.standard.judge(
                visit.failure ?? .timeout, diagnosis: second.facts.map { shown($0, permit) },
                target: target, basis: permit.basis, demands: permit.demands, offer: offer, profile: profile)
        }
    }

    /// Only the silent origin gets a short timeout: on a busy machine the others may be slow, too.
    private func shakeHands(_ origin: LabOrigin, _ offer: TLSOffer) async throws -> Visit {
        let timeout: Duration? = origin.name == "stalls.lab.test" ? .milliseconds(200) : nil
        // Sends a request if the origin ends the handshake only after one.
        let request = origin.name.hasPrefix("client-cert") ? Array("GET / HTTP/1.1\r\n\r\n".utf8) : []
        return try await neighbourhood.visit(
            origin, offer, saying: request, root: root, isListed: isListed, timeout: timeout)
    }

    func appleError(for verdict: HandshakeVerdict, _ origin: LabOrigin) -> AppleError? {
        verdict.failure.map {
            AppleErrorTable.error(
                for: $0, target: LoadTarget(scheme: origin.scheme, host: origin.name, port: origin.port),
                urlText: origin.url, profile: profile, facts: nil,
                identifiers: LogIdentifiers(task: "T", taskIndex: 1, connection: 1))
        }
    }

    private func shown(_ facts: HandshakeFacts, _ permit: ConnectPermit) -> HandshakeCase {
        HandshakeCase(
            facts: facts, host: permit.target.host, demands: permit.demands, profile: profile,
            now: neighbourhood.now, basis: permit.basis)
    }
}

extension Declaration {
    /// A dictionary with one exception.
    init(_ fix: ExceptionFix) throws {
        let settings = fix.settings.map { setting -> (String, PropertyValue) in
            switch setting.value {
            case .flag(let flag): (setting.key, .boolean(flag))
            case .text(let text): (setting.key, .string(text))
            }
        }
        try self.init(member: "NSExceptionDomains", domain: fix.domain, settings)
    }

    /// A dictionary that requires a NIAP package everywhere.
    init(niap package: String) throws {
        let key = Self.dictionary([("NSRequiresNIAPTLSPackageVersion", .string(package))])
        try self.init(
            root: PropertyNode(Self.dictionary([("NSAppTransportSecurity", key)])), source: "test")
    }

    /// A dictionary that pins one host; nil omits a list.
    init(pinning domain: String, leaf: [String]?, authority: [String]?) throws {
        func list(_ key: String, _ pins: [String]?) -> [(String, PropertyValue)] {
            guard let pins else { return [] }
            let identities = pins.map { PropertyNode(Self.dictionary([("SPKI-SHA256-BASE64", .string($0))])) }
            return [(key, .array(identities))]
        }
        try self.init(
            member: "NSPinnedDomains", domain: domain,
            list("NSPinnedLeafIdentities", leaf) + list("NSPinnedCAIdentities", authority))
    }

    private init(member: String, domain: String, _ settings: [(String, PropertyValue)]) throws {
        let entry = Self.dictionary([(domain, Self.dictionary(settings))])
        let root = Self.dictionary([("NSAppTransportSecurity", Self.dictionary([(member, entry)]))])
        try self.init(root: PropertyNode(root), source: "test")
    }

    private static func dictionary(_ members: [(String, PropertyValue)]) -> PropertyValue {
        .dictionary(members.map { PropertyMember(key: $0.0, node: PropertyNode($0.1)) })
    }
}
