import Text

/// One rule on handshakes: its check, the releases that have it, its source, and examples that prove it.
public struct Rule: Sendable {
    public let id: RuleID
    public let title: String
    /// The place where the rule is documented.
    public let source: String
    public let confidence: Confidence
    /// True if a release has this rule.
    public private(set) var isInForce: @Sendable (OSProfile) -> Bool = { _ in true }
    /// True if a warning is a finding of a load that passes.
    private(set) var reportsWarnings = false
    /// Judges a handshake on a release that has the rule.
    public let check: @Sendable (HandshakeCase) -> RuleAnswer
    /// The plist key that decided, or that would change the answer; nil if no key can.
    let keyPath: @Sendable (HandshakeCase) -> String?
    /// The effects of a breach.
    public let consequence: Consequence
    private let makeExamples: @Sendable () -> [RuleExample]

    init(
        _ id: RuleID, _ title: String, source: String, confidence: Confidence,
        keyPath: @escaping @Sendable (HandshakeCase) -> String? = { _ in nil },
        consequence: Consequence,
        check: @escaping @Sendable (HandshakeCase) -> RuleAnswer,
        examples: @escaping @Sendable () -> [RuleExample]
    ) {
        self.id = id
        self.title = title
        self.source = source
        self.confidence = confidence
        self.check = check
        self.keyPath = keyPath
        self.consequence = consequence
        makeExamples = examples
    }

    /// Returns the rule, restricted to some releases.
    func inForce(on isKnown: @escaping @Sendable (OSProfile) -> Bool) -> Rule {
        var rule = self
        rule.isInForce = isKnown
        return rule
    }

    /// Returns the rule, with its warnings reported.
    func reportingWarnings() -> Rule {
        var rule = self
        rule.reportsWarnings = true
        return rule
    }

    /// Cases below, at and above the rule's limits, and cases that it does not cover. Built on each call.
    public var examples: [RuleExample] { makeExamples() }

    /// Returns the rule's answer; takes into account whether the release has the rule.
    public func answer(on handshake: HandshakeCase) -> RuleAnswer {
        guard isInForce(handshake.profile) else { return .notInForce }
        if handshake.demands?.acceptsAnyCertificate == true, id.category == .trust { return .notInForce }
        return check(handshake)
    }

    /// Returns a failing answer as a finding.
    func finding(on handshake: HandshakeCase, expected: String, observed: String) -> Finding {
        Finding(
            rule: id, title: title, keyPath: keyPath(handshake), expected: expected, observed: observed,
            confidence: confidence, source: source)
    }
}

/// The answer of a rule to one handshake.
public enum RuleAnswer: Sendable, Hashable {
    case pass
    case fail(expected: String, observed: String)
    /// Looks wrong, but cannot be proven with the known facts; never stops a load. A finding only if the rule reports
    /// its warnings.
    case warn(expected: String, observed: String)
    /// The rule applies to this load, but its subject does not occur in it, or another rule decides.
    case notApplicable
    /// The rule does not apply to this load: another release, or nothing requires it.
    case notInForce

    public var outcome: RuleOutcome {
        switch self {
        case .pass: .pass
        case .fail: .fail
        case .warn: .warn
        case .notApplicable: .notApplicable
        case .notInForce: .notInForce
        }
    }
}

/// A ``RuleAnswer`` without its text.
public enum RuleOutcome: Sendable, Hashable {
    case pass, fail, warn, notApplicable, notInForce
}

/// A handshake and the answer that a rule must give to it. Runs as a test.
public struct RuleExample: Sendable {
    public let title: String
    public let handshake: HandshakeCase
    public let expected: RuleOutcome

    /// - Parameter change: turns a handshake that breaks no rule into the example.
    init(_ title: String, _ expected: RuleOutcome, _ change: (inout HandshakeCase) -> Void = { _ in }) {
        self.title = title
        self.expected = expected
        var handshake = HandshakeCase.sample
        change(&handshake)
        self.handshake = handshake
    }
}

/// A rule as a report shows it: the finding for the first of its own examples that breaks it.
public struct RuleSpecimen: Sendable {
    public let finding: Finding
    public let remedy: Remedy?
}

extension RuleSpecimen {
    /// The rule without a handshake, ``RuleID/cleartextLoad``; nil for a verdict without a finding.
    public init?(_ denial: Denial, on profile: OSProfile) {
        let verdict = RuleBook.standard.judge(denial, profile: profile)
        guard let finding = verdict.findings.first else { return nil }
        self.init(finding: finding, remedy: verdict.remedy)
    }
}

extension Rule {
    /// nil for a rule without a failing example.
    public var specimen: RuleSpecimen? {
        for example in examples where example.expected == .fail {
            let verdict = RuleBook(rules: [self]).judge(example.handshake)
            guard var finding = verdict.findings.first else { continue }
            let day = CalendarDay.text(example.handshake.now)
            finding.expected = finding.expected.replacing("on \(day)", with: "on the day of the load")
            return RuleSpecimen(finding: finding, remedy: verdict.remedy)
        }
        return nil
    }
}

/// All handshake rules, in the order in which they decide.
///
/// The parameters of the handshake come first, because a device checks them first. A pinned identity is next, because
/// it is the only refusal that the app's code cannot override (docs/law/pinning.md#evaluation). Then come the chain,
/// its dates, its name and use, keys and hashes, and finally transparency. The order in which Apple reports several
/// trust failures is not known (docs/contradictions.md), so that part is inferred.
public struct RuleBook: Sendable {
    /// The rules that atsgate enforces.
    public static let standard = RuleBook(rules: [
        .osTLSFloor, .tlsVersion, .forwardSecrecy, .cipherSuite,
        .niap,
        .pinnedIdentity,
        .selfSigned, .incompleteChain, .untrustedRoot, .unknownRoot, .distrustedRoot, .invalidChain,
        .expired, .notYetValid, .revoked,
        .hostName, .noSAN, .serverAuthEKU, .validityPeriod,
        .keySize, .signatureHash, .trustKeySize, .trustSignatureHash, .rootKey,
        .atsTransparency, .certificateTransparency,
    ])

    public let rules: [Rule]
    private let byID: [RuleID: Rule]
    private let warning: [Rule]

    /// - Parameter rules: the deciding ones first.
    init(rules: [Rule]) {
        self.rules = rules
        byID = Dictionary(rules.map { ($0.id, $0) }) { first, _ in first }
        warning = rules.filter(\.reportsWarnings)
    }

    /// nil for an id that is not a handshake rule.
    public func rule(_ id: RuleID) -> Rule? { byID[id] }

    /// Returns a finding for each rule that a handshake breaks, the deciding one first. Does not allocate if there is
    /// none.
    public func findings(on handshake: HandshakeCase) -> [Finding] {
        var findings: [Finding] = []
        for rule in rules {
            if case .fail(let expected, let observed) = rule.answer(on: handshake) {
                findings.append(rule.finding(on: handshake, expected: expected, observed: observed))
            }
        }
        return findings
    }

    /// Returns the warnings about a handshake that breaks no rule, of the rules that report them.
    func warnings(on handshake: HandshakeCase) -> [Finding] {
        var findings: [Finding] = []
        for rule in warning {
            if case .warn(let expected, let observed) = rule.answer(on: handshake) {
                findings.append(rule.finding(on: handshake, expected: expected, observed: observed))
            }
        }
        return findings
    }
}

extension RuleID {
    /// True for a rule on negotiated parameters, which breaks a handshake before any certificate is checked.
    var isHandshakeParameter: Bool {
        switch consequence?.breach {
        case .handshake: true
        case .certificate, .identity, nil: false
        }
    }
}

extension RuleBook {
    /// Judges a finished handshake.
    public func judge(_ handshake: HandshakeCase) -> HandshakeVerdict {
        let findings = findings(on: handshake)
        guard let decisive = findings.first?.rule, let rule = rule(decisive) else {
            let warnings = warnings(on: handshake)
            return warnings.isEmpty ? .pass : HandshakeVerdict(findings: warnings, failure: nil, remedy: nil)
        }
        return HandshakeVerdict(
            findings: findings, failure: rule.consequence.failure(of: decisive, in: handshake),
            remedy: RemedyWriter(handshake).remedy(for: findings))
    }

    /// Judges a broken handshake.
    ///
    /// - Parameter diagnosis: the facts of a second handshake with ``TLSOffer/diagnostic``, with the same rules to
    ///   judge them by; nil if it broke, too, or was not tried.
    public func judge(
        _ failure: HandshakeFailure, diagnosis: HandshakeCase?, target: LoadTarget, basis: RulingBasis,
        demands: TLSDemands?, offer: TLSOffer, profile: OSProfile
    ) -> HandshakeVerdict {
        let failure = demands?.minimumTLS ?? .tls10 > profile.newestTLS ? .nothingToOffer : failure
        let broken = BrokenHandshake(
            failure: failure, target: target, basis: basis, demands: demands, offer: offer, profile: profile)
        let shown = diagnosis.map { findings(on: $0) } ?? []
        let writer = diagnosis.map { RemedyWriter($0) }
        if let diagnosis, diagnosis.facts.groupLeftOut != nil { return judge(broken, accepting: diagnosis) }
        if let decisive = shown.first?.rule, decisive.isHandshakeParameter {
            return HandshakeVerdict(
                findings: shown, failure: .handshake(failure, rule: decisive), remedy: writer?.remedy(for: shown))
        }
        // The negotiated parameters break no rule, so the handshake broke for another reason. The certificate may still
        // be bad.
        let finding = broken.finding
        var advice = broken.advice
        if let diagnosis, let writer {
            let (version, suite) = (diagnosis.facts.version.name, diagnosis.facts.suite.name)
            advice.append(.server("When offered everything, the server chose TLS \(version) with \(suite)."))
            advice += broken.unoffered(in: diagnosis.facts) + writer.serverAdvice(for: shown)
        }
        // A device may read chains that the gate does not.
        let isGateFailure = failure == .chainTooLarge
        return HandshakeVerdict(
            findings: [finding] + shown,
            failure: isGateFailure
                ? nil : .handshake(failure, rule: finding.rule.isHandshakeParameter ? finding.rule : nil),
            remedy: Remedy(advice))
    }

    /// Judges an origin that failed the hello with the hybrid group, and accepted the same hello without it. Facts of the
    /// second handshake are those of the origin, so its other faults count, too.
    ///
    /// A device that repeats the handshake without the group loads from it (``OSProfile/retriesWithoutHybridGroup``).
    private func judge(_ broken: BrokenHandshake, accepting facts: HandshakeCase) -> HandshakeVerdict {
        let verdict = judge(facts)
        let findings = [broken.largeHello(facts.facts)] + verdict.findings
        if broken.profile.retriesWithoutHybridGroup {
            return HandshakeVerdict(
                findings: verdict.failure == nil ? findings : verdict.findings, failure: verdict.failure,
                remedy: verdict.remedy)
        }
        let advice = BrokenHandshake.largeHelloAdvice + (verdict.remedy?.advice.filter(\.isForServer) ?? [])
        return HandshakeVerdict(
            findings: findings, failure: .handshake(broken.failure, rule: nil), remedy: Remedy(advice))
    }

    /// Judges a failure to reach an origin.
    public func judge(_ failure: NetworkFailure, target: LoadTarget) -> HandshakeVerdict {
        let (rule, title, expected, observed) = Self.words(for: failure, target)
        let finding = Finding(
            rule: rule, title: title, keyPath: nil, expected: expected, observed: observed, confidence: .observed,
            source: "Apple, NSURLErrorDomain; docs/law/errors.md#codes")
        // A device has no error for failures of the gate or its parent proxy.
        let shown = failure.isGateFailure ? nil : LoadFailure.network(failure)
        return HandshakeVerdict(findings: [finding], failure: shown, remedy: nil)
    }

    private static func words(
        for failure: NetworkFailure, _ target: LoadTarget
    ) -> (RuleID, title: String, expected: String, observed: String) {
        let place = "\(target.host), port \(target.port)"
        return switch failure {
        case .name(let code):
            (
                .netName, "Host name without an address", "an address for \(target.host)",
                "\(target.host) could not be resolved: \(SystemWords.resolver(code))"
            )
        case .refused:
            (.netRefused, "Connection refused", "a connection to \(place)", "\(place) refused the connection")
        case .timeout:
            (.netTimeout, "Connection timed out", "a connection to \(place)", "\(place) did not answer in time")
        case .noDescriptors:
            (
                .gateDescriptors, "Gate out of file descriptors", "a file descriptor for \(place)",
                "the gate reached its limit of open files: raise it (ulimit -n)"
            )
        case .ownAddress:
            (.gateLoop, "Load to the gate itself", "a load to a server", "\(place) is this gate's own address")
        case .forbidden:
            (
                .gateForbidden, "Address of the gate's machine", "a server that clients on other machines may reach",
                "\(place) is the gate's own machine, or link-local to it; --allow-lan-to-host allows it"
            )
        case .reset(let errno):
            (
                .netReset, "Connection lost", "a connection to \(place)",
                "\(place) was reset or unreachable: \(SystemWords.error(errno))\(LocalNetworkPrivacy.hint(errno: errno))"
            )
        case .parent(let parent, let trouble):
            (
                .netParent, "Parent proxy", "a way to \(place) through the parent proxy \(parent)",
                "the parent proxy \(parent) \(trouble.words)"
            )
        case .decrypted(let proxy):
            (.netDecrypted, proxy.finding.title, proxy.finding.expected, proxy.finding.observed)
        }
    }

    /// Judges an origin that ended the connection after its certificate request was answered: up to TLS 1.2 within the
    /// handshake, in TLS 1.3 after it.
    ///
    /// - Parameters:
    ///   - host: the origin's host.
    ///   - shown: the verdict on the handshake before that. A device judges the handshake before it answers, so it
    ///     reports those findings first.
    public func judge(_ lost: LostConnection, by host: String, after shown: HandshakeVerdict) -> HandshakeVerdict {
        guard shown.failure == nil else { return shown }
        let hasSent = lost.clientCertificate == .sent
        let finding = Finding(
            rule: lost.rule, title: "Client certificate " + (hasSent ? "refused" : "required"), keyPath: nil,
            expected: "a server that accepts " + (hasSent ? "the client's" : "clients without a") + " certificate",
            observed: "\(host) requested a client certificate, got \(hasSent ? "one" : "none") and \(lost.ending)",
            confidence: .observed, source: "RFC 8446 4.4.2.4; docs/law/errors.md#after-the-handshake")
        let advice =
            hasSent
            ? "Make \(host) trust the issuer of the client's certificate, or send it another one (--client-cert)."
            : "Make \(host) accept clients without a certificate, or send it the app's certificate "
                + "(--client-cert \(host)=FILE)."
        return HandshakeVerdict(
            findings: [finding] + shown.findings, failure: .lost(lost), remedy: Remedy(server: [advice]))
    }
}

extension LostConnection {
    fileprivate var rule: RuleID {
        switch end {
        case .alert: .tlsAlert
        case .reset, .closed: .tlsClosed
        case .timeout: .tlsTimeout
        }
    }

    fileprivate var ending: String {
        switch end {
        case .alert(let number): "ended the connection with TLS alert \(AlertStatus.title(of: number))"
        case .reset: "reset the connection"
        case .closed: "closed the connection"
        case .timeout: "stopped responding"
        }
    }
}

/// The verdict on a load that was tried: on its handshake, or on the failure that prevented one.
public struct HandshakeVerdict: Sendable, Hashable {
    /// All findings, the deciding one first.
    public let findings: [Finding]
    /// The failure that the app would see; nil if there is none.
    public let failure: LoadFailure?
    public let remedy: Remedy?

    /// The deciding rule.
    public var rule: RuleID? { findings.first?.rule }

    public init(findings: [Finding], failure: LoadFailure?, remedy: Remedy?) {
        self.findings = findings
        self.failure = failure
        self.remedy = remedy
    }

    /// A verdict without findings.
    static let pass = HandshakeVerdict(findings: [], failure: nil, remedy: nil)

    /// The verdict on an origin that a decrypting proxy hides: it was not judged.
    ///
    /// The load continues only if the proxy's own handshake breaks no rule, so that no other rule becomes more lenient.
    ///
    /// - Parameter verdict: the verdict on the proxy's handshake.
    public static func decrypted(by proxy: DecryptingProxy, judged verdict: HandshakeVerdict) -> HandshakeVerdict {
        HandshakeVerdict(
            findings: [proxy.finding],
            failure: verdict.failure == nil ? nil : .network(.decrypted(proxy)), remedy: Remedy([.server(proxy.wayOut)])
        )
    }

    /// True if the origin was not judged, because a proxy decrypted the connection.
    public var isDecrypted: Bool { rule == .netDecrypted }
}

extension DecryptingProxy {
    var finding: Finding {
        Finding(
            rule: .netDecrypted, title: "Decrypted by a proxy after the gate", keyPath: nil,
            expected: "the server's own certificate", observed: observed, confidence: confidence, source: source)
    }

    private var observed: String {
        guard confidence == .inferred else {
            return "a certificate of \(name), which decrypts the connection; the server was not seen"
        }
        return "a certificate of “\(name)”, which is not public and signed for unrelated owners "
            + "(\(owners.joined(separator: ", "))), as a decrypting proxy does; verdicts on earlier loads with this CA do "
            + "not count either"
    }

    /// The sentence for the user: how to get a verdict.
    var wayOut: String {
        let setting = passthrough.map { " (\($0))" } ?? ""
        let isKnown = confidence != .inferred
        return
            "To judge the server, let \(isKnown ? name : "that proxy") pass its TLS through\(setting), or record its "
            + "bodies in a second session, without the gate."
            + (isKnown ? "" : " If “\(name)” is your own CA: --decrypted named.")
    }
}
