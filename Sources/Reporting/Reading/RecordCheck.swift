import Bytes

/// Checks that rows are valid records without decoding each one. Most loads of a form differ from a decoded one only in
/// some texts and numbers.
struct RecordCheck {
    /// The last few decoded records of each form.
    private var examples = WeighedCache<Int64, [StoredRecord]>(.rows, limit: 16 << 20, count: 2048)

    /// - Parameter form: the form of the record.
    /// - Throws: ``StoreError/unreadableRecord(id:cause:)`` if ``DecodedRecord`` cannot decode it.
    mutating func check(_ record: StoredRecord, form: Int64) throws(StoreError) {
        let known = examples.value(for: form) ?? []
        guard !known.contains(where: { RecordComparison.isRecord(record.json, like: $0.json) }) else { return }
        _ = try DecodedRecord(record)
        let kept = Array(known.suffix(Self.most - 1)) + [record]
        examples.keep(kept, for: form, bytes: kept.reduce(0) { $0 + $1.json.utf8.count })
    }

    /// More than one, because loads on a new connection have more timings than others.
    private static let most = 4
}
