import GRDB

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
