public import Records
public import Reporting
import Synchronization
import Text

/// The live data for browsers. A sink that never fails and never waits. Browsers fetch the changes since their last
/// visit, so a browser that never reads causes no extra cost.
public final class LiveFeed: RecordSink {
    public let name = "page"
    private let board: Mutex<LiveBoard>
    private let rows: Int
    private let sent = Mutex<SentChanges?>(nil)

    /// The last event that was sent. Most other streams are at the same cursor and get the same bytes.
    private struct SentChanges {
        let from: Cursor
        let to: Cursor
        let text: [UInt8]
    }

    public init(_ limits: FeedLimits = FeedLimits()) {
        board = Mutex(LiveBoard(limits))
        rows = limits.rows
    }

    public func write(_ records: [LoadRecord]) { board.withLock { $0.add(records) } }

    public func close() {}

    /// Shows a notice in all browsers, including those that connect later.
    public func show(_ notice: Notice) { board.withLock { $0.add(notice) } }

    /// The position up to which a browser is up to date.
    struct Cursor: Sendable, Hashable {
        fileprivate var change = -1
        fileprivate var record = 0
    }

    /// All changes since a cursor, merged.
    struct Changes: Sendable {
        let totals: [Verdict: Int]
        /// The changed groups, complete.
        let groups: [LiveGroup]
        /// The newest loads, the newest first.
        let records: [LoadRecord]
        /// The number of new loads that are not in ``records``.
        let skipped: Int
        let ungrouped: Int
        let notices: [Notice]
    }

    /// The changes since `cursor`, which is advanced; nil if there are none.
    func changes(since cursor: inout Cursor) -> Changes? {
        let (changes, next): (Changes?, Cursor) = board.withLock { board in
            guard board.change != cursor.change else { return (nil, cursor) }
            let first = max(cursor.record, board.ring.end - rows, board.ring.start)
            let changes = Changes(
                totals: board.totals, groups: board.groups.filter { $0.change > cursor.change },
                records: (first..<board.ring.end).reversed().compactMap { board.ring[$0] },
                skipped: first - cursor.record, ungrouped: board.ungrouped,
                notices: board.notices.filter { $0.change > cursor.change }.map(\.notice))
            return (changes, Cursor(change: board.change, record: board.ring.end))
        }
        cursor = next
        return changes
    }

    /// The changes as an event, encoded only once for all streams.
    func event(since cursor: inout Cursor) -> [UInt8]? {
        let found: SentChanges? = sent.withLock { sent in
            // A new stream gets the current state, not the one that the last new stream got.
            if let sent, sent.from == cursor, cursor.change >= 0 { return sent }
            var next = cursor
            guard let changes = changes(since: &next) else { return nil }
            let text = Array("event: changes\ndata: \(changes.json.text)\n\n".utf8)
            sent = SentChanges(from: cursor, to: next, text: text)
            return sent
        }
        guard let found else { return nil }
        cursor = found.to
        return found.text
    }

    /// The record with an id, if it is still kept.
    func record(id: String) -> LoadRecord? {
        board.withLock { board in
            (board.ring.start..<board.ring.end).last { board.ring[$0]?.id == id }.flatMap { board.ring[$0] }
        }
    }

    /// All groups, in the order first seen.
    var groups: [LiveGroup] { board.withLock { $0.groups } }
}
