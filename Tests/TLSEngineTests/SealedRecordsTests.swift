import TLSEngine
import Testing

/// Observed record lengths of clients, by Tests/Conversations/record.py and the same tap with other programs: the
/// suites are TLS_AES_256_GCM_SHA384 (0x1302) and TLS_AES_128_GCM_SHA256 (0x1301).
@Suite("reactions of TLS 1.3 clients, derived from the lengths of their records")
struct SealedRecordsTests {
    /// The result for these records; the origin sends before the client's last one.
    private func state(_ lengths: [Int], suite: UInt16) -> SealedRecords.State {
        var words = SealedRecords(suite: suite)
        for (index, length) in lengths.enumerated() {
            words.read(length, originSpoke: index > 0 && index == lengths.count - 1)
        }
        return words.state
    }

    @Test(
        "each sequence of lengths is recognized",
        arguments: [
            // curl, OpenSSL: request and close_notify.
            (0x1302, [69, 100, 19], .data(records: 2)),
            // Chromium: an HTTP/1.1 request only.
            (0x1301, [53, 666], .data(records: 1)),
            // Go, Chromium, NSS: refused.
            (0x1301, [19], .alert),
            // Java: refused, with 16 bytes of padding.
            (0x1302, [35], .alert),
            // git with GnuTLS, curl with a pin: refused after their Finished.
            (0x1302, [69, 19], .finishedThenAlert),
            // Java: refused after its Finished, with padding.
            (0x1302, [85, 35], .finishedThenAlert),
            // A request of 18 bytes is as long as Java's alert, but its Finished was not padded.
            (0x1302, [69, 35], .data(records: 1)),
            // Node, wget: left without a request.
            (0x1302, [69], .finished),
            // No certificate for an origin that requests one, in one record and in two.
            (0x1301, [61, 60], .data(records: 1)), (0x1301, [25, 53], .finished),
            // A certificate, then Finished.
            (0x1302, [500, 100, 69, 40], .data(records: 1)), (0x1302, [500, 100, 19], .data(records: 1)),
            // Key updates, which prove nothing (RFC 8446 section 4.6.3).
            (0x1301, [53, 22], .finished), (0x1301, [53, 22, 19], .finishedThenAlert),
            (0x1301, [53, 60, 22], .data(records: 1)),
            // The short tag.
            (0x1305, [45, 11], .finishedThenAlert), (0x1305, [11], .alert),
        ] as [(UInt16, [Int], SealedRecords.State)])
    func told(suite: UInt16, lengths: [Int], expected: SealedRecords.State) {
        #expect(state(lengths, suite: suite) == expected)
    }

    @Test("records after early data prove nothing before the origin has answered")
    func earlyData() {
        var words = SealedRecords(suite: 0x1301)
        words.noteEarlyData()
        words.read(53, originSpoke: false)
        #expect(words.state == .shaking(records: 2))
        words.read(60, originSpoke: true)
        #expect(words.state == .data(records: 1))
    }

    @Test("an alert after early data counts as one unless more records follow")
    func earlyDataThenAlert() {
        for (suite, alert) in [(0x1301, 19), (0x1302, 19), (0x1305, 11)] as [(UInt16, Int)] {
            var words = SealedRecords(suite: suite)
            words.noteEarlyData()
            words.read(alert, originSpoke: true)
            #expect(words.state == .alert)
            var late = words
            late.read(60, originSpoke: false)
            #expect(late.state == .shaking(records: 3))
            words.read(60, originSpoke: true)
            #expect(words.state == .data(records: 1))
        }
        // Only the first record can be an alert that replaces the rest of the handshake.
        var words = SealedRecords(suite: 0x1301)
        words.noteEarlyData()
        words.read(21, originSpoke: true)
        words.read(19, originSpoke: true)
        #expect(words.state == .data(records: 2))
    }
}
