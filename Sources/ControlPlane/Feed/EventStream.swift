import FlyingSocks
import Records
import Text

/// What happens, as server-sent events (HTML Living Standard, section 9.2): one `changes` event at a time, four a second
/// at most, however much that is.
struct EventStream: AsyncBufferedSequence {
    typealias Element = UInt8

    let feed: LiveFeed
    /// Told once when the stream is over.
    let seat: StreamSeats.Seat

    func makeAsyncIterator() -> Iterator { Iterator(feed: feed, seat: seat) }

    struct Iterator: AsyncBufferedIteratorProtocol {
        let feed: LiveFeed
        let seat: StreamSeats.Seat
        private var cursor = LiveFeed.Cursor()
        private var isFirst = true
        private var quiet = Duration.zero

        fileprivate init(feed: LiveFeed, seat: StreamSeats.Seat) {
            self.feed = feed
            self.seat = seat
        }

        /// The sequence is taken in pieces.
        mutating func next() async throws -> UInt8? { nil }

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            while true {
                if isFirst {
                    isFirst = false
                    // Browsers that lose the stream come back by themselves, after so long.
                    return Array("retry: 2000\n\n".utf8) + (feed.event(since: &cursor) ?? [])
                }
                // Not woken by loads: the beat is what keeps thousands of them a second from being told one by one.
                try await Task.sleep(until: Self.nextBeat, clock: .continuous)
                if let event = feed.event(since: &cursor) {
                    quiet = .zero
                    return event
                }
                quiet += beat
                if quiet >= heartbeat {
                    quiet = .zero
                    // Nothing else would tell that the browser is gone.
                    return Array(": still here\n\n".utf8)
                }
            }
        }

        /// The same for all streams, so that they ask for the same changes.
        private static var nextBeat: ContinuousClock.Instant {
            let gone = ContinuousClock.now - start
            return start + beat * Int(gone / beat + 1)
        }
    }
}

extension LiveFeed.Changes {
    /// One line.
    var json: JSONValue {
        .object([
            ("totals", .object(Verdict.allCases.map { ($0.rawValue, .number(totals[$0] ?? 0)) })),
            ("groups", .array(groups.map(\.json))), ("loads", .array(records.map { LoadRow($0).json })),
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

private let start = ContinuousClock.now
private let beat = Duration.milliseconds(250)
private let heartbeat = Duration.seconds(10)
