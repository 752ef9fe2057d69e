/// What a log says of one load.
public struct EvidenceTask: Sendable, Hashable {
    /// Raw values are shown.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// Refused by ATS, or by the system's strict trust on its behalf.
        case blocked
        /// Any other error.
        case failed
        /// An answer came, whatever its status.
        case allowed
        /// The log does not show its end.
        case unknown
    }

    /// Where it was read from. Raw values are stored and shown.
    public enum Source: String, Sendable, Hashable, CaseIterable {
        case device, har, nscurl
    }

    public var source = Source.device
    /// Name of the log, as given.
    public var log: String
    /// Its first line there, counted from 1.
    public var line: Int
    /// As the log prints it; nil in a bare log.
    public var time: String?
    /// The process.
    public var app: String?
    /// For example `ios18.2`, where the log tells it.
    public var system: String?
    /// `<UUID>.<number>`, or the name of nscurl's test.
    public var task: String?
    public var host: String?
    public var url: String?
    /// `http` or `https`.
    public var scheme: String?
    public var outcome = Outcome.unknown
    /// Of NSURLErrorDomain.
    public var code: Int?
    /// Number and domain of the stream's error; domain 3 is TLS.
    public var streamCode: Int?
    public var streamDomain: Int?
    /// HTTP status of the answer.
    public var status: Int?
    /// Its messages, without what stands before them.
    public var lines: [String] = []
    public var ruling: PrintedRuling?
    /// Status of `System Trust Evaluation`; that this marks strict trust is inferred.
    public var systemTrust: Int?
    /// A delegate of the app gave a credential; nil where the log does not tell.
    public var delegate: Bool?
    public var tls: PrintedTLS?
    /// The system hid the host or a part of the URL.
    public var isRedacted = false
    /// Issuer of the certificate of a proxy that the device saw in the origin's place.
    public var proxied: String?
}
