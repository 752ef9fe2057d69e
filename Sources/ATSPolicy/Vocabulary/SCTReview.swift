/// The signed certificate timestamps of one handshake, checked against a log list. The rules evaluate what depends on
/// the clock.
public struct SCTReview: Sendable, Hashable {
    /// Timestamps with valid signatures, from logs that were approved when they were made.
    public var counted: [CountedSCT]
    /// The reasons why the other timestamps do not count.
    public var refused: [SCTRefusal]
    /// The date of the list, in seconds since 1970-01-01 UTC; nil if it has none.
    public var listTime: Int64?

    public init(counted: [CountedSCT] = [], refused: [SCTRefusal] = [], listTime: Int64? = nil) {
        self.counted = counted
        self.refused = refused
        self.listTime = listTime
    }

    /// The number of timestamps that the origin sent.
    public var given: Int { counted.count + refused.count }

    /// The numbers of timestamps that count, by source.
    public var counts: SCTCounts {
        counted.reduce(into: SCTCounts()) { counts, timestamp in
            switch timestamp.source {
            case .embedded: counts.embedded += 1
            case .handshake: counts.handshake += 1
            case .stapled: counts.stapled += 1
            }
        }
    }
}

/// The place in which a timestamp was delivered. Source: RFC 6962 section 3.3.
public enum SCTSource: String, Sendable, Hashable {
    /// An extension of the certificate.
    case embedded
    /// An extension of the TLS handshake.
    case handshake
    /// An extension of the stapled OCSP response.
    case stapled
}

/// A timestamp with a valid signature.
public struct CountedSCT: Sendable, Hashable {
    public var source: SCTSource
    /// The time of its creation, in seconds since 1970-01-01 UTC.
    public var time: Int64
    /// The operator of its log; nil if the list does not name one.
    public var operatorName: String?
    /// The time when its log's approval ends, in seconds since 1970-01-01 UTC; nil for a log without such a date.
    public var retirement: Int64?
    /// True if its log is a tiled log, which does not follow RFC 6962.
    public var isTiled: Bool

    public init(
        source: SCTSource, time: Int64, operatorName: String? = nil, retirement: Int64? = nil, isTiled: Bool = false
    ) {
        self.source = source
        self.time = time
        self.operatorName = operatorName
        self.retirement = retirement
        self.isTiled = isTiled
    }
}

/// The reason why a timestamp does not count. Raw values are stored and shown: never rename one, only add.
public enum SCTRefusal: String, Error, Sendable, Hashable, CaseIterable {
    /// The list has no such log.
    case unknownLog = "unknown-log"
    /// The list has the log, but the log was never approved.
    case unapprovedLog = "unapproved-log"
    /// It was made after its log was retired.
    case retiredLog = "retired-log"
    case badSignature = "bad-signature"
    /// It is embedded, and cannot be verified because the issuer's key was neither served nor known.
    case missingIssuer = "missing-issuer"
    /// Not version 1, the only one of RFC 6962.
    case unknownVersion = "unknown-version"
}
