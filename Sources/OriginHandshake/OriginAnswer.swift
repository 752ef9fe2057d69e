public import ATSPolicy
public import Records
public import TLSEngine

/// An origin whose handshake is done and judged: what a link takes over.
public struct SecuredOrigin {
    public let tls: TLSMachine
    public let recorded: RecordedOrigin
    /// The protocols that the hello offered.
    public let offered: [String]
    /// Microseconds from the hello to the verdict.
    public let handshakeTicks: Int64
    /// What the law said. Its failure is nil unless audit mode let the origin pass.
    public let verdict: HandshakeVerdict
    /// Of what the verdict is: the tunnel's host, or another one that was named in it.
    public let target: LoadTarget
    /// It took a second handshake, which offered more than a device does.
    public let neededMore: Bool
    public let facts: HandshakeFacts

    /// A device would have refused it, and audit mode let it pass.
    public var isDoubtful: Bool { verdict.failure != nil || neededMore }

    /// What a record says of an origin that passed although the system would have refused it; nil for nothing to say.
    public var remark: RecordedDiagnosis? {
        guard verdict.failure == nil, !verdict.findings.isEmpty else { return nil }
        return RecordedDiagnosis(findings: verdict.findings, apple: nil, remedy: nil)
    }
}

/// An origin that a device would not have loaded from, and why.
public struct RefusedOrigin {
    public let failure: LoadFailure
    public let verdict: HandshakeVerdict
    /// What is refused: the tunnel's host, or another one that was named in it.
    public let target: LoadTarget
    public let recorded: RecordedOrigin
    /// What the origin agreed to, as far as a certificate was seen.
    public let facts: HandshakeFacts?
    /// Microseconds from the hello to the verdict; nil when it was never answered.
    public let handshakeTicks: Int64?
}

extension RecordedDiagnosis {
    /// What a verdict means to the app.
    ///
    /// - Parameters:
    ///   - path: path and query of the load, for Apple's lines.
    ///   - facts: what the handshake showed, where there was one.
    ///   - identifiers: for Apple's lines.
    public convenience init(
        _ verdict: HandshakeVerdict, target: LoadTarget, path: String, facts: HandshakeFacts? = nil, judge: Judge,
        identifiers: () -> LogIdentifiers
    ) {
        let apple = verdict.failure.map {
            AppleErrorTable.error(
                for: $0, target: target, urlText: target.origin + path, profile: judge.profile, facts: facts,
                identifiers: identifiers(), readings: judge.switches.apple)
        }
        self.init(findings: verdict.findings, apple: apple, remedy: verdict.remedy)
    }
}
