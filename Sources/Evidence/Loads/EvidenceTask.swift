/// The facts of a log about one load.
public struct EvidenceTask: Sendable, Hashable {
    /// Raw values are shown.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// Blocked by ATS, or by the system's strict trust on its behalf.
        case blocked
        /// Any other error.
        case failed
        /// An answer arrived, with any status.
        case allowed
        /// The log does not show its end.
        case unknown
    }

    /// The kind of file it was read from. Raw values are stored and shown.
    public enum Source: String, Sendable, Hashable, CaseIterable {
        case device, har, nscurl
    }

    public var source = Source.device
    /// Name of the log.
    public var log: String
    /// The load's first line in the log, counted from 1.
    public var line: Int
    /// As the log prints it; nil in a bare log.
    public var time: String?
    /// The process.
    public var app: String?
    /// For example `ios18.2`, if the log contains it.
    public var system: String?
    /// `<UUID>.<number>`, or the name of nscurl's test.
    public var task: String?
    public var host: String?
    public var url: String?
    /// `http` or `https`.
    public var scheme: String?
    public var outcome = Outcome.unknown
    public var code: Int?
    /// The domain of the code: NSURLErrorDomain, kCFErrorDomainCFNetwork or AVFoundationErrorDomain; nil without a code.
    public var domain: String?
    /// Number and domain of the stream's error; domain 3 is TLS.
    public var streamCode: Int?
    public var streamDomain: Int?
    /// HTTP status of the answer.
    public var status: Int?
    /// Its messages, without their prefixes.
    public var lines: [String] = []
    public var ruling: PrintedRuling?
    /// Status of `System Trust Evaluation`; that this marks strict trust is inferred.
    public var systemTrust: Int?
    /// Whether a delegate of the app provided a credential; nil if the log does not show it.
    public var delegate: Bool?
    public var tls: PrintedTLS?
    /// True if the system redacted the host or a part of the URL.
    public var isRedacted = false
    /// Issuer of a proxy's certificate that the device saw instead of the origin's.
    public var proxied: String?
}
