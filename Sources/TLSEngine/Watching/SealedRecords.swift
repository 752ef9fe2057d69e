/// Infers from record lengths what a TLS 1.3 client sends after the origin's flight: Finished, an alert, or data.
///
/// An encrypted record is as long as its content, one byte for the type, and the tag (RFC 8446 section 5.2). Finished
/// has 4 bytes plus the length of the suite's hash (RFC 8446 section 4.4.4), an alert has 2 (section 6). A shorter
/// record than that is not a Finished. Any record may be padded (RFC 8446 section 5.4); of the observed clients, Java's
/// pads each with 16 bytes.
public struct SealedRecords: Sendable, Hashable {
    public enum State: Sendable, Hashable {
        case nothing
        /// A record too short for a Finished came in its position, or one of an alert's size after early data. It is an
        /// alert unless more follows.
        case alert
        /// Records of other sizes: early data (RFC 8446 section 2.3), or an answer to a certificate request (RFC 8446
        /// section 4.4.2), which some clients send in one record with Finished. Later records may come before or after
        /// Finished.
        case shaking(records: Int)
        case finished
        /// Finished, then a record of an alert's size: close_notify (RFC 8446 section 6.1), or a rejection by the app's
        /// own code.
        case finishedThenAlert
        /// Records of application data.
        case data(records: Int)
    }

    /// The state after the records so far.
    public private(set) var state = State.nothing
    /// The bytes for the type and the tag.
    private let overhead: Int
    private let finishedBytes: Int
    /// The padding of each record, as seen in the record with Finished.
    private var padding = 0
    /// True if early data came. It may contain records of any size, so sizes no longer show where the handshake ends.
    private var hasEarlyData = false

    /// - Parameter suite: the suite that the origin chose.
    public init(suite: UInt16) {
        // TLS_AES_128_CCM_8_SHA256 has a tag of 8 bytes, all others of 16 (RFC 8446 appendix B.4, RFC 6655 section 4);
        // TLS_AES_256_GCM_SHA384 alone has the longer hash.
        overhead = (suite == 0x1305 ? 8 : 16) + 1
        finishedBytes = 4 + (suite == 0x1302 ? 48 : 32)
    }

    /// Records that the client sent data before the origin's answer.
    public mutating func noteEarlyData() {
        hasEarlyData = true
        state = .shaking(records: 1)
    }

    /// Reads the length of the next record.
    ///
    /// - Parameter originSpoke: the origin has sent data since the client's first record.
    public mutating func read(_ length: Int, originSpoke: Bool) {
        switch state {
        case .nothing:
            if !detectFinished(length) {
                state = length < finishedBytes + overhead ? .alert : .shaking(records: 1)
            }
        case .alert where hasEarlyData: state = originSpoke ? .data(records: 1) : .shaking(records: 3)
        case .shaking where hasEarlyData && length == Self.alertBytes + overhead: state = .alert
        case .alert: if !detectFinished(length) { state = .shaking(records: 2) }
        case .shaking(let records):
            guard hasEarlyData || records >= Self.mostBeforeFinished || !detectFinished(length) else { return }
            state = originSpoke ? .data(records: 1) : .shaking(records: records + 1)
        case .finished:
            if isKeyUpdate(length) { return }
            state = length == Self.alertBytes + overhead + padding ? .finishedThenAlert : .data(records: 1)
        // An alert is the last record (RFC 8446 section 6.1), so that record was not an alert.
        case .finishedThenAlert: state = .data(records: 2)
        case .data(let records): if !isKeyUpdate(length) { state = .data(records: records + 1) }
        }
    }

    /// Detects a Finished, alone or after an empty Certificate of 8 bytes in the same record (RFC 8446 sections 4.4.2
    /// and 5.1).
    private mutating func detectFinished(_ length: Int) -> Bool {
        for padding in Self.paddings where [0, 8].contains(length - finishedBytes - overhead - padding) {
            self.padding = padding
            state = .finished
            return true
        }
        return false
    }

    /// A KeyUpdate has a header of 4 bytes and 1 byte of content (RFC 8446 section 4.6.3).
    private func isKeyUpdate(_ length: Int) -> Bool { length == 5 + overhead + padding }

    /// Level and number (RFC 8446 section 6).
    private static let alertBytes = 2
    /// Source: OpenJDK, sun.security.ssl.OutputRecord.t13Encrypt.
    private static let paddings = [0, 16]
    /// Certificate and CertificateVerify, in two pieces each.
    private static let mostBeforeFinished = 4
}
