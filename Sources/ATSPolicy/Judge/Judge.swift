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

extension Declaration {
    /// The changes that would make entries for parent domains of a host cover it, the nearest parent first: entries with
    /// other keys, but without NSIncludesSubdomains.
    public func nearMisses(for host: String) -> [ExceptionFix] {
        guard IPAddress(host: host) == nil else { return [] }
        return HostGrammar.parents(of: host[...]).compactMap { parent in
            let parent = String(parent)
            guard let keys = entries.keys(of: parent),
                keys.last(ATSKey.includesSubdomains)?.node.value != .boolean(true),
                keys.contains(where: { $0.key != ATSKey.includesSubdomains })
            else { return nil }
            return ExceptionFix(domain: parent, settings: [.init(ATSKey.includesSubdomains, .flag(true))])
        }
    }
}

extension Judge {
    /// Returns the change of the dictionary to show for a blocked load: the nearest parent's entry that lacks only
    /// NSIncludesSubdomains, if it then allows at least what `fix` allows; otherwise `fix` as an entry of the host's own.
    ///
    /// - Parameter fix: an exception that waives every broken rule.
    public func preferred(_ fix: ExceptionFix, for target: LoadTarget) -> ExceptionFix {
        let own = declaration.narrowed(fix, to: target)
        let near = declaration.nearMisses(for: target.host)
        // Nearly no host has one, and a ruling under another dictionary takes time.
        guard !near.isEmpty else { return own }
        let needed = ruling(on: target, adding: own)
        return near.first { ruling(on: target, adding: $0).permitsAll(of: needed) } ?? own
    }

    /// Entries decide for every loader alike.
    private func ruling(on target: LoadTarget, adding fix: ExceptionFix) -> Ruling {
        Judge(declaration: declaration.adding(fix), profile: system, switches: switches).rule(on: target, loader: .app)
    }
}

extension Ruling {
    /// True if every handshake that `other` permits is permitted here as well.
    fileprivate func permitsAll(of other: Ruling) -> Bool {
        guard case .permit(let own) = self, case .permit(let second) = other else { return false }
        guard let demands = own.demands else { return true }
        return second.demands.map { $0.narrowed(to: demands) == $0 } ?? false
    }
}

/// The judge's decision before the gate dials.
public enum Ruling: Sendable {
    case permit(ConnectPermit)
    case denial(Denial)

    public var basis: RulingBasis {
        switch self {
        case .permit(let permit): permit.basis
        case .denial(let denial): denial.basis
        }
    }
}

/// The permission to connect. Only the judge creates one, so code that connects without a ruling does not compile.
public struct ConnectPermit: Sendable {
    public let target: LoadTarget
    public let loader: Loader
    public let basis: RulingBasis
    /// ATS's requirements for the handshake; nil if ATS adds nothing to the system's own rules, and for http.
    public let demands: TLSDemands?
    /// The offer to the origin; nil for http.
    public let offer: TLSOffer?
    /// The denial that audit mode overrode, if it did.
    public private(set) var overriddenDenial: Denial?
}

/// A load that is not allowed. ATS denies only cleartext before dialing, so the rule is always `ats.cleartext-load`.
public struct Denial: Sendable, Hashable {
    public let target: LoadTarget
    public let loader: Loader
    public let basis: RulingBasis

    public var rule: RuleID { .cleartextLoad }
}

/// The step of the decision order that determined a ruling. Source: Security, SecProtocolConfiguration.m;
/// docs/law/rulings.md#order-of-decisions.
public struct RulingBasis: Sendable, Hashable {
    public enum Step: String, Sendable, Hashable {
        /// Step 1 of docs/law/rulings.md#order-of-decisions: an entry of NSExceptionDomains, the app's or a built-in
        /// one.
        case exception
        /// Step 2: a local name or a direct address.
        case local
        /// The host is an address, and ATS does not apply to addresses on that release: iOS 10 to 16. Source: Apple,
        /// NSAllowsLocalNetworking; docs/law/addresses.md#by-release.
        case addressUngoverned = "address-ungoverned"
        /// Step 3.
        case mediaGrant = "media-grant"
        /// Step 4.
        case webGrant = "web-grant"
        /// Step 5: a sibling key is present, so NSAllowsArbitraryLoads is ignored.
        case siblingPresent = "sibling-present"
        /// Step 6 with NSAllowsArbitraryLoads true.
        case arbitraryLoads = "arbitrary-loads"
        /// Step 6 otherwise.
        case secureDefault = "secure-default"
        /// ATS does not govern the client.
        case outside
    }

    public var step: Step
    /// Full path of the deciding key, from `NSAppTransportSecurity`; nil if an absent key decided.
    public var keyPath: String?
    /// Key of the exception entry that matched the host.
    public var entry: String?
    public var isBuiltIn: Bool
    /// True if the host counts as local (*direct*, docs/law/addresses.md#direct).
    public var isLocal: Bool
    /// Additional remarks on this decision for `explain` and reports, as sentences.
    public var notes: [String]
    public var confidence: Confidence

    public init(
        step: Step, keyPath: String? = nil, entry: String? = nil, isBuiltIn: Bool = false, isLocal: Bool = false,
        notes: [String] = [], confidence: Confidence = .source
    ) {
        self.step = step
        self.keyPath = keyPath
        self.entry = entry
        self.isBuiltIn = isBuiltIn
        self.isLocal = isLocal
        self.notes = notes
        self.confidence = confidence
    }
}

extension Ruling {
    /// Returns the ruling that is not more lenient than either: a denial if one of them denies, otherwise a permit with the
    /// requirements of both. The target stays.
    public func narrowed(to other: Ruling) -> Ruling {
        switch (self, other) {
        case (.denial, _): self
        case (.permit(let own), .denial(let denial)):
            .denial(Denial(target: own.target, loader: denial.loader, basis: denial.basis))
        case (.permit(let own), .permit(let second)): .permit(own.narrowed(to: second))
        }
    }
}

extension ConnectPermit {
    fileprivate func narrowed(to other: ConnectPermit) -> ConnectPermit {
        let both = other.demands.map { demands?.narrowed(to: $0) ?? $0 } ?? demands
        return ConnectPermit(
            target: target, loader: loader, basis: both == demands ? basis : other.basis, demands: both,
            offer: other.offer.map { offer?.narrowed(to: $0) ?? $0 } ?? offer,
            overriddenDenial: overriddenDenial ?? other.overriddenDenial)
    }
}

extension TLSDemands {
    /// Returns the demands that satisfy both. Pins are those of the first that has some.
    func narrowed(to other: TLSDemands) -> TLSDemands {
        var both = self
        both.minimumTLS = max(minimumTLS, other.minimumTLS)
        let effective = max(overruledMinimum ?? minimumTLS, other.overruledMinimum ?? other.minimumTLS)
        both.overruledMinimum = effective < both.minimumTLS ? effective : nil
        both.forwardSecrecy = forwardSecrecy || other.forwardSecrecy
        both.strictTrust = strictTrust || other.strictTrust
        both.certificateFloor = certificateFloor || other.certificateFloor
        let common = suites.filter { other.suites.contains($0) }
        both.suites = !common.isEmpty ? common : other.suites.isEmpty ? suites : other.suites
        both.pins = pins ?? other.pins
        both.niap = niap ?? other.niap
        both.requiresCertificateTransparency =
            requiresCertificateTransparency || other.requiresCertificateTransparency
        both.waivesKeySize = waivesKeySize && other.waivesKeySize
        both.checksLeafOnly = checksLeafOnly && other.checksLeafOnly
        both.acceptsAnyCertificate = acceptsAnyCertificate && other.acceptsAnyCertificate
        return both
    }
}
