import Bytes

/// Tells records from what is none, without reading each of them: most loads of a form say what one says that was read,
/// but for some texts and numbers.
struct RecordCheck {
    /// Of each form the last few that were read.
    private var examples = WeighedCache<Int64, [StoredRecord]>(.rows, limit: 16 << 20, count: 2048)

    /// - Parameter form: which the record was made of.
    /// - Throws: ``StoreError/unreadableRecord(id:cause:)`` for what ``DecodedRecord`` does not read.
    mutating func check(_ record: StoredRecord, form: Int64) throws(StoreError) {
        let known = examples.value(for: form) ?? []
        guard !known.contains(where: { RecordComparison.isRecord(record.json, like: $0.json) }) else { return }
        _ = try DecodedRecord(record)
        let kept = Array(known.suffix(Self.most - 1)) + [record]
        examples.keep(kept, for: form, bytes: kept.reduce(0) { $0 + $1.json.utf8.count })
    }

    /// Loads of a new connection tell more times than those of one that was there.
    private static let most = 4
}
