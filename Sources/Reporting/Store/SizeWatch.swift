import GRDB

/// Looks after the size of a store now and then: prunes it where that was asked for, and tells people otherwise. A spool
/// keeps a day of what was shipped, and what was not until it reaches its limit.
///
/// While a gate records, a look takes out a few thousand loads at most, and more than came since the last one: the store
/// keeps its bound, and no batch waits for long.
struct SizeWatch {
    let path: String
    let retention: Retention?
    /// In bytes; nil for a store that is no spool.
    let spoolLimit: Int64?
    let onNotice: @Sendable (String) -> Void
    private var filed = 0
    /// In milliseconds since 1970-01-01 UTC.
    private var nextLook: Int64?
    /// Taken out since the pruning began that is under way; nil for none.
    private var taken: Int?
    /// Loads that were given up, and of which people were not told yet; and the earliest time to tell them.
    private var untold = (dropped: 0, until: Int64.min)
    /// The next size in bytes that people are told of.
    private var nextNotice = largeStoreBytes

    init(
        path: String, retention: Retention?, spoolLimit: Int64? = nil, onNotice: @escaping @Sendable (String) -> Void
    ) {
        self.path = path
        self.retention = retention
        self.spoolLimit = spoolLimit
        self.onNotice = onNotice
    }

    /// Most calls only count. A store that can not be pruned now, because another gate is at work or the disk is full,
    /// is left for the next time; what is recorded comes first.
    ///
    /// - Parameters:
    ///   - count: loads filed since the last call; 0 when the store was just opened.
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
                try tell(of: pruning.usedBytes())
            }
        } catch {
            onNotice("\(path) could not be pruned: \(error)")
            taken = nil
        }
        filed = 0
        nextLook = now + lookInterval
    }

    /// A store that is opened is pruned at once, one that is in use step by step.
    private mutating func prune(_ pruning: StorePruning, _ retention: Retention, _ now: Int64) throws {
        guard nextLook != nil else { return try ended(pruning, try pruning.prune(retention, now: now)) }
        let step = try pruning.step(retention, now: now, most: max(StorePruning.chunk, filed * 2))
        let total = (taken ?? 0) + step.taken
        guard step.isDone else { return taken = total }
        taken = nil
        if total > 0 { try pruning.sweep() }
        try ended(pruning, total)
    }

    /// Takes out what is too much, shipped or not: a disk that is full would lose more.
    private mutating func drop(from pruning: StorePruning, beyond limit: Int64, _ now: Int64) throws {
        while true {
            let step = try pruning.step(toBytes: limit, most: max(StorePruning.chunk, filed * 2))
            untold.dropped += step.dropped
            if step.isDone || nextLook != nil { break }
        }
        guard now >= untold.until else { return }
        tellOfDropped()
        untold.until = now + noticeInterval
    }

    /// Loads that were given up and that nobody was told of are told of now.
    mutating func tellOfDropped() {
        guard untold.dropped > 0 else { return }
        onNotice("\(path): GAVE UP \(untold.dropped) loads that were not shipped, as --spool-limit says")
        untold.dropped = 0
    }

    private func ended(_ pruning: StorePruning, _ count: Int) throws {
        guard count > 0 else { return }
        try StoreSpace(database: pruning.database).giveBackIfMostlyFree()
        if retention != nil { onNotice("\(path): took out \(count) old loads, as --keep says") }
    }

    private mutating func tell(of size: Int64) {
        guard size >= nextNotice else { return }
        nextNotice = size * 2
        onNotice("\(path) holds \(size / 1_000_000) MB of records; --keep 30d or --keep 500MB would prune it")
    }
}

extension Retention {
    /// What is pruned for: a bound in bytes is kept by beginning below it, and by going on for a while, so that not
    /// every batch prunes. The log beside the file has room in what is left.
    fileprivate func kept(isOpening: Bool, _ isUnderWay: Bool) -> Retention {
        guard case .bytes(let limit) = self else { return self }
        return .bytes(limit / 100 * (isOpening || isUnderWay ? 80 : 90))
    }
}

/// Where a store is worth a word.
private let largeStoreBytes: Int64 = 1_000_000_000
private let filedBetweenLooks = 1000
/// Between two words on loads that were given up, in milliseconds: a spool at its limit gives some up with each look.
private let noticeInterval: Int64 = 5_000
/// Ten minutes, in milliseconds.
private let lookInterval: Int64 = 600_000
