/// Loads that the rules cannot distinguish: the same kind of client, the same origin, handshake and verdict, for the
/// same reason.
public struct RecordedGroup: Sendable {
    /// The one that was stored first.
    public let first: RecordedLoad
    /// The deciding rule.
    public let rule: String?
    public let loads: Int
    /// When they began.
    public let span: LoadSpan
    public let urls: URLTally

    /// When the earliest began, in milliseconds since 1970-01-01 UTC.
    public var earliest: Int64 { span.first }
}
