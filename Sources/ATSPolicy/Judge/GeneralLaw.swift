/// What the global keys mean for hosts without an entry, for one kind of host and one loader.
///
/// Source: Security, SecProtocolConfiguration.m; docs/law/rulings.md#order-of-decisions steps 2 to 6 (source).
final class GeneralLaw: Sendable {
    /// TLS is not required, and ATS asks nothing of https either (docs/law/rulings.md#demands).
    let isFree: Bool
    let basis: RulingBasis
    /// The same for https, which may be judged by another step.
    let secureBasis: RulingBasis
    let terms: TLSTerms

    init(_ keys: InterpretedDeclaration, locality: Locality, loader: Loader, context: Context) {
        let settled = Self.settle(keys, locality: locality, loader: loader, context: context)
        isFree = settled.isFree
        basis = Self.basis(keys, settled, locality: locality, context: context)
        guard let half = HalfFreedom(settled, locality: locality, loader: loader, context: context) else {
            terms = settled.isFree ? context.systemOnly : context.required
            secureBasis = basis
            return
        }
        let secure = Self.settle(keys, locality: locality, loader: loader, context: context, frees: half.frees)
        terms = secure.isFree ? context.systemOnly : context.required
        var basis = Self.basis(keys, secure, locality: locality, context: context)
        if !secure.isFree {
            basis.confidence = half.confidence
            basis.notes.append(half.note)
        }
        secureBasis = basis
    }

    /// How far being local frees a host.
    private enum LocalFreedom {
        case byDefault, byKey, never
    }

    /// A host that is free because it is local, and yet not free of TLS's demands.
    private struct HalfFreedom {
        /// What of https is free.
        let frees: LocalFreedom
        let confidence: Confidence
        let note: String

        init?(_ settled: Decision, locality: Locality, loader: Loader, context: Context) {
            guard settled.step == .local else { return nil }
            if settled.key == nil, locality == .localName, context.profile.asksTLSOfLocalNames {
                frees = .byKey
                confidence = .observed
                note =
                    "On iOS 10 to 13 https to a local name keeps the demands of ATS until \(ATSKey.localNetworking) is "
                    + "true or an exception names it."
                return
            }
            guard loader == .web, locality == .privateAddress, context.switches.webLocalTrust == .strict,
                context.profile.asksTLSOfPrivateAddressesInWeb
            else { return nil }
            frees = .never
            confidence = .observedOnce
            note =
                "In web content https to a private address keeps the demands of ATS from 26 on, until "
                + "\(ATSKey.inWebContent) is true or an exception names it (C18, one report)."
        }
    }

    private static func basis(
        _ keys: InterpretedDeclaration, _ settled: Decision, locality: Locality, context: Context
    ) -> RulingBasis {
        let terms = settled.isFree ? context.systemOnly : context.required
        var notes = Self.notes(keys, settled, locality: locality, context: context)
        if settled.step != .local { notes += context.globalNotes }
        if !settled.isFree { notes += terms.demands?.notes ?? [] }
        return RulingBasis(
            step: settled.step, keyPath: settled.key.map { ATSKey.root + "." + $0 }, isLocal: locality.isLocal,
            notes: notes, confidence: Self.confidence(settled, keys, locality: locality, context: context))
    }

    /// What all cells of the table share.
    struct Context {
        /// As the switches read it.
        let profile: OSProfile
        /// nil where the bundle does not tell.
        let sdk: LinkedSDK?
        let switches: JudgeSwitches
        let required: TLSTerms
        let systemOnly: TLSTerms
        /// Warnings about the global keys, as sentences.
        let globalNotes: [String]
    }

    private struct Decision {
        let step: RulingBasis.Step
        let isFree: Bool
        /// nil when an absent key decided.
        let key: String?
    }

    private static func settle(
        _ keys: InterpretedDeclaration, locality: Locality, loader: Loader, context: Context,
        frees: LocalFreedom = .byDefault
    ) -> Decision {
        if context.profile.localRule == .namesAndAllAddresses, locality.isAddress {
            return Decision(step: .addressUngoverned, isFree: true, key: nil)
        }
        let localNetworking = keys.allowsLocalNetworking
        let needsGrant = needsGrant(locality, context) || frees == .byKey
        if frees != .never, locality.isLocal, localNetworking ?? !needsGrant {
            return Decision(step: .local, isFree: true, key: localNetworking == nil ? nil : ATSKey.localNetworking)
        }
        if loader == .media, keys.allowsArbitraryLoadsForMedia == true {
            return Decision(step: .mediaGrant, isFree: true, key: ATSKey.forMedia)
        }
        if loader == .web, keys.allowsArbitraryLoadsInWebContent == true {
            return Decision(step: .webGrant, isFree: true, key: ATSKey.inWebContent)
        }
        let sibling = presentSibling(keys, context.switches.siblingKeys)
        if locality.isLocal, localNetworking == false, sibling != nil {
            return Decision(step: .siblingPresent, isFree: false, key: ATSKey.localNetworking)
        }
        // Step 5 changes the answer only where NSAllowsArbitraryLoads would have given another; elsewhere naming the
        // sibling as the key that decided would send its reader to the wrong line.
        if keys.allowsArbitraryLoads == true, let sibling {
            return Decision(step: .siblingPresent, isFree: false, key: sibling)
        }
        if keys.allowsArbitraryLoads == true {
            return Decision(step: .arbitraryLoads, isFree: true, key: ATSKey.arbitraryLoads)
        }
        let isWritten = keys.allowsArbitraryLoads != nil
        return Decision(step: .secureDefault, isFree: false, key: isWritten ? ATSKey.arbitraryLoads : nil)
    }

    /// Whether a local host is free only once the key is true: addresses of 17 to 18.3 (C2), and by one reading names
    /// of 10 to 13 (C16).
    private static func needsGrant(_ locality: Locality, _ context: Context) -> Bool {
        if locality.isAddress { return context.profile.localRule == .names }
        return context.switches.localNames == .ask && context.profile.asksTLSOfLocalNames
    }

    /// Presence counts, not the value (docs/law/rulings.md#siblings, C3, source).
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
        guard settled.step != .addressUngoverned else { return isByOldSDK(context) ? [oldSDKNote(context)] : [] }
        if settled.step == .siblingPresent, let sibling = settled.key {
            notes.append(
                "\(ATSKey.arbitraryLoads) is true, but not looked at, since \(sibling) is present "
                    + "(\(LawTopic.siblings)).")
        }
        if locality == .remoteAddress, !settled.isFree, keys.allowsLocalNetworking == true {
            notes.append("\(ATSKey.localNetworking) frees local addresses only, and this is none (C2).")
        }
        if locality == .localName, keys.allowsLocalNetworking == nil, context.profile.asksTLSOfLocalNames {
            notes.append(
                "Reports differ on whether \(context.profile.title) lets http to local names pass without "
                    + "\(ATSKey.localNetworking) (C16).")
        }
        if locality.isLocal, locality.isAddress, keys.allowsLocalNetworking == nil {
            notes.append(
                context.profile.localRule == .names
                    ? "\(strictReason(context)) an address needs \(ATSKey.localNetworking) or an exception (C2); the "
                        + "release note of iOS 17 says so of apps that were linked on or after it, "
                        + (context.sdk.map { "as this one was, with \($0)." }
                            ?? "and no \(LinkedSDK.key) tells of this one.")
                    : "Reports differ on whether this address passes without \(ATSKey.localNetworking) (C2).")
        }
        return notes
    }

    /// Whether addresses are free only since the app was linked before iOS 17.
    private static func isByOldSDK(_ context: Context) -> Bool {
        context.profile.localRule == .namesAndAllAddresses && context.profile.release.generation >= OSVersion(17)
    }

    private static func oldSDKNote(_ context: Context) -> String {
        "The release note of iOS 17 speaks of apps that were linked on or after it; this one was linked before, with "
            + (context.sdk.map { "\($0)" } ?? "an older SDK")
            + ", so ATS is taken not to apply to addresses (C2, inferred)."
    }

    private static func strictReason(_ context: Context) -> String {
        context.switches.strictIP == true ? "By the strict reading" : "On \(context.profile.title)"
    }

    /// What 18.4 publishes is read in source; before that the documentation counts. What is ours: which private
    /// addresses are *direct* (docs/law/addresses.md#direct), that NO blocks local names on the closed systems
    /// (docs/law/addresses.md#by-release), and that a public address stays blocked where the documentation of 17 says
    /// otherwise (C2).
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

    /// On macOS 26 private addresses were seen to load without any key. Source: GitHub, moona3k/macparakeet issue 969
    /// (26.4.1), locus issue 91 (26.6.2).
    private static func wasSeen(_ keys: InterpretedDeclaration, _ context: Context) -> Bool {
        let release = context.profile.release
        return release.platform == .macos && release.generation >= OSVersion(26) && keys.allowsLocalNetworking == nil
            && context.switches.localNetworks == JudgeSwitches.defaultLocalNetworks
    }
}
