/// The signed certificate timestamps of one handshake, held against a list of logs. What depends on the clock is left
/// to the rules.
public struct SCTReview: Sendable, Hashable {
    /// Those whose signatures verify, of logs that were approved when they were made.
    public var counted: [CountedSCT]
    /// Why each of the others does not count.
    public var refused: [SCTRefusal]
    /// When the list was made, in seconds since 1970-01-01 UTC; nil where it does not say.
    public var listTime: Int64?

    public init(counted: [CountedSCT] = [], refused: [SCTRefusal] = [], listTime: Int64? = nil) {
        self.counted = counted
        self.refused = refused
        self.listTime = listTime
    }

    /// As many as the origin gave.
    public var given: Int { counted.count + refused.count }

    /// Those that count, by where they came from.
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

/// Where a timestamp came from. Source: RFC 6962 section 3.3.
public enum SCTSource: String, Sendable, Hashable {
    /// An extension of the certificate.
    case embedded
    /// An extension of the TLS handshake.
    case handshake
    /// An extension of the stapled OCSP response.
    case stapled
}

/// One timestamp whose signature verifies.
public struct CountedSCT: Sendable, Hashable {
    public var source: SCTSource
    /// When it was made, in seconds since 1970-01-01 UTC.
    public var time: Int64
    /// Who runs its log; nil where the list does not say.
    public var operatorName: String?
    /// From when on its log is approved no more, in seconds since 1970-01-01 UTC; nil for a log that is approved.
    public var retirement: Int64?
    /// Its log is a tiled one and does not follow RFC 6962.
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

/// Why a timestamp does not count. Raw values are stored and shown: never rename one, only add.
public enum SCTRefusal: String, Error, Sendable, Hashable, CaseIterable {
    /// The list has no such log.
    case unknownLog = "unknown-log"
    /// The list has the log, but it never was approved.
    case unapprovedLog = "unapproved-log"
    /// It was made after its log had been retired.
    case retiredLog = "retired-log"
    case badSignature = "bad-signature"
    /// It is embedded, and the issuer's key, without which it cannot be verified, was neither served nor known.
    case missingIssuer = "missing-issuer"
    /// Not version 1, the only one of RFC 6962.
    case unknownVersion = "unknown-version"
}
