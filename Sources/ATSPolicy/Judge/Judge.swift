import Text

/// Decides whether a load is allowed, and the requirements for its handshake. Only this type creates a
/// ``ConnectPermit``.
///
/// Source: Security, SecProtocolConfiguration.m; Apple, NSIncludesSubdomains; Apple, NSAllowsLocalNetworking;
/// docs/law/rulings.md, docs/law/domains.md, docs/law/addresses.md, with its confidence marks. The dictionary is
/// indexed once; a ruling needs a few lookups.
public struct Judge: Sendable {
    public let declaration: Declaration
    /// The release before the switches are applied.
    public let system: OSProfile
    /// The release adjusted by the switches. All rules use it.
    public let profile: OSProfile
    public let switches: JudgeSwitches

    private let exceptions: ExceptionIndex
    /// nil if nothing counts as local.
    private let localNetworks: [AddressBlock]?
    private let readsAddressKeys: Bool
    private let pins: PinIndex
    /// One cell for each kind of host and each loader, in that order.
    private let general: [DefaultRules]
    /// The terms if ATS does not apply.
    private let outsideTerms: TLSTerms

    public init(declaration: Declaration, profile: OSProfile, switches: JudgeSwitches = JudgeSwitches()) {
        system = profile
        let profile = profile.read(with: switches, sdk: declaration.linkedSDK)
        self.declaration = declaration
        self.profile = profile
        self.switches = switches
        localNetworks = profile.localRule == .none ? nil : switches.localNetworks
        readsAddressKeys = profile.keys.contains(.addresses)
        let keys = declaration.interpreted(for: profile)
        let setting = TLSTerms.Setting(profile: profile, switches: switches, niap: keys.niap)
        // An app's entry replaces a built-in one with the same key completely (source;
        // docs/law/keys.md#built-in-exceptions).
        let hasBuiltIns =
            profile.hasBuiltInExceptions
            && !(profile.dropsBuiltInExceptionsUnderNIAP && keys.niap?.narrowsSuites == true)
        let builtIn = (hasBuiltIns ? BuiltInExceptions.entries : [:]).filter { keys.exceptions[$0.key] == nil }
        exceptions = ExceptionIndex(
            builtIn.map {
                ExceptionRules(key: $0.key, entry: $0.value, setting: setting, isBuiltIn: true)
            }
                + keys.exceptions.map {
                    ExceptionRules(key: $0.key, entry: $0.value, setting: setting, isBuiltIn: false)
                },
            reach: switches.subdomainDepth)
        pins = PinIndex(keys.pins)
        outsideTerms = .systemOnly(profile)
        let context = DefaultRules.Context(
            profile: profile, sdk: switches.linkedSDK.named ?? declaration.linkedSDK, switches: switches,
            required: .required(setting),
            systemOnly: outsideTerms,
            globalNotes: declaration.notesOnUnreadGlobals(by: profile))
        general = Locality.allCases.flatMap { locality in
            Loader.allCases.map { DefaultRules(keys, locality: locality, loader: $0, context: context) }
        }
    }

    /// Returns the ruling on one load.
    public func rule(on target: LoadTarget, loader: Loader) -> Ruling {
        let host = target.host
        let address = target.address
        let locality = locality(host: host, address: address)
        let law = general[locality.rawValue * Loader.columns + loader.column]
        let match: ExceptionIndex.Match? =
            if let address {
                readsAddressKeys ? exceptions.match(address: address, text: host) : nil
            } else {
                exceptions.match(name: host)
            }
        guard let match else {
            var basis = target.scheme == .https ? law.secureBasis : law.basis
            if let address { noteUnusualSpelling(&basis, host, address) }
            return ruling(target, loader, isExempt: law.isExempt, basis: basis, terms: law.terms)
        }
        let entry = match.law
        var basis = entry.basis
        basis.isLocal = locality.isLocal
        if let address { noteUnusualSpelling(&basis, host, address) }
        if match.depth > 1, !entry.isBuiltIn { noteSubdomainDepth(&basis, entry, isExemptOtherwise: law.isExempt) }
        return ruling(target, loader, isExempt: entry.allowsInsecureHTTPLoads, basis: basis, terms: entry.terms)
    }

    private func locality(host: String, address: IPAddress?) -> Locality {
        Locality(
            host: host, address: address, localNetworks: localNetworks,
            takesLocalhostNames: switches.localhostNames == .local && profile.mayTreatLocalhostAsLocal)
    }

    /// Permits a load that ATS does not govern, regardless of the dictionary. The gate offers what the system
    /// offers without ATS, and only the system's trust rules apply (docs/law/loaders.md#outside).
    public func permit(outside target: LoadTarget) -> ConnectPermit {
        let isLocal = locality(host: target.host, address: target.address).isLocal
        return ConnectPermit(
            target: target, loader: .app,
            basis: RulingBasis(step: .outside, isLocal: isLocal, confidence: .documented), demands: nil,
            offer: target.scheme == .https ? outsideTerms.offer : nil)
    }

    /// Permits a denied load for audit mode, and marks the permit.
    public func permit(overriding denial: Denial) -> ConnectPermit {
        ConnectPermit(
            target: denial.target, loader: denial.loader, basis: denial.basis, demands: nil, offer: nil,
            overriddenDenial: denial)
    }

    /// ATS blocks only cleartext before dialing. https is always permitted, with its requirements (source;
    /// docs/law/rulings.md#order-of-decisions, docs/law/rulings.md#demands).
    private func ruling(
        _ target: LoadTarget, _ loader: Loader, isExempt: Bool, basis: RulingBasis, terms: TLSTerms
    ) -> Ruling {
        switch target.scheme {
        case .http where isExempt:
            .permit(ConnectPermit(target: target, loader: loader, basis: basis, demands: nil, offer: nil))
        case .http:
            .denial(Denial(target: target, loader: loader, basis: basis))
        case .https:
            .permit(
                ConnectPermit(
                    target: target, loader: loader, basis: basis, demands: demands(of: terms, target),
                    offer: terms.offer))
        }
    }

    private func demands(of terms: TLSTerms, _ target: LoadTarget) -> TLSDemands? {
        let spelled = pins.demands(for: target.host)
        guard let identities = spelled ?? canonical(target).flatMap({ pins.demands(for: $0) }) else {
            return terms.demands
        }
        return terms.demands(pinnedTo: identities, whenATSOff: switches.pinWhenATSOff)
    }

    /// Returns the canonical text of an address with an unusual spelling; nil if no pins need it.
    private func canonical(_ target: LoadTarget) -> String? {
        pins.isEmpty || IPAddress(target.host) != nil ? nil : target.address?.description
    }

    /// A host that a resolver reads as an address is judged as that address. Which of Apple's components accept such
    /// spellings is not published.
    private func noteUnusualSpelling(_ basis: inout RulingBasis, _ host: String, _ address: IPAddress) {
        guard IPAddress(host) == nil else { return }
        basis.confidence = .inferred
        basis.notes.append("Resolvers read \(host) as the address \(address), so it is judged as that (inferred).")
    }

    /// Apple tests the depth for 18.4 only; before that it is our reading of C1.
    private func noteSubdomainDepth(_ basis: inout RulingBasis, _ entry: ExceptionRules, isExemptOtherwise: Bool) {
        if profile.engine == .classic { basis.confidence = .inferred }
        if entry.isLoosening, !isExemptOtherwise { basis.notes.append(Self.deepNote) }
    }

    private static let deepNote =
        "The entry applies only because NSIncludesSubdomains covers any depth; Apple's documentation promises one "
        + "label (C1)."
}

extension Loader {
    fileprivate static let columns = allCases.count

    /// Position in `allCases`.
    fileprivate var column: Int {
        switch self {
        case .app: 0
        case .web: 1
        case .media: 2
        }
    }
}
