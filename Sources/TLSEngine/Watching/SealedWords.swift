/// What a client of TLS 1.3 says behind the origin's flight, told by the lengths of its records: Finished, an alert, or
/// data.
///
/// An encrypted record is as long as what is in it, one byte for the type, and the tag (RFC 8446 section 5.2). Finished
/// is 4 bytes and as many as the suite's hash has (RFC 8446 section 4.4.4), an alert 2 (section 6): what is too short for
/// a Finished is none. Any record may be padded (RFC 8446 section 5.4); of the clients that were seen, Java's pads each
/// with 16 bytes.
public struct SealedWords: Sendable, Hashable {
    public enum Standing: Sendable, Hashable {
        case nothing
        /// A record too short for a Finished came where that should, or one of an alert's size behind early data: an
        /// alert, unless more comes.
        case alert
        /// Records of other sizes: an answer to a request for a certificate (RFC 8446 section 4.4.2), which some send in
        /// one record with their Finished, or early data (RFC 8446 section 2.3). What follows may be either side of it.
        case shaking(records: Int)
        case finished
        /// Finished, then a record of an alert's size: close_notify (RFC 8446 section 6.1), or a refusal of the app's own code.
        case finishedThenAlert
        /// Records of application data.
        case data(records: Int)
    }

    /// What was said so far.
    public private(set) var standing = Standing.nothing
    /// One byte and the tag.
    private let overhead: Int
    private let finishedBytes: Int
    /// Of each record, as that with Finished showed.
    private var padding = 0
    /// Records came that need not be of this handshake, so that no size tells where it ends.
    private var hasEarlyData = false

    /// - Parameter suite: the number of the suite that the origin chose.
    public init(suite: UInt16) {
        // TLS_AES_128_CCM_8_SHA256 has a tag of 8 bytes, all others of 16 (RFC 8446 appendix B.4, RFC 6655 section 4);
        // TLS_AES_256_GCM_SHA384 alone has the longer hash.
        overhead = (suite == 0x1305 ? 8 : 16) + 1
        finishedBytes = 4 + (suite == 0x1302 ? 48 : 32)
    }

    /// The client sent data before the origin had answered.
    public mutating func noteEarlyData() {
        hasEarlyData = true
        standing = .shaking(records: 1)
    }

    /// The next record, by its length.
    ///
    /// - Parameter originSpoke: the origin has sent something since the client's first record.
    public mutating func read(_ length: Int, originSpoke: Bool) {
        switch standing {
        case .nothing:
            if !finishes(length) {
                standing = length < finishedBytes + overhead ? .alert : .shaking(records: 1)
            }
        case .alert where hasEarlyData: standing = originSpoke ? .data(records: 1) : .shaking(records: 3)
        case .shaking where hasEarlyData && length == Self.alertBytes + overhead: standing = .alert
        case .alert: if !finishes(length) { standing = .shaking(records: 2) }
        case .shaking(let records):
            guard hasEarlyData || records >= Self.mostBeforeFinished || !finishes(length) else { return }
            standing = originSpoke ? .data(records: 1) : .shaking(records: records + 1)
        case .finished:
            if isKeyUpdate(length) { return }
            standing = length == Self.alertBytes + overhead + padding ? .finishedThenAlert : .data(records: 1)
        // Nothing comes behind an alert (RFC 8446 section 6.1): it was none.
        case .finishedThenAlert: standing = .data(records: 2)
        case .data(let records): if !isKeyUpdate(length) { standing = .data(records: records + 1) }
        }
    }

    /// Takes note of a Finished, alone or behind an empty Certificate of 8 bytes in the same record (RFC 8446 sections
    /// 4.4.2 and 5.1).
    private mutating func finishes(_ length: Int) -> Bool {
        for padding in Self.paddings where [0, 8].contains(length - finishedBytes - overhead - padding) {
            self.padding = padding
            standing = .finished
            return true
        }
        return false
    }

    /// 4 bytes of header and 1 (RFC 8446 section 4.6.3).
    private func isKeyUpdate(_ length: Int) -> Bool { length == 5 + overhead + padding }

    /// Level and number (RFC 8446 section 6).
    private static let alertBytes = 2
    /// Source: OpenJDK, sun.security.ssl.OutputRecord.t13Encrypt.
    private static let paddings = [0, 16]
    /// Certificate and CertificateVerify, in two pieces each.
    private static let mostBeforeFinished = 4
}
