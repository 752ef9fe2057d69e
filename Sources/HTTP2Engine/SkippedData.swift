/// Compares the DATA that nghttp2 skips on closed streams with the amount that an honest peer could have sent.
///
/// nghttp2 returns skipped bytes to the connection's window immediately, so that window never stops them. A stream's
/// window does: it is not refilled once the stream is reset, and a peer that has not received the reset can send no
/// more than that window (RFC 9113 sections 5.1 and 6.9). So an honest peer never exceeds this count, however long the
/// delay, and a peer that never stops does.
struct SkippedData {
    /// The maximum number of bytes that can still arrive on one stream: its window, and the frame in which it was
    /// reset.
    private let streamBytes: Int
    /// Bytes on their way for streams that were refused before the peer received our limits.
    private let firstBytes: Int
    private let streamsOfGoAway: Int
    /// Bytes of DATA frames that were not skipped.
    private var readBytes = 0
    private var resetStreams = 0

    init(_ limits: HTTP2Limits) {
        streamBytes = max(limits.widestStreamWindow, Self.initialWindowBytes) + limits.frameBytes
        firstBytes = max(limits.widestConnectionWindow, Self.initialWindowBytes)
        streamsOfGoAway = limits.concurrentStreams
    }

    mutating func noteRead(_ count: Int) { readBytes &+= count }

    /// Counts our RST_STREAM on a stream that the peer had not ended.
    mutating func noteReset() { resetStreams += 1 }

    /// Counts the streams that the peer may open before it receives our GOAWAY; all are skipped.
    mutating func noteGoAway() { resetStreams += streamsOfGoAway }

    /// - Parameters:
    ///   - dataBytes: bytes of all DATA frames received so far.
    ///   - openStreams: streams that may have been reset, with a RST_STREAM still to be written.
    func isTooMuch(of dataBytes: Int, openStreams: Int) -> Bool {
        dataBytes - readBytes > firstBytes + (resetStreams + openStreams) * streamBytes
    }

    /// The windows of a stream and of a connection before SETTINGS change them (RFC 9113 section 6.9.2).
    private static let initialWindowBytes = 65_535
}
