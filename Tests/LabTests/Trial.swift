import ATSPolicy
import Lab

/// What the law makes of an origin when it is really visited, by the same steps as the gate's.
struct Trial {
    let neighbourhood: Neighbourhood
    let declaration: Declaration
    let profile: OSProfile

    func verdict(on origin: LabOrigin) async throws -> HandshakeVerdict? {
        let target = LoadTarget(scheme: origin.scheme, host: origin.name, port: origin.port)
        switch Judge(declaration: declaration, profile: profile).rule(on: target, loader: .app) {
        case .denial(let denial):
            return RuleBook.standard.judge(denial, profile: profile)
        case .permit(let permit):
            guard let offer = permit.offer else { return nil }
            let visit = try await neighbourhood.visit(origin, offer)
            if let facts = visit.facts { return RuleBook.standard.judge(shown(facts, permit, offer)) }
            let second = try await neighbourhood.visit(origin, .diagnostic)
            return RuleBook.standard.judge(
                visit.failure ?? .timeout, diagnosis: second.facts.map { shown($0, permit, .diagnostic) },
                target: target, basis: permit.basis, demands: permit.demands, offer: offer, profile: profile)
        }
    }

    func appleError(for verdict: HandshakeVerdict, _ origin: LabOrigin) -> AppleError? {
        verdict.failure.map {
            AppleErrorTable.error(
                for: $0, target: LoadTarget(scheme: origin.scheme, host: origin.name, port: origin.port),
                urlText: origin.url, profile: profile, facts: nil,
                identifiers: LogIdentifiers(task: "T", taskIndex: 1, connection: 1))
        }
    }

    private func shown(_ facts: HandshakeFacts, _ permit: ConnectPermit, _ offer: TLSOffer) -> HandshakeCase {
        HandshakeCase(
            facts: facts, host: permit.target.host, demands: permit.demands, offer: offer, profile: profile,
            now: neighbourhood.now, basis: permit.basis)
    }
}

extension Declaration {
    /// A declaration with one exception.
    init(_ fix: ExceptionFix) throws {
        func dictionary(_ members: [(String, PropertyValue)]) -> PropertyValue {
            .dictionary(members.map { PropertyMember(key: $0.0, node: PropertyNode($0.1)) })
        }
        let settings = fix.settings.map { setting -> (String, PropertyValue) in
            switch setting.value {
            case .flag(let flag): (setting.key, .boolean(flag))
            case .text(let text): (setting.key, .string(text))
            }
        }
        let root = dictionary([
            (
                "NSAppTransportSecurity",
                dictionary([("NSExceptionDomains", dictionary([(fix.domain, dictionary(settings))]))])
            )
        ])
        try self.init(root: PropertyNode(root), source: "test")
    }
}
