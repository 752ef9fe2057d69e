public import Records

/// A load with all that its judging again needs.
public struct RecordedLoad: Sendable {
    public let record: DecodedRecord
    /// The same for all loads that share a handshake, so that verdicts can be kept by it; nil where there was none.
    public let handshakeID: Int64?
    /// nil for a load without a handshake, and for one that a version recorded which did not keep them.
    public let handshake: RecordedHandshake?
}
