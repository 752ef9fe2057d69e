/// Tells records from what is none, without reading each of them: most loads of a form say what one says that was read,
/// but for some texts and numbers.
struct RecordCheck {
    /// Of each form the last few that were read.
    private var examples: [Int64: [StoredRecord]] = [:]

    /// - Parameter form: which the record was made of.
    /// - Throws: ``StoreError/unreadableRecord(id:cause:)`` for what ``DecodedRecord`` does not read.
    mutating func check(_ record: StoredRecord, form: Int64) throws(StoreError) {
        let known = examples[form] ?? []
        guard !known.contains(where: { RecordComparison.isRecord(record.json, like: $0.json) }) else { return }
        _ = try DecodedRecord(record)
        examples[form] = known.suffix(Self.most - 1) + [record]
    }

    /// Loads of a new connection tell more times than those of one that was there.
    private static let most = 4
}
