import Foundation
import GRDB
import Text

/// Deletes the oldest loads of a store, a few thousand at a time, so that no gate that records into it waits long.
struct StorePruning {
    let database: StoreConnection
    /// True if the store is a spool: loads that are not shipped stay, and so do those shipped within the last day.
    let isSpool: Bool
    private let counter: WorkCounter?

    /// The result of one step.
    struct Step {
        var taken = 0
        /// The deleted loads of a spool that were not shipped.
        var dropped = 0
        /// True if there is no more to delete now.
        var isDone = true
    }

    /// Deletes what `retention` no longer allows, but at most `most` loads.
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

    /// Deletes loads until the store is no larger than a limit.
    ///
    /// - Parameters:
    ///   - limit: in bytes.
    ///   - end: loads with this number or a higher one stay.
    func step(toBytes limit: Int64, below end: Int64 = .max, most: Int = chunk) throws -> Step {
        let used = try usedBytes()
        guard used > limit else { return Step() }
        // Only about as many as are needed, so that a small store does not lose all its loads.
        let share = Double(used - limit) / Double(used)
        var step = try takeOldest(min(most, max(Int(Double(try rows()) * share), fewest)), below: end)
        step.isDone = try step.taken == 0 || usedBytes() <= limit
        return step
    }

    /// Deletes everything that `retention` no longer allows.
    ///
    /// - Returns: the number of deleted loads.
    func prune(_ retention: Retention, now: Int64) throws -> Int {
        var count = 0
        while true {
            let step = try step(retention, now: now)
            count += step.taken
            counter?.add(step.taken)
            guard step.isDone else { continue }
            guard step.taken > 0 || count > 0 else { return 0 }
            // The rows that only deleted loads used may be what still exceeds the limit.
            guard try sweep(), case .bytes(let limit) = retention, try usedBytes() > limit else { return count }
        }
    }

    /// Deletes shared rows that no load uses.
    ///
    /// - Returns: true if there were any.
    @discardableResult
    func sweep() throws -> Bool { try database.write { try Self.dropUnusedRows(in: $0) } }

    /// Bytes of the file that are in use.
    func usedBytes() throws -> Int64 {
        try database.look { db in
            func pragma(_ name: String) throws -> Int64 { try db.number("PRAGMA \(name)") ?? 0 }
            return try (pragma("page_count") - pragma("freelist_count")) * pragma("page_size")
        }
    }

    /// The number of loads, from the tallies. Counting rows would read every page of the file, in no bounded time.
    private func rows() throws -> Int64 {
        try database.look { db in try db.number("SELECT sum(loads) FROM tally") ?? 0 }
    }

    /// The first row that is recent enough; older rows have lower numbers, because loads are stored in the order in
    /// which they end. A long load may begin earlier and have a higher number; a later pruning deletes it.
    ///
    /// - Parameter end: rows with this number or a higher one are not read.
    private func endOfOld(before time: Int64, below end: Int64) throws -> Int64 {
        try database.look { db in
            try db.number("SELECT seq FROM load WHERE seq < ? AND time >= ? ORDER BY seq LIMIT 1", [end, time]) ?? end
        }
    }

    /// Loads below it were shipped more than a day ago. A server restored from yesterday's backup receives the others
    /// again.
    private func endOfShipped(now: Int64) throws -> Int64 {
        try database.look { db in
            try min(SpoolState.read(in: db)?.shipped ?? 0, ShippedHours.last(before: now, in: db)) + 1
        }
    }

    /// Deletes the oldest loads and updates the tallies.
    private func takeOldest(_ count: Int, below seq: Int64) throws -> Step {
        try database.write { db in
            let end =
                try db.number("SELECT seq FROM load WHERE seq < ? ORDER BY seq LIMIT 1 OFFSET ?", [seq, count])
                ?? seq
            var gone: [(shared: Int64, diagnosis: Int64, loads: Int64)] = []
            try db.forEachRow(goneSQL, [end]) { row in
                gone.append((try row.number(0), try row.number(1), try row.count(2)))
                return true
            }
            guard !gone.isEmpty else {
                try Self.dropEmptyRecordings(in: db)
                return Step()
            }
            try StoreNumbers.keep(in: db)
            let dropped = isSpool ? try SpoolState.countDropped(before: end, in: db) : 0
            try db.execute(sql: "DELETE FROM load WHERE seq < ?", arguments: [end])
            let step = Step(taken: db.changesCount, dropped: dropped)
            for (shared, diagnosis, loads) in gone {
                try Self.shrinkTally(shared, diagnosis, by: loads, from: end, in: db)
            }
            try Self.dropEmptyRecordings(in: db)
            return step
        }
    }

    private static func shrinkTally(
        _ shared: Int64, _ diagnosis: Int64, by count: Int64, from seq: Int64, in db: Database
    ) throws {
        let which: StatementArguments = [shared, diagnosis]
        let place = "WHERE shared = ? AND diagnosis = ?"
        try db.execute(sql: "UPDATE tally SET loads = loads - ? \(place)", arguments: [count] + which)
        try db.execute(sql: "DELETE FROM tally \(place) AND loads <= 0", arguments: which)
        let first = """
            SELECT seq, time FROM load WHERE seq BETWEEN ? AND (SELECT last_seq FROM tally \(place))
            AND shared = ? AND diagnosis = ? ORDER BY seq LIMIT 1
            """
        let ends = try db.first(first, [seq] + which + which) { (try $0.number(0), try $0.time(1)) }
        guard let ends else { return }
        try db.execute(
            sql: "UPDATE tally SET first_seq = ?, first_time = ? \(place)", arguments: [ends.0, ends.1] + which)
    }

    /// Deletes recordings whose loads were all deleted, and those without loads that began before all remaining loads.
    private static func dropEmptyRecordings(in db: Database) throws {
        try db.execute(
            sql: """
                DELETE FROM recording WHERE name NOT IN (
                    SELECT recording FROM shared JOIN tally ON tally.shared = shared.id)
                AND (name IN (SELECT recording FROM shared)
                    OR begun < (SELECT time FROM load ORDER BY seq LIMIT 1))
                """)
    }

    /// Deletes shared rows that no load uses, and raises the generation so that caches of their numbers are dropped.
    ///
    /// - Returns: true if there were any.
    @discardableResult
    static func dropUnusedRows(in db: Database) throws -> Bool {
        try db.execute(sql: "DELETE FROM shared WHERE id NOT IN (SELECT shared FROM tally)")
        var count = db.changesCount
        try db.execute(sql: "DELETE FROM diagnosis WHERE id NOT IN (SELECT diagnosis FROM tally)")
        count += db.changesCount
        try db.execute(
            sql: "DELETE FROM handshake WHERE id NOT IN (SELECT handshake FROM shared WHERE handshake IS NOT NULL)")
        guard count + db.changesCount > 0 else { return false }
        try StoreGeneration.rise(in: db)
        return true
    }

    /// Loads per transaction, about ten milliseconds of work.
    static let chunk = 5000
    private let fewest = 50

    init(database: StoreConnection, isSpool: Bool = false, counter: WorkCounter? = nil) {
        self.database = database
        self.isSpool = isSpool
        self.counter = counter
    }
}

private let goneSQL = "SELECT shared, diagnosis, count(*) FROM load WHERE seq < ? GROUP BY shared, diagnosis"

/// How long or how much a store keeps: `30d`, `12h`, `2w`, `500MB`, `2GB`.
public enum Retention: Sendable, Hashable {
    /// Loads that began longer ago are deleted.
    case age(Duration)
    /// The oldest loads are deleted until the store is no larger.
    case bytes(Int64)

    /// Reads a whole number above 0 and a unit: `h`, `d`, `w` for hours, days and weeks; `MB`, `GB` for a million and a
    /// thousand million bytes.
    ///
    /// - Returns: nil for any other text, and for numbers that are out of range.
    public init?(_ text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), (1...1_000_000).contains(number) else { return nil }
        switch text.dropFirst(digits.count) {
        case "h": self = .age(.seconds(number * 3600))
        case "d": self = .age(.seconds(number * Day.seconds))
        case "w": self = .age(.seconds(number * 7 * Day.seconds))
        case "MB": self = .bytes(number * 1_000_000)
        case "GB": self = .bytes(number * 1_000_000_000)
        default: return nil
        }
    }
}

/// The result of freeing the disk space of deleted loads.
public enum FreedSpace: Sendable {
    /// The space was returned to the disk, or there was none.
    case returned
    /// The file keeps its size for now: another gate uses it, or the disk has no room to rewrite it.
    case kept
    /// The server keeps the space for other loads.
    case reused
}

/// The disk space of a store's file.
struct StoreSpace {
    let database: StoreConnection

    /// Rewrites the file if more than half of it is free. Otherwise free pages are simply used again.
    func giveBackIfMostlyFree() throws {
        let isMostlyFree = try database.read { db in
            let free = try db.number("PRAGMA freelist_count") ?? 0
            return try free > (db.number("PRAGMA page_count") ?? 0) / 2
        }
        if isMostlyFree { _ = try reclaimSpace() }
    }

    /// Rewrites the file without its free pages, which temporarily takes as much space as is in use
    /// (sqlite.org/lang_vacuum.html).
    ///
    /// - Returns: false if there is not enough space or another gate uses the file, which then keeps its size.
    func reclaimSpace() throws -> Bool {
        do {
            try database.writeWithoutTransaction { db in
                try db.execute(sql: "VACUUM")
                try db.checkpoint(.truncate)
            }
            return true
        } catch let error as DatabaseError where error.resultCode.isAboutRoom {
            return false
        }
    }
}

extension ResultCode {
    /// True if the disk is full or another gate uses the file: the store itself is intact.
    fileprivate var isAboutRoom: Bool { self == .SQLITE_FULL || self == .SQLITE_BUSY || self == .SQLITE_LOCKED }
}

/// Checks the size of a store regularly: prunes it if it has a retention, and notifies people otherwise. A spool keeps
/// shipped loads for a day, and others until it reaches its limit.
///
/// While a gate records, each check deletes at most a few thousand loads, so that no batch waits long, but more than
/// were added since the last check, so that the store stays within its limit.
struct SizeWatch {
    let path: String
    let retention: Retention?
    /// In bytes; nil if the store is not a spool.
    let spoolLimit: Int64?
    let onNotice: @Sendable (String) -> Void
    private var filed = 0
    /// In milliseconds since 1970-01-01 UTC.
    private var nextLook: Int64?
    /// Loads deleted since the current pruning began; nil if none is under way.
    private var taken: Int?
    /// Dropped loads that were not reported yet, and the earliest time to report them.
    private var unreported = (dropped: 0, until: Int64.min)
    /// The size in bytes at which the next notice is sent.
    private var nextNotice = largeStoreBytes

    init(
        path: String, retention: Retention?, spoolLimit: Int64? = nil, onNotice: @escaping @Sendable (String) -> Void
    ) {
        self.path = path
        self.retention = retention
        self.spoolLimit = spoolLimit
        self.onNotice = onNotice
    }

    /// Checks the store, at intervals; most calls only count. If it cannot be pruned now, because another gate uses it
    /// or the disk is full, the next check tries again: recording has priority.
    ///
    /// - Parameters:
    ///   - count: loads stored since the last call; 0 if the store was just opened.
    ///   - now: milliseconds since 1970-01-01 UTC.
    mutating func look(at database: StoreConnection, filed count: Int, now: Int64) {
        filed += count
        guard taken != nil || nextLook.map({ now >= $0 }) ?? true || filed >= filedBetweenLooks else { return }
        let isOpening = nextLook == nil
        do {
            let pruning = StorePruning(database: database, isSpool: spoolLimit != nil)
            if let retention = retention ?? (spoolLimit == nil ? nil : .age(.seconds(0))) {
                try prune(pruning, retention.kept(isOpening: isOpening, taken != nil), now)
            }
            if let spoolLimit {
                try drop(from: pruning, beyond: spoolLimit, now)
            } else if isOpening || taken == nil {
                try report(size: pruning.usedBytes())
            }
        } catch {
            onNotice("\(path) could not be pruned: \(error)")
            taken = nil
        }
        filed = 0
        nextLook = now + lookInterval
    }

    /// Prunes a newly opened store completely, and a store in use step by step.
    private mutating func prune(_ pruning: StorePruning, _ retention: Retention, _ now: Int64) throws {
        guard nextLook != nil else { return try ended(pruning, try pruning.prune(retention, now: now)) }
        let step = try pruning.step(retention, now: now, most: max(StorePruning.chunk, filed * 2))
        let total = (taken ?? 0) + step.taken
        guard step.isDone else { return taken = total }
        taken = nil
        if total > 0 { try pruning.sweep() }
        try ended(pruning, total)
    }

    /// Deletes what exceeds the limit, shipped or not: on a full disk more would be lost.
    private mutating func drop(from pruning: StorePruning, beyond limit: Int64, _ now: Int64) throws {
        while true {
            let step = try pruning.step(toBytes: limit, most: max(StorePruning.chunk, filed * 2))
            unreported.dropped += step.dropped
            if step.isDone || nextLook != nil { break }
        }
        guard now >= unreported.until else { return }
        reportDropped()
        unreported.until = now + noticeInterval
    }

    /// Reports the dropped loads that were not reported yet.
    mutating func reportDropped() {
        guard unreported.dropped > 0 else { return }
        onNotice("\(path): DROPPED \(unreported.dropped) loads that were not shipped (--spool-limit reached)")
        unreported.dropped = 0
    }

    private func ended(_ pruning: StorePruning, _ count: Int) throws {
        guard count > 0 else { return }
        try StoreSpace(database: pruning.database).giveBackIfMostlyFree()
        if retention != nil { onNotice("\(path): deleted \(count) old loads (--keep)") }
    }

    private mutating func report(size: Int64) {
        guard size >= nextNotice else { return }
        nextNotice = size * 2
        onNotice("\(path) holds \(size / 1_000_000) MB of records; to limit it, use --keep 30d or --keep 500MB")
    }
}

extension Retention {
    /// The bound for pruning. A limit in bytes is kept by starting below it and pruning for a while, so that not every
    /// batch prunes. The rest leaves room for the log.
    fileprivate func kept(isOpening: Bool, _ isUnderWay: Bool) -> Retention {
        guard case .bytes(let limit) = self else { return self }
        return .bytes(limit / 100 * (isOpening || isUnderWay ? 80 : 90))
    }
}

/// The size from which a notice is sent.
private let largeStoreBytes: Int64 = 1_000_000_000
private let filedBetweenLooks = 1000
/// The time between two notices about dropped loads, in milliseconds. A spool at its limit drops some at each check.
private let noticeInterval: Int64 = 5_000
/// Ten minutes, in milliseconds.
private let lookInterval: Int64 = 600_000
