import Foundation
import GRDB

/// Takes the oldest loads out of a store, a few thousand at a time, so that neither the gate that records into it nor
/// another one has to wait for long.
struct StorePruning {
    let database: StoreConnection
    /// The store is a spool: what is not shipped stays, and so does what was shipped within a day.
    let isSpool: Bool
    private let counter: WorkCounter?

    /// What a step came to.
    struct Step {
        var taken = 0
        /// Of these, loads of a spool that were not shipped.
        var dropped = 0
        /// Nothing more is to go now.
        var isDone = true
    }

    /// Takes out what `retention` says, but no more than `most` loads.
    ///
    /// - Parameter now: milliseconds since 1970-01-01 UTC.
    func step(_ retention: Retention, now: Int64, most: Int = chunk) throws -> Step {
        let bound = isSpool ? try endOfShipped(now: now) : .max
        switch retention {
        case .age(let age):
            let end = try endOfOld(before: now - age.components.seconds * 1000, below: bound)
            let taken = try takeOldest(most, below: end).taken
            return Step(taken: taken, isDone: taken < most)
        case .bytes(let limit): return try step(toBytes: limit, below: bound, most: most)
        }
    }

    /// The same for a size that must not be passed, whatever goes.
    ///
    /// - Parameters:
    ///   - limit: in bytes.
    ///   - end: no load of this number or behind it goes.
    func step(toBytes limit: Int64, below end: Int64 = .max, most: Int = chunk) throws -> Step {
        let used = try usedBytes()
        guard used > limit else { return Step() }
        // About as many as are too much, so that a small store does not lose all it has.
        let share = Double(used - limit) / Double(used)
        var step = try takeOldest(min(most, max(Int(Double(try rows()) * share), fewest)), below: end)
        step.isDone = try step.taken == 0 || usedBytes() <= limit
        return step
    }

    /// All that `retention` says, at once.
    ///
    /// - Returns: how many loads were taken out.
    func prune(_ retention: Retention, now: Int64) throws -> Int {
        var count = 0
        while true {
            let step = try step(retention, now: now)
            count += step.taken
            counter?.add(step.taken)
            guard step.isDone else { continue }
            guard step.taken > 0 || count > 0 else { return 0 }
            // What only the removed loads needed may be what is still too much.
            guard try sweep(), case .bytes(let limit) = retention, try usedBytes() > limit else { return count }
        }
    }

    /// Takes out what no load needs any more: one pass over the loads.
    ///
    /// - Returns: whether there was something.
    @discardableResult
    func sweep() throws -> Bool {
        try database.write { db in
            try db.execute(sql: "DELETE FROM form WHERE id NOT IN (SELECT form FROM load)")
            guard db.changesCount > 0 else { return false }
            try Self.dropHandshakes(in: db)
            return true
        }
    }

    /// Bytes of the file that are in use.
    func usedBytes() throws -> Int64 {
        try database.look { db in
            func pragma(_ name: String) throws -> Int64 { try db.number("PRAGMA \(name)") ?? 0 }
            return try (pragma("page_count") - pragma("freelist_count")) * pragma("page_size")
        }
    }

    /// How many loads there are. To count them SQLite would go through all pages, and no step would bound that.
    private func rows() throws -> Int64 {
        try database.look { db in try db.number("SELECT sum(loads) FROM tally") ?? 0 }
    }

    /// Rows are filed as loads end, so the first one that began late enough ends the old ones. An older load behind it
    /// took long; it goes with a later pruning.
    ///
    /// - Parameter end: no row behind it is looked at, however many there are.
    private func endOfOld(before time: Int64, below end: Int64) throws -> Int64 {
        try database.look { db in
            try db.number("SELECT seq FROM load WHERE seq < ? AND time >= ? ORDER BY seq LIMIT 1", [end, time]) ?? end
        }
    }

    /// Loads before it were shipped more than a day ago: a server that was set back to yesterday gets the others again.
    private func endOfShipped(now: Int64) throws -> Int64 {
        try database.look { db in
            try min(SpoolState.read(in: db)?.shipped ?? 0, ShippedHours.last(before: now, in: db)) + 1
        }
    }

    /// Tallies are brought up to date by what went, and what recordings shared goes with their last load.
    private func takeOldest(_ count: Int, below seq: Int64) throws -> Step {
        try database.write { db in
            guard try db.number(hasOldestSQL, [seq]) == 1 else { return Step() }
            let end =
                try db.number("SELECT seq FROM load WHERE seq < ? ORDER BY seq LIMIT 1 OFFSET ?", [seq, count])
                ?? seq
            var gone: [(recording: String, verdict: String, loads: Int)] = []
            try db.forEachRow(goneSQL, [end]) { row in
                // What has no name has no tally that a report would read.
                guard let recording = try? row.text(0), let verdict = try? row.text(1) else { return true }
                gone.append((recording, verdict, Int(try row.count(2))))
                return true
            }
            try StoreNumbers.keep(in: db)
            let dropped = isSpool ? try SpoolState.countDropped(before: end, in: db) : 0
            try db.execute(sql: "DELETE FROM load WHERE seq < ?", arguments: [end])
            let step = Step(taken: db.changesCount, dropped: dropped)
            try db.execute(sql: "DELETE FROM tally WHERE \(emptySQL)")
            for (recording, verdict, loads) in gone {
                try Self.shrinkTally(recording, verdict, by: loads, from: end, in: db)
            }
            try db.execute(sql: "DELETE FROM form WHERE recording NOT IN (SELECT recording FROM tally)")
            if db.changesCount > 0 { try Self.dropHandshakes(in: db) }
            return step
        }
    }

    private static func shrinkTally(
        _ recording: String, _ verdict: String, by count: Int, from seq: Int64, in db: Database
    ) throws {
        let which: StatementArguments = [recording, verdict]
        let place = "WHERE recording = ? AND verdict = ?"
        try db.execute(sql: "UPDATE tally SET loads = loads - ? \(place)", arguments: [count] + which)
        try db.execute(sql: "DELETE FROM tally \(place) AND loads <= 0", arguments: which)
        let first = """
            SELECT seq, time FROM load WHERE seq BETWEEN ? AND (SELECT last_seq FROM tally \(place))
            AND form IN (SELECT id FROM form \(place)) ORDER BY seq LIMIT 1
            """
        let ends = try db.first(first, [seq] + which + which) { (try $0.number(0), try $0.time(1)) }
        guard let ends else { return }
        try db.execute(
            sql: "UPDATE tally SET first_seq = ?, first_time = ? \(place)", arguments: [ends.0, ends.1] + which)
    }

    /// Whoever remembers rows is told by the generation.
    static func dropHandshakes(in db: Database) throws {
        try db.execute(
            sql: """
                DELETE FROM handshake
                WHERE id NOT IN (SELECT handshake FROM form WHERE handshake IS NOT NULL)
                """)
        try StoreGeneration.rise(in: db)
    }

    /// How many loads go in one transaction, some ten milliseconds' work.
    static let chunk = 5000
    private let fewest = 50

    init(database: StoreConnection, isSpool: Bool = false, counter: WorkCounter? = nil) {
        self.database = database
        self.isSpool = isSpool
        self.counter = counter
    }
}

/// Recordings that began before all that is left, and to which nothing came.
private let emptySQL = "loads <= 0 AND last_seq < (SELECT min(seq) FROM load)"
private let hasOldestSQL = """
    SELECT EXISTS (SELECT 1 FROM load WHERE seq < ?) OR EXISTS (SELECT 1 FROM tally WHERE \(emptySQL))
    """
private let goneSQL = """
    SELECT form.recording, form.verdict, count(*) FROM load JOIN form ON form.id = load.form
    WHERE load.seq < ? GROUP BY form.recording, form.verdict
    """
