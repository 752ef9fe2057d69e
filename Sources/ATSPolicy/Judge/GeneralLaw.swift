/// What the global keys mean for hosts without an entry, for one kind of host and one loader.
///
/// Source: Security, SecProtocolConfiguration.m; docs/law/rulings.md#order-of-decisions steps 2 to 6 (source).
final class GeneralLaw: Sendable {
    /// TLS is not required, and ATS asks nothing of https either (docs/law/rulings.md#demands).
    let isFree: Bool
    let basis: RulingBasis
    let terms: TLSTerms

    init(_ keys: InterpretedDeclaration, locality: Locality, loader: Loader, bench: Bench) {
        let settled = Self.settle(keys, locality: locality, loader: loader, bench: bench)
        isFree = settled.isFree
        terms = settled.isFree ? bench.systemOnly : bench.required
        var notes = Self.notes(keys, settled, locality: locality, bench: bench)
        if settled.step != .local { notes += bench.globalNotes }
        if !settled.isFree { notes += terms.demands?.notes ?? [] }
        if loader == .outside { notes.append(Self.outsideNote) }
        basis = RulingBasis(
            step: settled.step, keyPath: settled.key.map { ATSKey.root + "." + $0 }, isLocal: locality.isLocal,
            notes: notes, confidence: Self.confidence(settled, keys, locality: locality, engine: bench.profile.engine))
    }

    /// What all cells of the table share.
    struct Bench {
        /// As the switches read it.
        let profile: OSProfile
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
        _ keys: InterpretedDeclaration, locality: Locality, loader: Loader, bench: Bench
    ) -> Settled {
        if bench.profile.localRule == .namesAndAllAddresses, locality.isAddress {
            return Settled(step: .addressUngoverned, isFree: true, key: nil)
        }
        let localNetworking = keys.allowsLocalNetworking
        let needsGrant = bench.profile.localRule == .names && locality.isAddress
        if locality.isLocal, localNetworking ?? !needsGrant {
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
        guard settled.step != .addressUngoverned else { return notes }
        if settled.step == .siblingPresent, let sibling = settled.key {
            notes.append(
                "\(ATSKey.arbitraryLoads) is true, but not looked at, since \(sibling) is present "
                    + "(\(LawTopic.siblings)).")
        }
        if locality == .remoteAddress, !settled.isFree, keys.allowsLocalNetworking == true {
            notes.append("\(ATSKey.localNetworking) frees local addresses only, and this is none (C2).")
        }
        if locality.isLocal, locality.isAddress, keys.allowsLocalNetworking == nil {
            notes.append(
                bench.profile.localRule == .names
                    ? "\(strictReason(bench)) an address needs \(ATSKey.localNetworking) or an exception (C2)."
                    : "Reports differ on whether this address passes without \(ATSKey.localNetworking) (C2).")
        }
        return notes
    }

    private static func strictReason(_ bench: Bench) -> String {
        bench.switches.strictIP == true ? "By the strict reading" : "On \(bench.profile.title)"
    }

    /// What 18.4 publishes is read in source; before that the documentation counts. What is ours: which private
    /// addresses are *direct* (docs/law/addresses.md#direct), that NO blocks local names on the closed systems
    /// (docs/law/addresses.md#by-release), and that a public address stays blocked where the documentation of 17 says
    /// otherwise (C2).
    private static func confidence(
        _ settled: Settled, _ keys: InterpretedDeclaration, locality: Locality, engine: OSProfile.Engine
    ) -> Confidence {
        guard settled.step != .addressUngoverned else { return .documented }
        if locality == .privateAddress { return .inferred }
        guard engine == .classic else { return .source }
        if locality == .remoteAddress { return keys.allowsLocalNetworking == true ? .inferred : .documented }
        return keys.allowsLocalNetworking == false && settled.key == ATSKey.localNetworking ? .inferred : .documented
    }

    static let outsideNote =
        "ATS does not govern this client (curl, dart:io, raw sockets); judged as if the app had asked "
        + "(\(LawTopic.coverage))."
}
