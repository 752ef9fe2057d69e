import Bytes
import Records

/// The newest records, as many as there is room for. They are kept in the batches in which they came, which
/// are shared with other sinks.
struct RecordRing {
    private struct Batch {
        /// Number of its first record.
        let start: Int
        let records: [LoadRecord]
        let bytes: Int
    }

    /// Number of the record that comes next; they are counted from 0 on.
    private(set) var end = 0
    private var batches: [Batch] = []
    /// Place of the oldest batch that is kept.
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

    /// Number of the oldest that is still here.
    var start: Int { oldest < batches.count ? max(batches[oldest].start, end - limit) : end }

    mutating func append(_ records: [LoadRecord]) {
        guard !records.isEmpty else { return }
        let size = records.bytes
        batches.append(Batch(start: end, records: records, bytes: size))
        end += records.count
        budget.add(size)
        while batches.count - oldest > 1, bytes > limitBytes || end - batches[oldest + 1].start >= limit { drop() }
    }

    /// nil for a number whose record is gone or has not come.
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

    /// Empty places in front that are put up with.
    private static let spareBatches = 64
}
