public import Records
public import Reporting
import Synchronization
import Text

/// Keeps what browsers are shown while it happens. A sink that never fails and never waits: browsers come and take
/// what has changed since they last did, so that one that never reads costs what one that reads does.
public final class LiveFeed: RecordSink {
    public let name = "page"
    private let board: Mutex<LiveBoard>
    private let rows: Int
    private let sent = Mutex<SentChanges?>(nil)

    /// What the last stream that asked was told: most others have come from the same place and get the same bytes.
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

    /// Tells browsers, now and later.
    public func tell(_ notice: Notice) { board.withLock { $0.add(notice) } }

    /// What a browser has been told.
    struct Cursor: Sendable, Hashable {
        fileprivate var change = -1
        fileprivate var record = 0
    }

    /// Everything that has changed, folded.
    struct Changes: Sendable {
        let totals: [Verdict: Int]
        /// The groups that have changed, whole.
        let groups: [LiveGroup]
        /// The newest loads, the newest first.
        let records: [LoadRecord]
        /// Loads that came besides.
        let skipped: Int
        let ungrouped: Int
        let notices: [Notice]
    }

    /// What has happened since `cursor`, which is moved on; nil for nothing.
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

    /// The same as an event of a stream, written once however many streams follow.
    func event(since cursor: inout Cursor) -> [UInt8]? {
        let found: SentChanges? = sent.withLock { sent in
            // A stream that begins is told how things stand now, not how they stood for the last one that began.
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

    /// The newest records that `matches`, the newest first.
    func newest(_ limit: Int, matches: (LoadRecord) -> Bool = { _ in true }) -> [LoadRecord] {
        var found: [LoadRecord] = []
        for record in held.reversed() where matches(record) {
            found.append(record)
            if found.count == limit { break }
        }
        return found
    }

    /// All that is kept, the oldest first.
    var held: [LoadRecord] {
        board.withLock { board in (board.ring.start..<board.ring.end).compactMap { board.ring[$0] } }
    }

    func record(id: String) -> LoadRecord? { newest(1) { $0.id == id }.first }

    /// All groups, in the order met.
    var groups: [LiveGroup] { board.withLock { $0.groups } }
}
