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

    init(_ keys: InterpretedDeclaration, locality: Locality, loader: Loader, bench: Bench) {
        let settled = Self.settle(keys, locality: locality, loader: loader, bench: bench)
        isFree = settled.isFree
        basis = Self.basis(keys, settled, locality: locality, bench: bench)
        guard let half = HalfFreedom(settled, locality: locality, loader: loader, bench: bench) else {
            terms = settled.isFree ? bench.systemOnly : bench.required
            secureBasis = basis
            return
        }
        let secure = Self.settle(keys, locality: locality, loader: loader, bench: bench, frees: half.frees)
        terms = secure.isFree ? bench.systemOnly : bench.required
        var basis = Self.basis(keys, secure, locality: locality, bench: bench)
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

        init?(_ settled: Settled, locality: Locality, loader: Loader, bench: Bench) {
            guard settled.step == .local else { return nil }
            if settled.key == nil, locality == .localName, bench.profile.asksTLSOfLocalNames {
                frees = .byKey
                confidence = .observed
                note =
                    "On iOS 10 to 13 https to a local name keeps the demands of ATS until \(ATSKey.localNetworking) is "
                    + "true or an exception names it."
                return
            }
            guard loader == .web, locality == .privateAddress, bench.switches.webLocalTrust == .strict,
                bench.profile.asksTLSOfPrivateAddressesInWeb
            else { return nil }
            frees = .never
            confidence = .observedOnce
            note =
                "In web content https to a private address keeps the demands of ATS from 26 on, until "
                + "\(ATSKey.inWebContent) is true or an exception names it (C18, one report)."
        }
    }

    private static func basis(
        _ keys: InterpretedDeclaration, _ settled: Settled, locality: Locality, bench: Bench
    ) -> RulingBasis {
        let terms = settled.isFree ? bench.systemOnly : bench.required
        var notes = Self.notes(keys, settled, locality: locality, bench: bench)
        if settled.step != .local { notes += bench.globalNotes }
        if !settled.isFree { notes += terms.demands?.notes ?? [] }
        return RulingBasis(
            step: settled.step, keyPath: settled.key.map { ATSKey.root + "." + $0 }, isLocal: locality.isLocal,
            notes: notes, confidence: Self.confidence(settled, keys, locality: locality, bench: bench))
    }

    /// What all cells of the table share.
    struct Bench {
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

    private struct Settled {
        let step: RulingBasis.Step
        let isFree: Bool
        /// nil when an absent key decided.
        let key: String?
    }

    private static func settle(
        _ keys: InterpretedDeclaration, locality: Locality, loader: Loader, bench: Bench,
        frees: LocalFreedom = .byDefault
    ) -> Settled {
        if bench.profile.localRule == .namesAndAllAddresses, locality.isAddress {
            return Settled(step: .addressUngoverned, isFree: true, key: nil)
        }
        let localNetworking = keys.allowsLocalNetworking
        let needsGrant = needsGrant(locality, bench) || frees == .byKey
        if frees != .never, locality.isLocal, localNetworking ?? !needsGrant {
            return Settled(step: .local, isFree: true, key: localNetworking == nil ? nil : ATSKey.localNetworking)
        }
        if loader == .media, keys.allowsArbitraryLoadsForMedia == true {
            return Settled(step: .mediaGrant, isFree: true, key: ATSKey.forMedia)
        }
        if loader == .web, keys.allowsArbitraryLoadsInWebContent == true {
            return Settled(step: .webGrant, isFree: true, key: ATSKey.inWebContent)
        }
        let sibling = presentSibling(keys, bench.switches.siblingKeys)
        if locality.isLocal, localNetworking == false, sibling != nil {
            return Settled(step: .siblingPresent, isFree: false, key: ATSKey.localNetworking)
        }
        // Step 5 changes the answer only where NSAllowsArbitraryLoads would have given another; elsewhere naming the
        // sibling as the key that decided would send its reader to the wrong line.
        if keys.allowsArbitraryLoads == true, let sibling {
            return Settled(step: .siblingPresent, isFree: false, key: sibling)
        }
        if keys.allowsArbitraryLoads == true {
            return Settled(step: .arbitraryLoads, isFree: true, key: ATSKey.arbitraryLoads)
        }
        let isWritten = keys.allowsArbitraryLoads != nil
        return Settled(step: .secureDefault, isFree: false, key: isWritten ? ATSKey.arbitraryLoads : nil)
    }

    /// Whether a local host is free only once the key is true: addresses of 17 to 18.3 (C2), and by one reading names
    /// of 10 to 13 (C16).
    private static func needsGrant(_ locality: Locality, _ bench: Bench) -> Bool {
        if locality.isAddress { return bench.profile.localRule == .names }
        return bench.switches.localNames == .ask && bench.profile.asksTLSOfLocalNames
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
        _ keys: InterpretedDeclaration, _ settled: Settled, locality: Locality, bench: Bench
    ) -> [String] {
        var notes: [String] = []
        guard settled.step != .addressUngoverned else { return isByOldSDK(bench) ? [oldSDKNote(bench)] : [] }
        if settled.step == .siblingPresent, let sibling = settled.key {
            notes.append(
                "\(ATSKey.arbitraryLoads) is true, but not looked at, since \(sibling) is present "
                    + "(\(LawTopic.siblings)).")
        }
        if locality == .remoteAddress, !settled.isFree, keys.allowsLocalNetworking == true {
            notes.append("\(ATSKey.localNetworking) frees local addresses only, and this is none (C2).")
        }
        if locality == .localName, keys.allowsLocalNetworking == nil, bench.profile.asksTLSOfLocalNames {
            notes.append(
                "Reports differ on whether \(bench.profile.title) lets http to local names pass without "
                    + "\(ATSKey.localNetworking) (C16).")
        }
        if locality.isLocal, locality.isAddress, keys.allowsLocalNetworking == nil {
            notes.append(
                bench.profile.localRule == .names
                    ? "\(strictReason(bench)) an address needs \(ATSKey.localNetworking) or an exception (C2); the "
                        + "release note of iOS 17 says so of apps that were linked on or after it, "
                        + (bench.sdk.map { "as this one was, with \($0)." }
                            ?? "and no \(LinkedSDK.key) tells of this one.")
                    : "Reports differ on whether this address passes without \(ATSKey.localNetworking) (C2).")
        }
        return notes
    }

    /// Whether addresses are free only since the app was linked before iOS 17.
    private static func isByOldSDK(_ bench: Bench) -> Bool {
        bench.profile.localRule == .namesAndAllAddresses && bench.profile.release.generation >= OSVersion(17)
    }

    private static func oldSDKNote(_ bench: Bench) -> String {
        "The release note of iOS 17 speaks of apps that were linked on or after it; this one was linked before, with "
            + (bench.sdk.map { "\($0)" } ?? "an older SDK")
            + ", so ATS is taken not to apply to addresses (C2, inferred)."
    }

    private static func strictReason(_ bench: Bench) -> String {
        bench.switches.strictIP == true ? "By the strict reading" : "On \(bench.profile.title)"
    }

    /// What 18.4 publishes is read in source; before that the documentation counts. What is ours: which private
    /// addresses are *direct* (docs/law/addresses.md#direct), that NO blocks local names on the closed systems
    /// (docs/law/addresses.md#by-release), and that a public address stays blocked where the documentation of 17 says
    /// otherwise (C2).
    private static func confidence(
        _ settled: Settled, _ keys: InterpretedDeclaration, locality: Locality, bench: Bench
    ) -> Confidence {
        guard settled.step != .addressUngoverned else { return isByOldSDK(bench) ? .inferred : .documented }
        if locality == .privateAddress { return wasSeen(keys, bench) ? .observed : .inferred }
        let profile = bench.profile
        guard profile.engine == .classic else { return .source }
        if locality == .remoteAddress { return keys.allowsLocalNetworking == true ? .inferred : .documented }
        return keys.allowsLocalNetworking == false && settled.key == ATSKey.localNetworking ? .inferred : .documented
    }

    /// On macOS 26 private addresses were seen to load without any key. Source: GitHub, moona3k/macparakeet issue 969
    /// (26.4.1), locus issue 91 (26.6.2).
    private static func wasSeen(_ keys: InterpretedDeclaration, _ bench: Bench) -> Bool {
        let release = bench.profile.release
        return release.platform == .macos && release.generation >= OSVersion(26) && keys.allowsLocalNetworking == nil
            && bench.switches.localNetworks == JudgeSwitches.defaultLocalNetworks
    }
}
