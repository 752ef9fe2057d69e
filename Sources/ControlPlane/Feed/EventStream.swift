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
                if !isFirst { try await Task.sleep(for: beat) }
                if let changes = feed.changes(since: &cursor) {
                    quiet = .zero
                    defer { isFirst = false }
                    // Browsers that lose the stream come back by themselves, after so long.
                    let retry = isFirst ? "retry: 2000\n" : ""
                    return Array("\(retry)event: changes\ndata: \(changes.json.text)\n\n".utf8)
                }
                isFirst = false
                quiet += beat
                if quiet >= heartbeat {
                    quiet = .zero
                    // Nothing else would tell that the browser is gone.
                    return Array(": still here\n\n".utf8)
                }
            }
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

private let beat = Duration.milliseconds(250)
private let heartbeat = Duration.seconds(10)
