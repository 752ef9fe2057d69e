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

    public func replay(_ load: LoadEvidence) -> ReplayedLoad {
        if load.verdict == .outside, load.rule == .clientOutside {
            return ReplayedLoad(.outside, load.rule, basis: judge.permit(outside: load.target).basis)
        }
        let ruling = judge.rule(on: load.target, loader: load.loader)
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

    private func replay(_ load: LoadEvidence, under permit: ConnectPermit, offering offer: TLSOffer) -> ReplayedLoad {
        let basis = permit.basis
        guard let handshake = load.handshake else {
            if load.lacksHandshake {
                return ReplayedLoad(
                    .undecidable, basis: basis, why: "the version that recorded it kept no handshakes")
            }
            if load.isLogged { return logged(load, under: permit) }
            // No handshake was tried, so no other dictionary changes the result.
            return ReplayedLoad(load.verdict.replayed, load.rule, basis: basis)
        }
        let shown = { (facts: HandshakeFacts) in
            HandshakeCase(
                facts: facts, host: permit.target.host, demands: permit.demands, profile: judge.profile,
                now: load.unixSeconds, basis: basis)
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
    private func logged(_ load: LoadEvidence, under permit: ConnectPermit) -> ReplayedLoad {
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
        _ load: LoadEvidence, basis: RulingBasis, law: HandshakeVerdict?, isHandshakeNew: Bool
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
    private func appTrust(for load: LoadEvidence) -> AppTrust {
        guard appTrust.override == .nowhere, load.rule == .appTrustOverride else { return appTrust }
        return AppTrust(override: .hosts(HostPatterns([load.target.host])), pins: appTrust.pins)
    }
}
