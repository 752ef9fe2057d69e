/// DATA that nghttp2 skips, because its stream is over, held against what the peer may have sent before it knew.
///
/// nghttp2 gives such bytes back to the connection's window at once, so that window never ends them. A stream's window
/// does: nobody gives back to it once the stream is reset, and whoever is still to hear of the reset has no more left than
/// that window (RFC 9113 sections 5.1 and 6.9). So an honest peer never exceeds what is counted here, however long the
/// way, and one that goes on for ever does.
struct SkippedData {
    /// Most that may still come on one stream: its window, and the frame in which it was reset.
    private let streamBytes: Int
    /// On their way for streams that were refused before the peer had heard of our limits.
    private let firstBytes: Int
    private let streamsOfGoAway: Int
    /// Bytes of DATA frames that were not skipped.
    private var readBytes = 0
    private var resetStreams = 0

    init(_ limits: HTTP2Limits) {
        streamBytes = max(limits.streamWindowBytes, Self.initialWindowBytes) + limits.frameBytes
        firstBytes = max(limits.effectiveConnectionWindow, Self.initialWindowBytes)
        streamsOfGoAway = limits.concurrentStreams
    }

    mutating func noteRead(_ count: Int) { readBytes &+= count }

    /// RST_STREAM of ours is written, on a stream that the peer had not ended.
    mutating func noteReset() { resetStreams += 1 }

    /// The peer may have opened as many streams as it is allowed before it hears of our GOAWAY; all are skipped.
    mutating func noteGoAway() { resetStreams += streamsOfGoAway }

    /// - Parameters:
    ///   - dataBytes: of all DATA frames that have come so far.
    ///   - openStreams: that may have been reset, with a RST_STREAM that is still to be written.
    func isTooMuch(of dataBytes: Int, openStreams: Int) -> Bool {
        dataBytes - readBytes > firstBytes + (resetStreams + openStreams) * streamBytes
    }

    /// Of a stream and of a connection until SETTINGS say otherwise (RFC 9113 section 6.9.2).
    private static let initialWindowBytes = 65_535
}
