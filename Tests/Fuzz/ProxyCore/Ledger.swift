import HTTPWire
import Records

/// What a conversation was about, counted at its ends: each load that began has one record.
struct Ledger {
    /// Loads that may have been asked for twice: an origin ended, or broke off.
    var isDisturbed = false
    /// Requests may have gone by without being read: relayed bytes, frames by hand.
    var isBlurred = false
    /// A head that was not whole may count.
    var begunHeads = 0
    private var said: [UInt8] = []
    private var records = 0
    private var asked = 0
    private var reached = 0
    private var answer: [UInt8] = []

    mutating func clientSaid(_ bytes: [UInt8]) { said += bytes }

    mutating func note(_ record: LoadRecord) { records += 1 }

    /// Requests of HTTP/2 that an app has made.
    mutating func asked(by app: Peer) {
        asked += app.requests
        if app.isHostile { isBlurred = true }
    }

    /// What has reached an origin.
    mutating func heard(by peer: Peer) {
        reached += peer.requests
        if peer.isHostile { isDisturbed = true }
        reached += Self.heads(in: peer.heard, untilUpgrade: true).whole
    }

    /// Where the tunnel begins behind the answer to CONNECT, once that has come; nil also when it is a refusal.
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

    /// Heads of requests, as the gate itself reads them: CONNECT begins anew. `isAll` unless bytes are left, which may be
    /// one more that is malformed or was not ended in time, and is a load as far as it says what it asks for.
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

/// As `precondition`, but the words are shown in optimised builds, too.
func hold(_ condition: Bool, _ words: @autoclosure () -> String) {
    if !condition { fatalError(words()) }
}
