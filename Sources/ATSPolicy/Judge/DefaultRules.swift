import Text

/// The effect of the global keys on hosts without an entry, for one kind of host and one loader.
///
/// Source: Security, SecProtocolConfiguration.m; docs/law/rulings.md#order-of-decisions steps 2 to 6 (source).
final class DefaultRules: Sendable {
    /// True if http is allowed; ATS then has no requirements for https either (docs/law/rulings.md#demands).
    let isExempt: Bool
    let basis: RulingBasis
    /// The basis for https, which another step may decide.
    let secureBasis: RulingBasis
    let terms: TLSTerms

    init(_ keys: InterpretedDeclaration, locality: Locality, loader: Loader, context: Context) {
        let settled = Self.settle(keys, locality: locality, loader: loader, context: context)
        isExempt = settled.isExempt
        basis = Self.basis(keys, settled, locality: locality, context: context)
        guard let half = HTTPSRestriction(settled, locality: locality, loader: loader, context: context) else {
            terms = settled.isExempt ? context.systemOnly : context.required
            secureBasis = basis
            return
        }
        let secure = Self.settle(keys, locality: locality, loader: loader, context: context, exemption: half.exemption)
        terms = secure.isExempt ? context.systemOnly : context.required
        var basis = Self.basis(keys, secure, locality: locality, context: context)
        if !secure.isExempt {
            basis.confidence = half.confidence
            basis.notes.append(half.note)
        }
        secureBasis = basis
    }

    /// The condition under which a local host is exempt from ATS.
    private enum LocalExemption {
        case byDefault, byKey, never
    }

    /// A local host for which http is allowed, but https is still subject to ATS.
    private struct HTTPSRestriction {
        /// The exemption that applies to https.
        let exemption: LocalExemption
        let confidence: Confidence
        let note: String

        init?(_ settled: Decision, locality: Locality, loader: Loader, context: Context) {
            guard settled.step == .local else { return nil }
            if settled.key == nil, locality == .localName, context.profile.appliesATSToHTTPSOfLocalNames {
                exemption = .byKey
                confidence = .observed
                note =
                    "On iOS 10 to 13, ATS still applies to https to a local name, unless \(ATSKey.localNetworking) is "
                    + "true or an exception covers it."
                return
            }
            guard loader == .web, locality == .privateAddress, context.switches.webLocalTrust == .strict,
                context.profile.appliesATSToHTTPSOfPrivateAddressesInWeb
            else { return nil }
            exemption = .never
            confidence = .observedOnce
            note =
                "Since 26, ATS still applies to https to a private address in web content, unless "
                + "\(ATSKey.inWebContent) is true or an exception covers it (C18, one report)."
        }
    }

    private static func basis(
        _ keys: InterpretedDeclaration, _ settled: Decision, locality: Locality, context: Context
    ) -> RulingBasis {
        let terms = settled.isExempt ? context.systemOnly : context.required
        var notes = Self.notes(keys, settled, locality: locality, context: context)
        if settled.step != .local { notes += context.globalNotes }
        if !settled.isExempt { notes += terms.demands?.notes ?? [] }
        return RulingBasis(
            step: settled.step, keyPath: settled.key.map { ATSKey.root + "." + $0 }, isLocal: locality.isLocal,
            notes: notes, confidence: Self.confidence(settled, keys, locality: locality, context: context))
    }

    /// The values that all cells of the table share.
    struct Context {
        /// The release, adjusted by the switches.
        let profile: OSProfile
        /// nil if the bundle does not contain it.
        let sdk: LinkedSDK?
        let switches: JudgeSwitches
        let required: TLSTerms
        let systemOnly: TLSTerms
        /// Warnings about the global keys, as sentences.
        let globalNotes: [String]
    }

    private struct Decision {
        let step: RulingBasis.Step
        let isExempt: Bool
        /// nil if an absent key decided.
        let key: String?
    }

    private static func settle(
        _ keys: InterpretedDeclaration, locality: Locality, loader: Loader, context: Context,
        exemption: LocalExemption = .byDefault
    ) -> Decision {
        if context.profile.localRule == .namesAndAllAddresses, locality.isAddress {
            return Decision(step: .addressUngoverned, isExempt: true, key: nil)
        }
        let localNetworking = keys.allowsLocalNetworking
        let needsGrant = needsGrant(locality, context) || exemption == .byKey
        if exemption != .never, locality.isLocal, localNetworking ?? !needsGrant {
            return Decision(step: .local, isExempt: true, key: localNetworking == nil ? nil : ATSKey.localNetworking)
        }
        if loader == .media, keys.allowsArbitraryLoadsForMedia == true, !context.switches.isSimulator {
            return Decision(step: .mediaGrant, isExempt: true, key: ATSKey.forMedia)
        }
        if loader == .web, keys.allowsArbitraryLoadsInWebContent == true {
            return Decision(step: .webGrant, isExempt: true, key: ATSKey.inWebContent)
        }
        let sibling = presentSibling(keys, context.switches.siblingKeys)
        if locality.isLocal, localNetworking == false, sibling != nil {
            return Decision(step: .siblingPresent, isExempt: false, key: ATSKey.localNetworking)
        }
        // Step 5 changes the answer only if NSAllowsArbitraryLoads would have given another. Otherwise the sibling did
        // not decide, and naming it would point the reader to the wrong line.
        if keys.allowsArbitraryLoads == true, let sibling {
            return Decision(step: .siblingPresent, isExempt: false, key: sibling)
        }
        if keys.allowsArbitraryLoads == true {
            return Decision(step: .arbitraryLoads, isExempt: true, key: ATSKey.arbitraryLoads)
        }
        let isWritten = keys.allowsArbitraryLoads != nil
        return Decision(step: .secureDefault, isExempt: false, key: isWritten ? ATSKey.arbitraryLoads : nil)
    }

    /// True if a local host is exempt only with the key: addresses on 17 to 18.3 (C2), and in one reading names on 10
    /// to 13 (C16).
    private static func needsGrant(_ locality: Locality, _ context: Context) -> Bool {
        if locality.isAddress { return context.profile.localRule == .names }
        return context.switches.localNames == .ask && context.profile.appliesATSToHTTPSOfLocalNames
    }

    /// The presence of a key counts, not its value (docs/law/rulings.md#siblings, C3, source).
    private static func presentSibling(
        _ keys: InterpretedDeclaration, _ reading: JudgeSwitches.SiblingReading
    ) -> String? {
        let isPresent = keys.allowsLocalNetworking != nil
        if reading == .presence ? isPresent : keys.allowsLocalNetworking == true { return ATSKey.localNetworking }
        if keys.allowsArbitraryLoadsInWebContent != nil { return ATSKey.inWebContent }
        return keys.allowsArbitraryLoadsForMedia == nil ? nil : ATSKey.forMedia
    }

    private static func notes(
        _ keys: InterpretedDeclaration, _ settled: Decision, locality: Locality, context: Context
    ) -> [String] {
        var notes: [String] = []
        if context.switches.isSimulator, !settled.isExempt, keys.allowsArbitraryLoadsForMedia == true {
            notes.append("In a simulator, \(ATSKey.forMedia) does not exempt media (\(DocsSection.mediaInSimulator)).")
        }
        guard settled.step != .addressUngoverned else { return isByOldSDK(context) ? [oldSDKNote(context)] : [] }
        if settled.step == .siblingPresent, let sibling = settled.key {
            notes.append(
                "\(ATSKey.arbitraryLoads) is true but ignored, because \(sibling) is present "
                    + "(\(DocsSection.siblings)).")
        }
        if locality == .remoteAddress, !settled.isExempt, keys.allowsLocalNetworking == true {
            notes.append("\(ATSKey.localNetworking) covers only local addresses, and this one is not local (C2).")
        }
        if locality == .localName, keys.allowsLocalNetworking == nil, context.profile.appliesATSToHTTPSOfLocalNames {
            notes.append(
                "Reports differ on whether \(context.profile.title) allows http to local names without "
                    + "\(ATSKey.localNetworking) (C16).")
        }
        if locality.isLocal, locality.isAddress, keys.allowsLocalNetworking == nil {
            notes.append(
                context.profile.localRule == .names
                    ? "\(strictReason(context)), an address needs \(ATSKey.localNetworking) or an exception (C2). The "
                        + "release note of iOS 17 limits this to apps linked on or after iOS 17; "
                        + (context.sdk.map { "this app was linked with \($0)." }
                            ?? "this app has no \(LinkedSDK.key).")
                    : "Reports differ on whether this address is allowed without \(ATSKey.localNetworking) (C2).")
        }
        return notes
    }

    /// True if ATS does not apply to addresses because the app was linked with an SDK before iOS 17.
    private static func isByOldSDK(_ context: Context) -> Bool {
        context.profile.localRule == .namesAndAllAddresses && context.profile.release.generation >= OSVersion(17)
    }

    private static func oldSDKNote(_ context: Context) -> String {
        "The release note of iOS 17 covers only apps linked on or after iOS 17. This app was linked with "
            + (context.sdk.map { "\($0)" } ?? "an older SDK")
            + ", so ATS is assumed not to apply to addresses (C2, inferred)."
    }

    private static func strictReason(_ context: Context) -> String {
        context.switches.strictIP == true ? "In the strict reading" : "On \(context.profile.title)"
    }

    /// Since 18.4 the published source counts, before that the documentation. Three points are inferred: which private
    /// addresses are *direct* (docs/law/addresses.md#direct), that NO blocks local names on the closed systems
    /// (docs/law/addresses.md#by-release), and that a public address stays blocked although the documentation of 17
    /// contradicts that (C2).
    private static func confidence(
        _ settled: Decision, _ keys: InterpretedDeclaration, locality: Locality, context: Context
    ) -> Confidence {
        guard settled.step != .addressUngoverned else { return isByOldSDK(context) ? .inferred : .documented }
        if locality == .privateAddress { return wasSeen(keys, context) ? .observed : .inferred }
        let profile = context.profile
        guard profile.engine == .classic else { return .source }
        if locality == .remoteAddress { return keys.allowsLocalNetworking == true ? .inferred : .documented }
        return keys.allowsLocalNetworking == false && settled.key == ATSKey.localNetworking ? .inferred : .documented
    }

    /// On macOS 26, private addresses were seen to load without any key. Source: GitHub, moona3k/macparakeet issue 969
    /// (26.4.1), locus issue 91 (26.6.2).
    private static func wasSeen(_ keys: InterpretedDeclaration, _ context: Context) -> Bool {
        let release = context.profile.release
        return release.platform == .macos && release.generation >= OSVersion(26) && keys.allowsLocalNetworking == nil
            && context.switches.localNetworks == JudgeSwitches.defaultLocalNetworks
    }
}

/// The kind of host, derived from the host text of a URL. Source: Security, SecProtocolConfigurationTest.m;
/// docs/law/addresses.md#direct.
enum Locality: Int, CaseIterable {
    /// `.local`, `.local.`, or no dot at all (source).
    case localName
    /// A loopback or link-local address (source).
    case onLinkAddress
    /// Another address that the switches count as direct (inferred).
    case privateAddress
    case remoteName
    case remoteAddress

    /// True if the host counts as *direct*.
    var isLocal: Bool {
        switch self {
        case .localName, .onLinkAddress, .privateAddress: true
        case .remoteName, .remoteAddress: false
        }
    }

    var isAddress: Bool {
        switch self {
        case .onLinkAddress, .privateAddress, .remoteAddress: true
        case .localName, .remoteName: false
        }
    }

    /// - Parameters:
    ///   - address: the host as an address, if it is one.
    ///   - localNetworks: nil if nothing counts as local.
    ///   - takesLocalhostNames: true if `name.localhost` is local, too (C17).
    init(host: String, address: IPAddress?, localNetworks: [AddressBlock]?, takesLocalhostNames: Bool = false) {
        guard let address = address ?? Self.scopedAddress(host) else {
            let isLocal = Self.isLocalName(host) || (takesLocalhostNames && Self.isLocalhostName(host))
            self = localNetworks != nil && isLocal ? .localName : .remoteName
            return
        }
        guard let localNetworks, localNetworks.contains(where: { $0.contains(address) }) else {
            self = .remoteAddress
            return
        }
        self = JudgeSwitches.onLink.contains { $0.contains(address) } ? .onLinkAddress : .privateAddress
    }

    /// An address with a scope id (`fe80::1%en0`) still counts as an address here, although no CIDR key matches it
    /// (docs/law/addresses.md#address-keys).
    private static func scopedAddress(_ host: String) -> IPAddress? {
        guard let percent = host.utf8.firstIndex(of: UInt8(ascii: "%")) else { return nil }
        return IPAddress(host[..<percent])
    }

    /// A name below `localhost`. Source: RFC 6761 section 6.3.
    private static func isLocalhostName(_ host: String) -> Bool {
        let bytes = host.utf8.last == UInt8(ascii: ".") ? host.utf8.dropLast() : host.utf8[...]
        return bytes.suffix(10).elementsEqual(".localhost".utf8)
    }

    /// An empty name is not direct (source; docs/law/addresses.md#direct).
    private static func isLocalName(_ host: String) -> Bool {
        let bytes = host.utf8
        guard !bytes.isEmpty else { return false }
        guard bytes.contains(UInt8(ascii: ".")) else { return true }
        return bytes.suffix(6).elementsEqual(".local".utf8) || bytes.suffix(7).elementsEqual(".local.".utf8)
    }
}

/// The requirements for https loads under one entry or default, and the offer of a device. Source: Security,
/// SecProtocolConfiguration.m; docs/law/rulings.md#demands.
struct TLSTerms: Sendable {
    /// nil if ATS adds nothing to the system's own rules.
    let demands: TLSDemands?
    /// The requirements if ATS is off but the host is pinned: only the pins.
    private let bareDemands: TLSDemands
    let offer: TLSOffer

    private init(demands: TLSDemands?, bare: TLSDemands, offer: TLSOffer) {
        self.demands = demands
        bareDemands = bare
        self.offer = offer
    }

    /// Returns the requirements for a pinned host. Whether pins apply with ATS off is not known (inferred;
    /// docs/law/pinning.md#with-ats-off).
    func demands(pinnedTo pins: PinDemands, whenATSOff: Bool) -> TLSDemands? {
        guard demands != nil || whenATSOff else { return nil }
        var pinned = demands ?? bareDemands
        pinned.pins = pins
        return pinned
    }

    /// The values that the terms of all entries share.
    struct Setting {
        /// The release, adjusted by the switches.
        let profile: OSProfile
        let switches: JudgeSwitches
        /// The global NIAP key, which an entry's own overrides.
        let niap: NIAPPackage?
    }

    /// A host without an entry, for which TLS is required, gets the terms of an empty entry (source;
    /// docs/law/rulings.md#demands).
    static func required(_ setting: Setting) -> TLSTerms { entry(ExceptionEntry(), setting) }

    /// The terms if ATS does not apply: the system's minimum and suites, and trust that the app may override (source,
    /// inferred; docs/law/rulings.md#demands, docs/law/tls.md#system-suites).
    static func systemOnly(_ profile: OSProfile) -> TLSTerms {
        TLSTerms(
            demands: nil,
            bare: TLSDemands(
                minimumTLS: profile.tlsFloor, forwardSecrecy: false, strictTrust: false, certificateFloor: false,
                suites: profile.systemSuites,
                overruledMinimum: profile.tlsFloor > .tls10 ? .tls10 : nil),
            offer: TLSOffer(
                minimum: profile.tlsFloor, maximum: profile.newestTLS, suites: profile.systemSuites,
                shape: profile.helloShape))
    }

    /// Returns the terms of an exception entry, which has one key each for trust, version and suites (source;
    /// docs/law/rulings.md#demands). Keys and hashes are still checked without forward secrecy, as in the source (C4),
    /// and with AllowsInsecure, where that is doubtful (inferred). Apple does not document whether a NIAP package also
    /// narrows the suites that RequiresForwardSecrecy=NO adds; here it does (inferred).
    static func entry(_ entry: ExceptionEntry, _ setting: Setting) -> TLSTerms {
        let profile = setting.profile
        let allowsInsecure = entry.allowsInsecureHTTPLoads ?? false
        let forwardSecrecy = entry.requiresForwardSecrecy ?? true
        let minimum = max(profile.tlsFloor, entry.minimumTLS ?? .tls12)
        let package = entry.niap ?? setting.niap ?? NIAPPackage.none
        let offered =
            switch (forwardSecrecy, allowsInsecure) {
            case (true, _): profile.atsSuites
            case (false, false): profile.staticRSASuites + profile.atsSuites
            case (false, true): profile.systemSuites
            }
        let suites = package.narrowed(offered)
        var demands = TLSDemands(
            minimumTLS: minimum, forwardSecrecy: forwardSecrecy, strictTrust: !allowsInsecure, certificateFloor: true,
            suites: suites,
            overruledMinimum: entry.minimumTLS.flatMap { $0 < profile.tlsFloor ? $0 : nil })
        demands.niap = package.narrowsSuites ? package : nil
        demands.requiresCertificateTransparency = entry.requiresCertificateTransparency ?? false
        demands.waivesKeySize = !forwardSecrecy && !setting.switches.keySizeWithoutForwardSecrecy
        demands.checksLeafOnly = setting.switches.certificateScope == .leaf
        demands.acceptsAnyCertificate = allowsInsecure && setting.switches.insecureTrust == .any
        // A device offers nothing if the release lacks that version; the gate then offers the newest one that it has.
        var offer = TLSOffer(
            minimum: min(minimum, profile.newestTLS), maximum: profile.newestTLS, suites: suites,
            shape: profile.helloShape)
        offer.takesSHA1Signatures = !package.narrowsSuites
        return TLSTerms(demands: demands, bare: demands, offer: offer)
    }
}

extension Declaration {
    /// Returns a note for each global key that a release ignores. Source: Apple, NSAppTransportSecurity; Security,
    /// SecProtocolConfiguration.m; docs/law/keys.md#global-keys, docs/law/rulings.md#siblings.
    func notesOnUnreadGlobals(by profile: OSProfile) -> [String] {
        guard !profile.keys.contains(.siblings) else { return [] }
        return [ATSKey.localNetworking, ATSKey.inWebContent, ATSKey.forMedia].filter { members.last($0) != nil }.map {
            "\($0) was introduced in iOS 10 and macOS 10.12, so \(profile.title) ignores it "
                + "(\(DocsSection.globalKeys))."
        }
    }
}

extension TLSDemands {
    /// Notes on requirements of rarely used keys.
    var notes: [String] {
        var notes: [String] = []
        if let niap {
            notes.append(
                "The NIAP package \(niap.rawValue) allows only ECDHE with AES-GCM in TLS 1.2, requires the "
                    + "extended master secret there, and rejects handshakes signed with rsa_pkcs1_sha1 "
                    + "(\(DocsSection.niapPackage))."
            )
        }
        if niap == .recommended {
            notes.append(
                "Apple does not define which package is recommended; \(NIAPPackage.fcp21.rawValue) is used (inferred)."
            )
        }
        if requiresCertificateTransparency {
            notes.append(
                "\(ATSKey.certificateTransparency) applies on iOS 10 to 18.3; the last release is inferred "
                    + "(\(DocsSection.entryKeys)).")
        }
        return notes
    }
}

extension OSProfile.Engine {
    /// The confidence of rulings unless a more specific one is known (docs/law/profiles.md#two-engines).
    var confidence: Confidence {
        switch self {
        case .classic: .documented
        case .modern: .source
        }
    }
}
