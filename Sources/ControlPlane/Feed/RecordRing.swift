import Bytes
import Records

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
