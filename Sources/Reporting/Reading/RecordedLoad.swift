public import Records

/// A load with everything that is needed to judge it again.
public struct RecordedLoad: Sendable {
    public let record: DecodedRecord
    /// The same for all loads that share a handshake, so that verdicts can be cached by it; nil if there was none.
    public let handshakeID: Int64?
    /// nil for a load without a handshake, and for records of versions that did not store them.
    public let handshake: RecordedHandshake?
}
