public import ATSPolicy

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
        return .succeeds(facts)
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
    }

    /// An empty list of suites means all suites.
    fileprivate func offers(_ suite: CipherSuite) -> Bool { suites.isEmpty || suites.contains(suite) }

    fileprivate func allows(_ facts: HandshakeFacts) -> Bool {
        minimum <= facts.version && facts.version <= maximum && offers(facts.suite)
    }

    fileprivate var versions: String {
        minimum == maximum ? "TLS \(minimum.name) alone" : "TLS \(minimum.name) to \(maximum.name)"
    }
}

/// RFC 8446 section 6.
private let protocolVersion: UInt8 = 70
