public import ATSPolicy
import Text

/// Judges recorded loads again, under one dictionary and release. Needs no network: it applies the rules to the
/// recorded facts, and guesses no answer that the origin never gave.
public struct LoadReplay: Sendable {
    public let judge: Judge
    /// Trust decisions of the app's own code. Without any, a load keeps the decision in its record.
    public let appTrust: AppTrust

    public init(judge: Judge, appTrust: AppTrust = .systemOnly) {
        self.judge = judge
        self.appTrust = appTrust
    }

    public func replay(_ load: LoadRecord) -> ReplayedLoad {
        if load.verdict == .outside, load.rule == .clientOutside {
            return ReplayedLoad(.outside, load.rule, basis: judge.permit(outside: load.load.target).basis)
        }
        let ruling = judge.rule(on: load.load.target, loader: load.client.loader)
        let basis = ruling.basis
        if load.verdict == .outside { return ReplayedLoad(.outside, load.rule, basis: basis) }
        switch ruling {
        case .denial(let denial):
            let law = RuleBook.standard.judge(denial, profile: judge.profile)
            return ReplayedLoad(.blocked, law.rule, basis: basis, law: law)
        case .permit(let permit):
            guard permit.target.scheme == .https, let offer = permit.offer else {
                return passed(load, basis: basis, law: nil, isHandshakeNew: false)
            }
            return replay(load, under: permit, offering: offer)
        }
    }

    private func replay(_ load: LoadRecord, under permit: ConnectPermit, offering offer: TLSOffer) -> ReplayedLoad {
        let basis = permit.basis
        guard let handshake = load.handshake else {
            if load.isLogged { return logged(load, under: permit) }
            // No handshake was tried, so no other dictionary changes the result.
            return ReplayedLoad(load.verdict.replayed, load.rule, basis: basis)
        }
        let shown = { (facts: HandshakeFacts) in
            HandshakeCase(
                facts: facts, host: permit.target.host, demands: permit.demands, profile: judge.profile,
                now: load.time / 1_000, basis: basis)
        }
        switch handshake.forecast(of: offer) {
        case .unknown(let why): return ReplayedLoad(.undecidable, basis: basis, why: why)
        case .succeeds(let facts):
            let law = appTrust(for: load).judge(RuleBook.standard.judge(shown(facts)), of: shown(facts))
            guard let failure = law.failure else {
                return passed(load, basis: basis, law: law, isHandshakeNew: handshake.failure != nil)
            }
            return ended(failure, law, basis)
        case .fails(let failure, let facts):
            let law = RuleBook.standard.judge(
                failure, diagnosis: facts.map(shown), target: permit.target, basis: basis, demands: permit.demands,
                offer: offer, profile: judge.profile)
            return ended(law.failure ?? .handshake(failure, rule: law.rule), law, basis)
        }
    }

    /// A device's log shows how the load ended, but not the facts of the handshake. A load that was allowed stays
    /// allowed if nothing is demanded now. A load that never reached the origin's TLS does not reach it under another
    /// dictionary.
    private func logged(_ load: LoadRecord, under permit: ConnectPermit) -> ReplayedLoad {
        if load.verdict == .failed, let rule = load.rule, rule.category == .network {
            return ReplayedLoad(.failed, rule, basis: permit.basis)
        }
        if load.verdict == .allowed, permit.demands == nil {
            return ReplayedLoad(.allowed, load.rule, basis: permit.basis)
        }
        return ReplayedLoad(
            .undecidable, basis: permit.basis, why: "a device's log does not contain the server's certificate")
    }

    private func ended(_ failure: LoadFailure, _ law: HandshakeVerdict, _ basis: RulingBasis) -> ReplayedLoad {
        ReplayedLoad(failure.isBlockedByRules ? .blocked : .failed, law.rule, basis: basis, law: law)
    }

    /// The result of a load that the rules allow. Other reasons for its failure still apply.
    ///
    /// - Parameter isHandshakeNew: true if a handshake that failed succeeds now, so that its failure no longer counts.
    private func passed(
        _ load: LoadRecord, basis: RulingBasis, law: HandshakeVerdict?, isHandshakeNew: Bool
    ) -> ReplayedLoad {
        let allowed = ReplayedLoad(.allowed, law?.rule, basis: basis, law: law)
        guard let rule = load.rule else {
            // The log does not show why it failed on the device, so another dictionary is not expected to help.
            return load.isLogged && load.verdict == .failed ? ReplayedLoad(.failed, basis: basis) : allowed
        }
        switch (load.verdict, rule.category) {
        case (.allowed, _), (.outside, _): return allowed
        case (.failed, .tls): return isHandshakeNew ? allowed : ReplayedLoad(.failed, rule, basis: basis)
        case (.failed, _): return ReplayedLoad(.failed, rule, basis: basis)
        case (.blocked, .app), (.wouldBlock, .app):
            return rule == .appPin && appTrust.pins.isEmpty ? ReplayedLoad(.blocked, rule, basis: basis) : allowed
        case (.blocked, .ats), (.wouldBlock, .ats), (.blocked, .trust), (.wouldBlock, .trust): return allowed
        case (.blocked, _), (.wouldBlock, _): return ReplayedLoad(.blocked, rule, basis: basis)
        }
    }

    /// The app's own code accepted this origin when the load was recorded.
    private func appTrust(for load: LoadRecord) -> AppTrust {
        guard appTrust.override == .nowhere, load.rule == .appTrustOverride else { return appTrust }
        return AppTrust(override: .hosts(HostPatterns([load.load.target.host])), pins: appTrust.pins)
    }
}

/// How a load would have ended under another dictionary or release. Raw values are stored and shown.
public enum ReplayVerdict: String, Sendable, Hashable, CaseIterable {
    case allowed, blocked, failed, outside
    /// The origin would have received another offer, and its answer is unknown.
    case undecidable
}

/// A load that was judged again.
public struct ReplayedLoad: Sendable, Hashable {
    public let verdict: ReplayVerdict
    /// The deciding rule; nil if it was allowed without a finding.
    public let rule: RuleID?
    /// The key or default that applied to the host.
    public let basis: RulingBasis
    /// The verdict of the rules; nil if they have none, or were not applied.
    public let law: HandshakeVerdict?
    /// The reason why the result is unknown; nil if it is known.
    public let why: String?

    init(
        _ verdict: ReplayVerdict, _ rule: RuleID? = nil, basis: RulingBasis, law: HandshakeVerdict? = nil,
        why: String? = nil
    ) {
        self.verdict = verdict
        self.rule = rule
        self.basis = basis
        self.law = law
        self.why = why
    }
}

extension Verdict {
    /// The verdict that a replay compares with. A load that audit mode let through counts as blocked.
    public var replayed: ReplayVerdict {
        switch self {
        case .allowed: .allowed
        case .blocked, .wouldBlock: .blocked
        case .failed: .failed
        case .outside: .outside
        }
    }
}

/// The answer of an origin to a ClientHello that it did not receive, inferred from its answer to another.
///
/// Assumptions: an origin answers the same hello in the same way. It agrees on the highest common version (RFC 8446
/// section 4.2.1, RFC 5246 appendix E.1). It chooses among the offered suites by its own order or the client's (RFC
/// 5246 section 7.4.1.3). It sends the same certificate again. Everything else is unknown and not guessed; see
/// docs/replay.md#what-is-decided.
public enum OriginForecast: Sendable, Hashable {
    /// Agrees to the same parameters, or to others with the same hello and certificate.
    case succeeds(HandshakeFacts)
    /// The handshake fails; the facts are those that it would agree to if more were offered.
    case fails(HandshakeFailure, HandshakeFacts?)
    /// The reason why the answer cannot be known.
    case unknown(String)
}

extension RecordedHandshake {
    /// Forecasts the origin's answer to `wanted`.
    public func forecast(of wanted: TLSOffer) -> OriginForecast {
        guard let asked = offer else { return .unknown("the recording does not contain the offer to the server") }
        guard let facts else {
            // The handshake failed even with everything offered, or the origin did not send TLS.
            return failure.map { .fails($0, nil) } ?? .unknown("the recording has no handshake with the server")
        }
        guard let failure else {
            return wanted == asked
                ? .succeeds(facts) : Answer(facts: facts, to: asked, refused: nil).forecast(of: wanted)
        }
        if facts.groupLeftOut != nil {
            // The origin fails every large hello, and accepts a small one.
            if wanted.offersHybridGroup { return .fails(failure, facts) }
            let accepted = facts.seen(facts.version, facts.suite)
            return Answer(facts: accepted, to: asked.withoutHybridGroup, refused: nil).forecast(of: wanted)
        }
        if wanted.isWithin(asked) { return .fails(failure, facts) }
        guard !asked.allows(facts) else {
            return .unknown("the server rejected parameters that it later accepted among others")
        }
        return Answer(facts: facts, to: .diagnostic, refused: (asked, failure)).forecast(of: wanted)
    }
}

/// The parameters that an origin agreed to, and the offer it chose from.
private struct Answer {
    let facts: HandshakeFacts
    let asked: TLSOffer
    /// A hello that it rejected before.
    let refused: (offer: TLSOffer, failure: HandshakeFailure)?

    init(facts: HandshakeFacts, to asked: TLSOffer, refused: (TLSOffer, HandshakeFailure)?) {
        self.facts = facts
        self.asked = asked
        self.refused = refused
    }

    func forecast(of wanted: TLSOffer) -> OriginForecast {
        let version = facts.version
        if version > wanted.maximum {
            return .unknown("the server chose TLS \(version.name); now \(wanted.versions) is offered")
        }
        if version < wanted.minimum { return newerOnly(wanted) }
        guard wanted.offers(facts.suite) else { return otherSuite(wanted) }
        let isSHA1 = facts.signature?.hashBits == 160 && version < .tls13
        if isSHA1, !wanted.takesSHA1Signatures {
            return .unknown("the server signed with SHA-1; now only better hashes are offered")
        }
        if version >= .tls12, let signature = facts.signature, !wanted.allows(signature) {
            return .unknown(
                "the server signed with \(signature.scheme.rawValue); now only other algorithms are offered")
        }
        guard !needsOtherSignature(wanted) else {
            return .unknown("in TLS 1.3, the server's key needs a signature algorithm that is not offered")
        }
        return .succeeds(wanted.offersHybridGroup ? facts : facts.withoutHybridGroup)
    }

    /// True if the origin may now choose TLS 1.3, which ties the curve of its key to a signature algorithm that is not
    /// offered (RFC 8446 section 4.2.3).
    private func needsOtherSignature(_ wanted: TLSOffer) -> Bool {
        guard wanted.maximum >= .tls13, asked.maximum < .tls13, let offered = wanted.signatures,
            let leaf = facts.served.first, leaf.keyType == .ec
        else { return false }
        return !HandshakeSignature(.ecdsa, hashBits: leaf.keyBits == 521 ? 512 : leaf.keyBits).isAmong(offered)
    }

    /// The origin supports nothing newer than its choice if newer versions were offered, too.
    private func newerOnly(_ wanted: TLSOffer) -> OriginForecast {
        guard wanted.maximum <= asked.maximum, wanted.suites.allSatisfy(asked.offers) else {
            return .unknown("the server chose TLS \(facts.version.name); it was not offered all of \(wanted.versions)")
        }
        return .fails(refused?.failure ?? .alertReceived(protocolVersion), facts)
    }

    /// The chosen suite is not offered. The origin may support another offered one, unless it rejected those before.
    private func otherSuite(_ wanted: TLSOffer) -> OriginForecast {
        if let refused, refused.offer.minimum <= facts.version, facts.version <= refused.offer.maximum,
            wanted.maximum <= refused.offer.maximum, wanted.suites.allSatisfy(refused.offer.offers)
        {
            return .fails(refused.failure, facts)
        }
        return .unknown("the server chose \(facts.suite.name); now \(wanted.suites.count) others are offered")
    }
}

extension TLSOffer {
    /// True if `other` contains everything in this offer.
    fileprivate func isWithin(_ other: TLSOffer) -> Bool {
        minimum >= other.minimum && maximum <= other.maximum && suites.allSatisfy(other.offers)
            && (suites.isEmpty ? other.suites.isEmpty : true) && (other.takesSHA1Signatures || !takesSHA1Signatures)
            && hasShape(within: other)
    }

    /// The hybrid group does not count: no server is known to require it.
    private func hasShape(within other: TLSOffer) -> Bool {
        guard let own = shape?.withoutHybridGroup, let others = other.shape else { return true }
        return own.groups.allSatisfy(others.groups.contains) && own.signatures.allSatisfy(others.signatures.contains)
    }

    /// An empty list of suites means all suites.
    fileprivate func offers(_ suite: CipherSuite) -> Bool { suites.isEmpty || suites.contains(suite) }

    fileprivate func allows(_ facts: HandshakeFacts) -> Bool {
        minimum <= facts.version && facts.version <= maximum && offers(facts.suite)
    }

    fileprivate func allows(_ signature: HandshakeSignature) -> Bool { signatures.map(signature.isAmong) ?? true }

    fileprivate var versions: String {
        minimum == maximum ? "TLS \(minimum.name) alone" : "TLS \(minimum.name) to \(maximum.name)"
    }
}

extension HandshakeFacts {
    /// A server with X25519MLKEM768 chooses another group if it is not offered. Source: Apple support 122756.
    fileprivate var withoutHybridGroup: HandshakeFacts {
        guard group == HelloShape.hybridGroupName else { return self }
        var facts = self
        facts.group = nil
        return facts
    }
}

/// RFC 8446 section 6.
private let protocolVersion: UInt8 = 70
