public import ATSPolicy

/// The parts of a record that are needed to judge its load again.
public struct LoadEvidence: Sendable, Hashable {
    public var target: LoadTarget
    public var loader: Loader
    /// nil if no handshake was tried.
    public var handshake: RecordedHandshake?
    /// True if a handshake finished, but the version that recorded it did not keep its facts.
    public var lacksHandshake = false
    /// True if the load comes only from a device's log or another tool, so that the facts of its handshake are unknown.
    public var isLogged = false
    /// How the load ended, and the rule that decided.
    public var verdict: Verdict
    public var rule: RuleID?
    /// Start of the load, in seconds since 1970-01-01 UTC. Certificate dates are compared with it.
    public var unixSeconds: Int64

    public init(
        target: LoadTarget, loader: Loader, handshake: RecordedHandshake?, verdict: Verdict, rule: RuleID?,
        unixSeconds: Int64
    ) {
        self.target = target
        self.loader = loader
        self.handshake = handshake
        self.verdict = verdict
        self.rule = rule
        self.unixSeconds = unixSeconds
    }

    /// Takes the evidence from a record that is about to be filed.
    public init(_ record: LoadRecord) {
        let handshake = record.origin?.handshake
        self.init(
            target: record.load.target, loader: record.client.loader,
            handshake: handshake?.isEmpty == false ? handshake : nil, verdict: record.verdict,
            rule: record.diagnosis?.findings.first?.rule, unixSeconds: record.time / 1_000)
        isLogged = record.source != .gate
    }

    /// Takes the evidence from a record that was read back.
    ///
    /// - Parameter milliseconds: since 1970-01-01 UTC, when the load began.
    /// - Returns: nil for a scheme, loader or verdict that this version does not know.
    public init?(
        _ record: DecodedObject<RecordFields>, handshake: RecordedHandshake?, rule: String?, milliseconds: Int64
    ) {
        guard let scheme = LoadTarget.Scheme(rawValue: record.load.scheme),
            let loader = Loader(recorded: record.client.loader), let verdict = Verdict(rawValue: record.verdict)
        else { return nil }
        self.init(
            target: LoadTarget(scheme: scheme, host: record.load.host, port: record.load.port), loader: loader,
            handshake: handshake, verdict: verdict, rule: rule.flatMap { RuleID(rawValue: $0) },
            unixSeconds: milliseconds / 1_000)
        lacksHandshake = handshake == nil && record.origin?.tlsVersion != nil
        isLogged = record.source != .gate
    }
}

extension Loader {
    /// - Returns: nil for text that no version wrote. Older versions wrote `outside`, and judged such loads as the
    ///   app's.
    fileprivate init?(recorded text: String) {
        if text == "outside" { self = .app } else { self.init(rawValue: text) }
    }
}
