import Records

/// One row of a store's loads. Valid only during the call that receives it.
package struct ScannedRow {
    package let place: StorePosition
    /// The number of its form.
    package let form: Int64
    /// In milliseconds since 1970-01-01 UTC.
    package let time: Int64
    /// Empty if no rule decided.
    package let rule: UnsafeBufferPointer<UInt8>
    package let entry: UnsafeBufferPointer<UInt8>

    package init(
        place: StorePosition, form: Int64, time: Int64, rule: UnsafeBufferPointer<UInt8>,
        entry: UnsafeBufferPointer<UInt8>
    ) {
        self.place = place
        self.form = form
        self.time = time
        self.rule = rule
        self.entry = entry
    }

    /// - Parameter row: with the columns of ``TableWalk/loads``.
    init(_ row: StoreRow) throws(StoreRow.Unreadable) {
        place = StorePosition(number: try row.number(0))
        form = try row.number(1)
        time = try row.time(2)
        rule = row.isNull(3) ? UnsafeBufferPointer(start: nil, count: 0) : try row.bytes(3)
        entry = try row.bytes(4)
    }

    /// nil if no rule decided.
    package var ruleText: String? { rule.isEmpty ? nil : String(decoding: rule, as: UTF8.self) }

    /// The load's id, with which an entry begins.
    package var id: String { String(decoding: EntryValues.value(0, of: entry), as: UTF8.self) }
}
