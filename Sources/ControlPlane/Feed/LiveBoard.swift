import Bytes
import Records

/// The loads and notices since the start, in bounded memory.
struct LiveBoard {
    private(set) var ring: RecordRing
    private(set) var groups: [LiveGroup] = []
    private(set) var totals: [Verdict: Int] = [:]
    /// The latest notices, each with the number of its change.
    private(set) var notices: [(change: Int, notice: Notice)] = []
    /// Loads that are in no group because there was no room for another.
    private(set) var ungrouped = 0
    /// Increases with each change.
    private(set) var change = 0
    private var places: [LiveGroup.Key: Int] = [:]
    /// The groups that were used last: most new loads belong to one of them.
    private var latest: [Int] = []
    private let limits: FeedLimits
    /// The memory of the groups.
    private let budget: ByteBudget

    init(_ limits: FeedLimits) {
        self.limits = limits
        budget = ByteBudget(.page, limit: limits.groupBytes)
        ring = RecordRing(limit: limits.records, limitBytes: limits.recordBytes)
    }

    mutating func add(_ records: [LoadRecord]) {
        change += 1
        ring.append(records)
        var begin = 0
        while begin < records.count {
            let place = place(of: records[begin])
            var end = begin + 1
            // Most loads have the same key as the one before.
            if place != nil {
                while end < records.count, LiveGroup.Key.isShared(by: records[begin], records[end]) { end += 1 }
            }
            totals[records[begin].verdict, default: 0] += end - begin
            count(place, records[end - 1], times: end - begin)
            begin = end
        }
    }

    mutating func add(_ notice: Notice) {
        change += 1
        notices.append((change, notice))
        if notices.count > limits.notices { notices.removeFirst() }
    }

    private mutating func count(_ place: Int?, _ record: LoadRecord, times: Int) {
        if let place {
            let before = groups[place].bytes
            groups[place].add(record, times: times, change: change, hasRoom: budget.hasRoom(for: 0))
            budget.add(groups[place].bytes - before)
        } else {
            ungrouped += times
        }
    }

    /// The index of the group of `record`, which is created if needed; nil if there is no room for it.
    private mutating func place(of record: LoadRecord) -> Int? {
        if let known = latest.first(where: { groups[$0].key.holds(record) }) { return known }
        let key = LiveGroup.Key(record)
        let place: Int
        if let known = places[key] {
            place = known
        } else {
            guard groups.count < limits.groups, budget.hasRoom(for: 0) else { return nil }
            place = groups.count
            places[key] = place
            groups.append(LiveGroup(number: place, key: key, last: record))
            budget.add(groups[place].bytes)
        }
        if latest.count == Self.rememberedGroups { latest.removeFirst() }
        latest.append(place)
        return place
    }

    /// The number of groups that are tried before the dictionary look-up.
    private static let rememberedGroups = 8
}

/// Limits of the data that is kept for browsers.
public struct FeedLimits: Sendable {
    /// Older loads are in a store. With few of them held, their memory is reused while it is in the cache: of 20
    /// accesses a load to 1 MiB, all missed with 4,096 records and 10 with 256 (callgrind).
    public var records = 256
    public var recordBytes = 16_777_216
    public var groups = 4_096
    /// Bytes of all groups, including the diagnosis of each latest load.
    public var groupBytes = 16_777_216
    public var notices = 100
    /// Rows in one event; further loads are only counted.
    public var rows = 40

    public init() {}
}

/// An event of the gate that the user should see.
public struct Notice: Sendable, Hashable {
    /// Raw values are part of the API.
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

/// The newest records, within limits of number and memory. They stay in the batches in which they arrived, which are
/// shared with other sinks.
struct RecordRing {
    private struct Batch {
        /// The number of its first record.
        let start: Int
        let records: [LoadRecord]
        let bytes: Int
    }

    /// The number of the next record, counted from 0.
    private(set) var end = 0
    private var batches: [Batch] = []
    /// The index of the oldest batch that is kept.
    private var oldest = 0
    private var bytes: Int { budget.heldBytes }
    private let limit: Int
    private let limitBytes: Int
    private let budget: ByteBudget

    init(limit: Int, limitBytes: Int) {
        self.limit = limit
        self.limitBytes = limitBytes
        budget = ByteBudget(.page, limit: limitBytes)
    }

    /// The number of the oldest record that is kept.
    var start: Int { oldest < batches.count ? max(batches[oldest].start, end - limit) : end }

    mutating func append(_ records: [LoadRecord]) {
        guard !records.isEmpty else { return }
        let size = records.bytes
        batches.append(Batch(start: end, records: records, bytes: size))
        end += records.count
        budget.add(size)
        while batches.count - oldest > 1, bytes > limitBytes || end - batches[oldest + 1].start >= limit { drop() }
    }

    /// nil if the record was dropped or has not arrived.
    subscript(number: Int) -> LoadRecord? {
        guard start..<end ~= number else { return nil }
        var low = oldest
        var high = batches.count - 1
        while low < high {
            let middle = (low + high + 1) / 2
            if batches[middle].start <= number { low = middle } else { high = middle - 1 }
        }
        return batches[low].records[number - batches[low].start]
    }

    private mutating func drop() {
        budget.add(-batches[oldest].bytes)
        batches[oldest] = Batch(start: end, records: [], bytes: 0)
        oldest += 1
        guard oldest > Self.spareBatches, oldest * 2 > batches.count else { return }
        batches.removeFirst(oldest)
        oldest = 0
    }

    /// Free slots tolerated before compaction.
    private static let spareBatches = 64
}
