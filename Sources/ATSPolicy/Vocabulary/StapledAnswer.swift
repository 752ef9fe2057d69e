/// The status of the leaf in a stapled OCSP response. The rules check its dates. Source: RFC 6960.
public struct StapledAnswer: Sendable, Hashable {
    public enum Status: Sendable, Hashable {
        case good
        /// - Parameters:
        ///   - at: seconds since 1970-01-01 UTC.
        ///   - reason: RFC 5280 section 5.3.1; nil if the response has none.
        case revoked(at: Int64, reason: Int?)
        /// The responder does not know the leaf.
        case unknown
        /// The response is not authorized by the leaf's issuer, or is not about the leaf.
        case invalid
    }

    public var status: Status
    /// Seconds since 1970-01-01 UTC.
    public var thisUpdate: Int64
    /// nil if newer responses are always available.
    public var nextUpdate: Int64?

    public init(_ status: Status, thisUpdate: Int64 = 0, nextUpdate: Int64? = nil) {
        self.status = status
        self.thisUpdate = thisUpdate
        self.nextUpdate = nextUpdate
    }

    /// Source: RFC 6960 section 4.2.2.1.
    func isInDate(at now: Int64) -> Bool {
        thisUpdate <= now && nextUpdate.map { $0 >= now } ?? true
    }
}

extension StapledAnswer.Status {
    /// One word, for records.
    public var word: String {
        switch self {
        case .good: "good"
        case .revoked: "revoked"
        case .unknown: "unknown"
        case .invalid: "invalid"
        }
    }
}
