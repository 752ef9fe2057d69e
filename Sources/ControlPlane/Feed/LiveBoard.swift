import Records

/// What has happened since the start, in so much memory and no more.
struct LiveBoard {
    private(set) var ring: RecordRing
    private(set) var groups: [LiveGroup] = []
    private(set) var totals: [Verdict: Int] = [:]
    /// The latest that people should be told, with the number of its change.
    private(set) var notices: [(change: Int, notice: Notice)] = []
    /// Loads whose group there was no room for.
    private(set) var ungrouped = 0
    /// Counts what has happened; nothing has where it is the same.
    private(set) var change = 0
    private var places: [LiveGroup.Key: Int] = [:]
    private let limits: FeedLimits

    init(_ limits: FeedLimits) {
        self.limits = limits
        ring = RecordRing(limit: limits.records, limitBytes: limits.recordBytes)
    }

    mutating func add(_ records: [LoadRecord]) {
        change += 1
        ring.append(records)
        var begin = records.startIndex
        while begin < records.endIndex {
            let key = LiveGroup.Key(records[begin])
            var end = begin + 1
            // Most loads are like the one before.
            while end < records.endIndex, key.holds(records[end]) { end += 1 }
            totals[key.verdict, default: 0] += end - begin
            count(key, records[end - 1], times: end - begin)
            begin = end
        }
    }

    mutating func add(_ notice: Notice) {
        change += 1
        notices.append((change, notice))
        if notices.count > limits.notices { notices.removeFirst() }
    }

    private mutating func count(_ key: LiveGroup.Key, _ record: LoadRecord, times: Int) {
        let place: Int
        if let known = places[key] {
            place = known
            groups[place].last = record
        } else if groups.count < limits.groups {
            place = groups.count
            places[key] = place
            groups.append(LiveGroup(number: place, key: key, last: record))
        } else {
            ungrouped += times
            return
        }
        groups[place].loads += times
        groups[place].change = change
    }
}

/// How much of what happens is kept for browsers.
public struct FeedLimits: Sendable {
    public var records = 4_096
    public var recordBytes = 16_777_216
    public var groups = 4_096
    public var notices = 100
    /// Rows that a stream of events gets at a time; of more it is told how many.
    public var rows = 40

    public init() {}
}

/// Something about the gate that people should be told.
public struct Notice: Sendable, Hashable {
    /// Raw values are shown to scripts.
    public enum Kind: String, Sendable, Hashable {
        case policy, trouble, recording
    }

    public let kind: Kind
    /// Milliseconds since 1970-01-01 UTC.
    public let time: Int64
    public let sentence: String

    public init(_ kind: Kind, time: Int64, _ sentence: String) {
        self.kind = kind
        self.time = time
        self.sentence = sentence
    }
}
