import HTTPWire
import Records

/// Counts of a conversation, taken at its ends, to check that each started load has one record.
struct Ledger {
    /// True if loads may have been sent twice, because an origin ended or broke off.
    var isDisturbed = false
    /// True if requests may have passed unread: relayed bytes, handmade frames.
    var isBlurred = false
    /// Incomplete heads that may count.
    var begunHeads = 0
    private var said: [UInt8] = []
    private var records = 0
    private var asked = 0
    private var reached = 0
    private var answer: [UInt8] = []

    mutating func clientSaid(_ bytes: [UInt8]) { said += bytes }

    mutating func note(_ record: LoadRecord) { records += 1 }

    /// Adds the HTTP/2 requests that an app has made.
    mutating func asked(by app: Peer) {
        asked += app.requests
        if app.isHostile { isBlurred = true }
    }

    /// Adds the requests that have reached an origin.
    mutating func heard(by peer: Peer) {
        reached += peer.requests
        if peer.isHostile { isDisturbed = true }
        reached += Self.heads(in: peer.heard, untilUpgrade: true).whole
    }

    /// Returns the offset where the tunnel begins after the answer to CONNECT; nil if that is incomplete or a refusal.
    mutating func endOfTunnelAnswer(in bytes: [UInt8]) -> Int? {
        answer += bytes
        guard answer.starts(with: Array("HTTP/1.1 200".utf8)) else { return nil }
        let text = Array("\r\n\r\n".utf8)
        guard answer.count >= 4, let end = (4...answer.count).first(where: { Array(answer[($0 - 4)..<$0]) == text })
        else { return nil }
        return end - (answer.count - bytes.count)
    }

    func close() {
        let heads = Self.heads(in: said, untilUpgrade: false)
        let most = asked + heads.whole + (heads.isAll ? 0 : 1) + begunHeads
        let isReadable = !isBlurred && !said.starts(with: [5]) && !Self.speaksFrames(said)
        hold(!isReadable || records <= most, "\(records) records for \(most) requests")
        hold(isDisturbed || isBlurred || records >= reached, "\(records) records, and \(reached) reached an origin")
    }

    /// Counts the heads of requests as the gate reads them; CONNECT starts a new reader. `isAll` is false if bytes are
    /// left: these may be one more head that is malformed or incomplete, and counts as a load if its target is known.
    private static func heads(in bytes: [UInt8], untilUpgrade: Bool) -> (whole: Int, isAll: Bool) {
        var reader = MessageReader.requests()
        var count = 0
        return bytes.withUnsafeBytes { bytes in
            var used = 0
            while let step = try? reader.next(in: UnsafeRawBufferPointer(rebasing: bytes[used...])) {
                used += step.consumed
                guard case .requestHead(let head)? = step.event else {
                    if step.event == nil { break }
                    continue
                }
                count += 1
                if untilUpgrade, head.fields.contains(.upgrade) { break }
                if head.method == .connect { reader = MessageReader.requests() }
            }
            return (count, used == bytes.count)
        }
    }

    private static func speaksFrames(_ bytes: [UInt8]) -> Bool {
        String(decoding: bytes, as: UTF8.self).contains("PRI * HTTP/2.0")
    }
}

/// Like `precondition`, but its message also appears in optimised builds.
func hold(_ condition: Bool, _ words: @autoclosure () -> String) {
    if !condition { fatalError(words()) }
}
