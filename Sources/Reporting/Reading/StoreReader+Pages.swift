public import Records

/// Some rows of a store, the newest first.
public struct StorePage: Sendable {
    public let records: [StoredRecord]
    /// The position from which to read the older rows; nil if there are none.
    public let next: StorePosition?

    public init(records: [StoredRecord], next: StorePosition?) {
        self.records = records
        self.next = next
    }
}

extension StoreReader {
    /// The newest loads that match `filter`, as stored.
    ///
    /// - Parameters:
    ///   - place: ``StorePage/next`` of the page before; nil for the first.
    ///   - limit: the number of rows on a page.
    /// - Throws: ``StoreError/unreadableRecord(id:cause:)``.
    public func page(of filter: RecordFilter, before place: StorePosition? = nil, limit: Int) throws -> StorePage {
        try read { view in
            var forms = StoredForms()
            var records: [StoredRecord] = []
            var last: StorePosition?
            var check = RecordCheck()
            let scan = try view.scan(filter, isDescending: true)
            guard limit > 0 else { return StorePage(records: [], next: nil) }
            try view.forEachRow(of: scan, behind: place) { row in
                // Throws for a row that is not a valid record, which is then left out.
                let record = try forms.record(row, in: view)
                try check.check(record, form: row.form)
                records.append(record)
                last = row.place
                return records.count < limit
            }
            return StorePage(records: records, next: records.count < limit ? nil : last)
        }
    }

    /// The load with an id, and its handshake if there was one; nil if the load does not exist. A failed search reads
    /// every row.
    public func record(id: String) throws -> (record: StoredRecord, handshake: RecordedHandshake?)? {
        try read { view in
            guard let place = try view.place(ofLoad: id) else { return nil }
            var forms = StoredForms()
            var found: (StoredRecord, RecordedHandshake?)?
            try view.forEachRow(at: [[place]]) { _, row in
                let record = try forms.record(row, in: view)
                _ = try DecodedRecord(record)
                found = (record, try forms.handshake(of: row, in: view)?.1)
            }
            return found
        }
    }
}
