public import ATSPolicy

/// What an origin would do with a hello that it was not sent, told by what it did with another.
///
/// An origin is taken to answer the same hello in the same way, to agree on the highest version that both have (RFC 8446
/// section 4.2.1, RFC 5246 appendix E.1), to choose among the suites offered by an order of its own or the client's (RFC
/// 5246 section 7.4.1.3), and to show the certificate that it showed. Whatever else it could do is unknown here and not
/// guessed; docs/replay.md#what-is-decided says it in words.
public enum OriginForecast: Sendable, Hashable {
    /// It agrees to what it agreed to, or to something else of the same hello and the same certificate.
    case agrees(HandshakeFacts)
    /// It breaks the handshake; the facts are of what it would agree to if more were offered.
    case breaks(HandshakeFailure, HandshakeFacts?)
    /// Why nobody knows.
    case unknown(String)
}

extension RecordedHandshake {
    /// What the origin would do with `wanted`.
    public func forecast(of wanted: TLSOffer) -> OriginForecast {
        guard let asked = offer else { return .unknown("the recording does not tell what the origin was offered") }
        guard let facts else {
            // It broke even when everything was offered, or was no TLS at all.
            return failure.map { .breaks($0, nil) } ?? .unknown("the recording has no handshake with it")
        }
        guard let failure else {
            return wanted == asked ? .agrees(facts) : Answer(facts: facts, to: asked, refused: nil).forecast(of: wanted)
        }
        if wanted.isWithin(asked) { return .breaks(failure, facts) }
        guard !asked.allows(facts) else {
            return .unknown("it turned down what it agreed to once everything was offered")
        }
        return Answer(facts: facts, to: .diagnostic, refused: (asked, failure)).forecast(of: wanted)
    }
}

/// What an origin agreed to, and out of what.
private struct Answer {
    let facts: HandshakeFacts
    let asked: TLSOffer
    /// A hello that it turned down before.
    let refused: (offer: TLSOffer, failure: HandshakeFailure)?

    init(facts: HandshakeFacts, to asked: TLSOffer, refused: (TLSOffer, HandshakeFailure)?) {
        self.facts = facts
        self.asked = asked
        self.refused = refused
    }

    func forecast(of wanted: TLSOffer) -> OriginForecast {
        let version = facts.version
        if version > wanted.maximum {
            return .unknown("it chose TLS \(version.name), and would have been offered \(wanted.versions)")
        }
        if version < wanted.minimum { return newerOnly(wanted) }
        guard wanted.offers(facts.suite) else { return otherSuite(wanted) }
        let isSHA1 = facts.signature?.hashBits == 160 && version < .tls13
        if isSHA1, !wanted.takesSHA1Signatures {
            return .unknown("it signed with SHA-1, and would have been asked for a better hash")
        }
        return .agrees(facts)
    }

    /// It knows nothing newer than it chose, where newer versions were offered, too.
    private func newerOnly(_ wanted: TLSOffer) -> OriginForecast {
        guard wanted.maximum <= asked.maximum, wanted.suites.allSatisfy(asked.offers) else {
            return .unknown("it chose TLS \(facts.version.name), and was not offered all of \(wanted.versions)")
        }
        return .breaks(refused?.failure ?? .alertReceived(protocolVersion), facts)
    }

    /// What it chose is not offered; it may know another suite that is, unless it turned those down.
    private func otherSuite(_ wanted: TLSOffer) -> OriginForecast {
        if let refused, refused.offer.minimum <= facts.version, facts.version <= refused.offer.maximum,
            wanted.maximum <= refused.offer.maximum, wanted.suites.allSatisfy(refused.offer.offers)
        {
            return .breaks(refused.failure, facts)
        }
        return .unknown("it chose \(facts.suite.name), and would have been offered \(wanted.suites.count) others")
    }
}

extension TLSOffer {
    /// Nothing is in it that is not in `other`.
    fileprivate func isWithin(_ other: TLSOffer) -> Bool {
        minimum >= other.minimum && maximum <= other.maximum && suites.allSatisfy(other.offers)
            && (suites.isEmpty ? other.suites.isEmpty : true) && (other.takesSHA1Signatures || !takesSHA1Signatures)
    }

    /// No suites at all stands for every one.
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
