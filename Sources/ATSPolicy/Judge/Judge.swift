import Text

/// Decides whether a load may leave, and what is asked of its handshake. The only maker of a ``ConnectPermit``.
///
/// Source: Security, SecProtocolConfiguration.m; Apple, NSIncludesSubdomains; Apple, NSAllowsLocalNetworking;
/// docs/law/rulings.md, docs/law/domains.md, docs/law/addresses.md, with its confidence marks. The declaration is
/// indexed once; a ruling is a few dictionary lookups.
public struct Judge: Sendable {
    public let declaration: Declaration
    /// The system as it was named.
    public let system: OSProfile
    /// The same as the switches read it: what every rule goes by.
    public let profile: OSProfile
    public let switches: JudgeSwitches

    private let exceptions: ExceptionIndex
    /// nil where nothing at all counts as local.
    private let localNetworks: [AddressBlock]?
    private let readsAddressKeys: Bool
    private let pins: PinIndex
    /// One cell for each kind of host and each loader, in that order.
    private let general: [GeneralLaw]
    /// Where ATS does not apply.
    private let ungoverned: TLSTerms

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
        // An entry of the app replaces a built-in one of the same key completely (source;
        // docs/law/keys.md#built-in-exceptions).
        let hasBuiltIns =
            profile.hasBuiltInExceptions
            && !(profile.dropsBuiltInExceptionsUnderNIAP && keys.niap?.narrowsSuites == true)
        let builtIn = (hasBuiltIns ? BuiltInExceptions.entries : [:]).filter { keys.exceptions[$0.key] == nil }
        exceptions = ExceptionIndex(
            builtIn.map {
                EntryLaw(key: $0.key, entry: $0.value, setting: setting, isBuiltIn: true)
            }
                + keys.exceptions.map {
                    EntryLaw(key: $0.key, entry: $0.value, setting: setting, isBuiltIn: false)
                },
            reach: switches.subdomainDepth)
        pins = PinIndex(keys.pins)
        ungoverned = .systemOnly(profile)
        let context = GeneralLaw.Context(
            profile: profile, sdk: declaration.linkedSDK, switches: switches, required: .required(setting),
            systemOnly: ungoverned,
            globalNotes: declaration.notesOnUnreadGlobals(by: profile))
        general = Locality.allCases.flatMap { locality in
            Loader.allCases.map { GeneralLaw(keys, locality: locality, loader: $0, context: context) }
        }
    }

    /// The ruling on one load.
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
            if let address { respell(&basis, host, address) }
            return ruling(target, loader, isFree: law.isFree, basis: basis, terms: law.terms)
        }
        let entry = match.law
        var basis = entry.basis
        basis.isLocal = locality.isLocal
        if let address { respell(&basis, host, address) }
        if match.depth > 1, !entry.isBuiltIn { deepen(&basis, entry, isFreeOtherwise: law.isFree) }
        return ruling(target, loader, isFree: entry.allowsInsecureHTTPLoads, basis: basis, terms: entry.terms)
    }

    private func locality(host: String, address: IPAddress?) -> Locality {
        Locality(
            host: host, address: address, localNetworks: localNetworks,
            takesLocalhostNames: switches.localhostNames == .local && profile.mayTakeLocalhostNames)
    }

    /// Lets a load leave that ATS does not govern, whatever the declaration says: offered is what the system offers
    /// where ATS does not apply, and its own trust rules are all that is asked (docs/law/loaders.md#outside).
    public func permit(outside target: LoadTarget) -> ConnectPermit {
        let isLocal = locality(host: target.host, address: target.address).isLocal
        return ConnectPermit(
            target: target, loader: .app,
            basis: RulingBasis(step: .outside, isLocal: isLocal, confidence: .documented), demands: nil,
            offer: target.scheme == .https ? ungoverned.offer : nil)
    }

    /// Lets a denied load leave all the same, marked as such: what audit mode does.
    public func setAside(_ denial: Denial) -> ConnectPermit {
        ConnectPermit(
            target: denial.target, loader: denial.loader, basis: denial.basis, demands: nil, offer: nil,
            setAside: denial)
    }

    /// ATS refuses only cleartext before dialing; https always leaves, with its demands (source;
    /// docs/law/rulings.md#order-of-decisions, docs/law/rulings.md#demands).
    private func ruling(
        _ target: LoadTarget, _ loader: Loader, isFree: Bool, basis: RulingBasis, terms: TLSTerms
    ) -> Ruling {
        switch target.scheme {
        case .http where isFree:
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

    /// The plain spelling of an address whose host text is an odd one; nil where there are no pins to look up by it.
    private func canonical(_ target: LoadTarget) -> String? {
        pins.isEmpty || IPAddress(target.host) != nil ? nil : target.address?.description
    }

    /// What a resolver reads as an address is judged as that address; which of Apple's own parts reads such spellings
    /// is not published.
    private func respell(_ basis: inout RulingBasis, _ host: String, _ address: IPAddress) {
        guard IPAddress(host) == nil else { return }
        basis.confidence = .inferred
        basis.notes.append("\(host) is the address \(address) to a resolver, and is judged as that (inferred).")
    }

    /// Depth is tested by Apple for 18.4 only; before that it is our reading of C1.
    private func deepen(_ basis: inout RulingBasis, _ entry: EntryLaw, isFreeOtherwise: Bool) {
        if profile.engine == .classic { basis.confidence = .inferred }
        if entry.isLoosening, !isFreeOtherwise { basis.notes.append(Self.deepNote) }
    }

    private static let deepNote =
        "Served only because NSIncludesSubdomains reaches any depth; Apple's documentation promises one label (C1)."
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
