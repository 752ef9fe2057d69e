import GRDB
import Records

/// How much is needed of groups.
package enum GroupDetail: Sendable {
    /// Their number of loads, and when the first and the last began.
    case ends
    /// Also the number of URLs, and of loads in each slice of time.
    case whole
}

/// A group while it is counted.
struct CountedGroup {
    struct Key: Hashable {
        let shared: Int64
        let diagnosis: Int64
    }

    let key: Key
    /// The numbers of its first and its last row.
    let first: Int64
    fileprivate(set) var last: Int64
    var loads = 0
    fileprivate(set) var span: RunningSpan
    fileprivate(set) var urls = URLTally()

    /// The groups as the tallies of a store have them, in order of first appearance.
    static func tallied(_ filter: RecordFilter, in view: StoreView) throws -> [CountedGroup] {
        var groups: [CountedGroup] = []
        let conditions = LoadConditions(filter, .sqlite)
        let sql = """
            SELECT shared, diagnosis, first_seq, last_seq, loads, first_time, last_time FROM tally
            WHERE \(conditions.sql) ORDER BY first_seq
            """
        try view.db.rows(of: view.db.makeStatement(sql: sql), conditions.arguments) { row in
            var span = RunningSpan(try row.time(5))
            span.add(try row.time(6))
            groups.append(
                CountedGroup(
                    key: Key(shared: try row.number(0), diagnosis: try row.number(1)), first: try row.number(2),
                    last: try row.number(3), loads: Int(try row.count(4)), span: span))
            return true
        }
        return groups
    }
}

/// Counts loads by shared row and diagnosis in one pass over the rows. Memory grows with the number of groups only, and
/// the work for each row costs less than SQLite's step to the next.
struct GroupScan {
    /// In order of first appearance.
    private(set) var groups: [CountedGroup] = []
    private var places: [CountedGroup.Key: Int] = [:]
    /// The group of the row before: most rows are of the same.
    private var latest: (key: CountedGroup.Key, place: Int)?

    init(_ query: LoadQuery, in view: StoreView) throws {
        guard query.filter.search.isEmpty, query.filter.devices.isEmpty else {
            try view.forEachRow(of: query) { load in
                let key = CountedGroup.Key(shared: load.columns.shared, diagnosis: load.columns.diagnosis)
                groups[place(key, load.place.number, load.time)].urls.add(load.columns.path)
                return true
            }
            return
        }
        try view.forEach("seq, shared, diagnosis, time, path", of: query) { row in
            let key = CountedGroup.Key(shared: try row.number(1), diagnosis: try row.number(2))
            let place = place(key, try row.number(0), try row.time(3))
            if !groups[place].urls.isFull { groups[place].urls.add(try row.bytes(4)[...]) }
            return true
        }
    }

    /// Counts a load, and returns the index of its group.
    private mutating func place(_ key: CountedGroup.Key, _ number: Int64, _ time: Int64) -> Int {
        let place: Int
        if let latest, latest.key == key {
            place = latest.place
        } else {
            place = places[key] ?? groups.count
            if place == groups.count {
                places[key] = place
                groups.append(CountedGroup(key: key, first: number, last: number, span: RunningSpan(time)))
            }
            latest = (key, place)
        }
        groups[place].loads += 1
        groups[place].last = number
        groups[place].span.add(time)
        return place
    }
}

/// A ``LoadSpan`` for loads that mostly began in order: counts the loads of the current slice before it adds them.
struct RunningSpan {
    private var span: LoadSpan
    /// The loads that `span` lacks; all within one slice.
    private var early: Int64
    private var late: Int64
    private var loads = 0
    /// When that slice begins and ends.
    private var begin: Int64 = 0
    private var end: Int64 = 0

    /// A span at `time` without loads: ``add(_:)`` counts them.
    init(_ time: Int64) {
        span = LoadSpan(time)
        (early, late) = (time, time)
    }

    mutating func add(_ time: Int64) {
        if time < begin || time >= end {
            settle()
            let place = LoadSpan.place(of: time, span.slice)
            begin = place.clampedTimes(span.slice)
            end = (place + 1).clampedTimes(span.slice)
            (early, late) = (time, time)
        }
        loads += 1
        early = min(early, time)
        late = max(late, time)
    }

    /// The span with all loads that were added.
    var whole: LoadSpan {
        var span = self
        span.settle()
        return span.span
    }

    private mutating func settle() {
        guard loads > 0 else { return }
        span.add(loads, between: early, and: late)
        loads = 0
    }
}

extension Int64 {
    /// The product, clamped to the range of numbers.
    fileprivate func clampedTimes(_ other: Int64) -> Int64 {
        let (product, isBeyond) = multipliedReportingOverflow(by: other)
        guard isBeyond else { return product }
        return (self < 0) == (other < 0) ? .max : .min
    }
}
