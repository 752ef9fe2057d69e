import HTTPWire
import NetLoop
import Records
import Text

/// Live changes as server-sent events (HTML Living Standard, section 9.2): each `changes` event merges all changes
/// since the last, four a second at most.
struct EventStream: Sendable {
    private let feed: LiveFeed
    /// Returned when the stream ends.
    private let slot: Slots.Slot
    private var cursor = LiveFeed.Cursor()
    private var isFirst = true
    private var quietBeats = 0

    init(of feed: LiveFeed, _ slot: Slots.Slot) {
        self.feed = feed
        self.slot = slot
    }

    /// The bytes to send at a beat; empty if nothing changed. Loads do not trigger it, so that thousands of loads a
    /// second do not cause thousands of events.
    mutating func next() -> [UInt8] {
        let event = feed.event(since: &cursor)
        if isFirst {
            isFirst = false
            // The time in milliseconds after which browsers reconnect a lost stream.
            return Array("retry: 2000\n\n".utf8) + (event ?? [])
        }
        quietBeats = event == nil ? quietBeats + 1 : 0
        guard quietBeats == Self.beatsToHeartbeat else { return event ?? [] }
        quietBeats = 0
        // Without traffic, a browser whose machine has disappeared would not be noticed.
        return Array(": still here\n\n".utf8)
    }

    /// The time to the next beat, the same for all streams, so that they share the same changes.
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
            ("groups", .array(groups.map(\.json))), ("loads", .array(records.map { $0.row() })),
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

extension WebRoute {
    /// The stream of live changes.
    static func events(of feed: LiveFeed, slots: Slots) -> WebRoute {
        WebRoute(.get, "/api/v1/events", .reading, isQuick: true) { _ in
            guard let slot = slots.take() else { throw WebProblem(503, "Too many pages are open.") }
            return WebAnswer("text/event-stream", body: .events(EventStream(of: feed, slot)))
        }
    }
}
