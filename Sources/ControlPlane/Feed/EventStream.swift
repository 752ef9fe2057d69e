import NetLoop
import Records
import Text

/// What happens, as server-sent events (HTML Living Standard, section 9.2): one `changes` event at a time, four a second
/// at most, however much that is.
struct EventStream: Sendable {
    private let feed: LiveFeed
    /// Given back when the stream is over.
    private let slot: Slots.Slot
    private var cursor = LiveFeed.Cursor()
    private var isFirst = true
    private var quietBeats = 0

    init(of feed: LiveFeed, _ slot: Slots.Slot) {
        self.feed = feed
        self.slot = slot
    }

    /// What is to be told at a beat; empty for nothing. Not asked when loads come: the beat is what keeps thousands of
    /// them a second from being told one by one.
    mutating func next() -> [UInt8] {
        let event = feed.event(since: &cursor)
        if isFirst {
            isFirst = false
            // Browsers that lose the stream come back by themselves, after so long.
            return Array("retry: 2000\n\n".utf8) + (event ?? [])
        }
        quietBeats = event == nil ? quietBeats + 1 : 0
        guard quietBeats == Self.beatsToHeartbeat else { return event ?? [] }
        quietBeats = 0
        // Nothing else would tell that a browser is gone whose machine is.
        return Array(": still here\n\n".utf8)
    }

    /// Beats are the same for all streams, so that they ask for the same changes.
    static var untilNextBeat: Duration { .nanoseconds(beat - EventLoop.monotonicNanoseconds() % beat) }

    /// Nanoseconds.
    private static let beat: Int64 = 250_000_000
    private static let beatsToHeartbeat = 40
}

extension LiveFeed.Changes {
    /// One line.
    var json: JSONValue {
        .object([
            ("totals", .object(Verdict.allCases.map { ($0.rawValue, .number(totals[$0] ?? 0)) })),
            ("groups", .array(groups.map(\.json))), ("loads", .array(records.map { LoadView($0).json })),
            ("skipped", .number(skipped)), ("ungrouped", .number(ungrouped)),
            ("notices", .array(notices.map(\.json))),
        ])
    }
}

extension Notice {
    var json: JSONValue {
        .object([("kind", .string(kind.rawValue)), ("time", .number(Int(time))), ("sentence", .string(sentence))])
    }
}
