/// Loads that no law can tell apart: they asked the same client's way for the same origin, met the same handshake and
/// ended in the same way for the same reason.
public struct RecordedGroup: Sendable {
    /// The first of them filed.
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
