import Foundation
import GRDB

/// Looks after the size of a store now and then: prunes it where that was asked for, and tells people otherwise.
struct SizeWatch {
    let path: String
    let retention: Retention?
    let onNotice: @Sendable (String) -> Void
    private var filed = 0
    private var nextLook: ContinuousClock.Instant?
    /// The next size in bytes that people are told of.
    private var nextNotice = largeStoreBytes

    init(path: String, retention: Retention?, onNotice: @escaping @Sendable (String) -> Void) {
        self.path = path
        self.retention = retention
        self.onNotice = onNotice
    }

    /// A record more or less matters little: most calls only count. A store that can not be pruned now, because another
    /// gate is at work or the disk is full, is left for the next time; what is recorded comes first.
    mutating func look(at database: DatabaseQueue, filed count: Int, now: ContinuousClock.Instant) {
        filed += count
        guard nextLook.map({ now >= $0 }) ?? true || filed >= filedBetweenLooks else { return }
        filed = 0
        nextLook = now + lookInterval
        let pruning = StorePruning(database: database)
        do {
            if let retention {
                let milliseconds = Int64(Date().timeIntervalSince1970 * 1000)
                let count = try pruning.prune(retention, now: milliseconds)
                if count > 0 { onNotice("\(path): took out \(count) old loads, as --keep says") }
            }
            let size = try pruning.usedBytes()
            guard size >= nextNotice else { return }
            nextNotice = size * 2
            onNotice("\(path) holds \(size / 1_000_000) MB of records; --keep 30d or --keep 500MB would prune it")
        } catch {
            onNotice("\(path) could not be pruned: \(error)")
        }
    }
}

/// Where a store is worth a word.
private let largeStoreBytes: Int64 = 1_000_000_000
private let filedBetweenLooks = 50_000
private let lookInterval = Duration.seconds(600)
