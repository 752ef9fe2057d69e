public import ATSPolicy
public import Records

/// An origin after its handshake and the verdict of the rules. Made by ``OriginHandshake``, kept by its link, remembered by
/// the loop, and referred to by the tunnel.
public final class MetOrigin {
    /// Address, facts and offer, for records: complete enough to judge the origin again.
    public let recorded: RecordedOrigin
    public let verdict: HandshakeVerdict
    /// The reason why a load from it fails; nil if it passed, also because audit mode allowed it.
    public let failure: LoadFailure?
    /// The protocols that the hello offered.
    public let offered: [String]
    /// Microseconds from the hello to the verdict; nil if the origin never answered.
    public let handshakeTicks: Int64?
    /// A second handshake was needed, which offered more than a device does.
    public let neededMore: Bool
    /// The findings about an origin that is used although it has some: the app's own code allows it, or a proxy hides
    /// it. nil if there are none.
    public let remark: RecordedDiagnosis?

    public init(
        _ recorded: RecordedOrigin, _ verdict: HandshakeVerdict, failure: LoadFailure?, offered: [String] = [],
        handshakeTicks: Int64? = nil, neededMore: Bool = false
    ) {
        self.recorded = recorded
        self.verdict = verdict
        self.failure = failure
        self.offered = offered
        self.handshakeTicks = handshakeTicks
        self.neededMore = neededMore
        let isUnexpected = failure == nil && verdict.failure == nil && !verdict.findings.isEmpty
        let remedy = verdict.isDecrypted ? verdict.remedy : nil
        remark = isUnexpected ? RecordedDiagnosis(findings: verdict.findings, apple: nil, remedy: remedy) : nil
    }

    /// An origin that was not judged: its link carries cleartext, or its handshake has not begun.
    public convenience init(unjudgedAt address: String) {
        self.init(
            RecordedOrigin(address: address, facts: nil),
            HandshakeVerdict(findings: [], failure: nil, remedy: nil), failure: nil)
    }

    /// The same result, as remembered for a later load that needs no handshake.
    public var remembered: MetOrigin { MetOrigin(recorded, verdict, failure: failure, neededMore: neededMore) }

    /// The result of the handshake, if the origin sent a certificate.
    public var facts: HandshakeFacts? { recorded.facts }

    /// A device would have refused the origin; audit mode allowed it.
    public var isDoubtful: Bool { failure == nil && (verdict.failure != nil || neededMore) }
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
        let apple = verdict.failure.flatMap {
            $0.isGateFailure
                ? nil
                : AppleErrorTable.error(
                    for: $0, target: target, urlText: target.origin + path, profile: judge.profile, facts: facts,
                    identifiers: identifiers(), readings: judge.switches.apple)
        }
        var remedy = verdict.remedy
        let exception = remedy?.exception.map { judge.preferred($0, for: target) }
        remedy?.exception = exception
        self.init(findings: verdict.findings, apple: apple, remedy: remedy)
    }
}
