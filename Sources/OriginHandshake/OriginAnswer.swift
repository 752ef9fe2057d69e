public import ATSPolicy
public import Records
public import TLSEngine

/// An origin after its handshake and verdict, as a link takes it over.
public struct SecuredOrigin {
    public let tls: TLSMachine
    public let recorded: RecordedOrigin
    /// The protocols that the hello offered.
    public let offered: [String]
    /// Microseconds from the hello to the verdict.
    public let handshakeTicks: Int64
    /// The verdict of the rules. Its failure is nil unless audit mode allowed the origin.
    public let verdict: HandshakeVerdict
    /// The target of the verdict: the tunnel's host, or another host named inside the tunnel.
    public let target: LoadTarget
    /// A second handshake was needed, which offered more than a device does.
    public let neededMore: Bool
    public let facts: HandshakeFacts

    /// A device would have refused the origin; audit mode allowed it.
    public var isDoubtful: Bool { verdict.failure != nil || neededMore }

    /// The findings about an origin that the system would have refused but that was allowed; nil if there are none.
    public var remark: RecordedDiagnosis? {
        guard verdict.failure == nil, !verdict.findings.isEmpty else { return nil }
        return RecordedDiagnosis(findings: verdict.findings, apple: nil, remedy: nil)
    }
}

/// An origin that a device would refuse, with the reason.
public struct RefusedOrigin {
    public let failure: LoadFailure
    public let verdict: HandshakeVerdict
    /// The refused target: the tunnel's host, or another host named inside the tunnel.
    public let target: LoadTarget
    public let recorded: RecordedOrigin
    /// The result of the handshake, if the origin sent a certificate.
    public let facts: HandshakeFacts?
    /// Microseconds from the hello to the verdict; nil if the origin never answered.
    public let handshakeTicks: Int64?
}

extension RecordedDiagnosis {
    /// The verdict as the app would see it.
    ///
    /// - Parameters:
    ///   - path: path and query of the load, for Apple's lines.
    ///   - facts: what the handshake showed, if it got far enough.
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
