import Records

/// The newest records, as many as there is room for.
struct RecordRing {
    /// Numbers of the records in the order filed, from 0 on; that of the next one.
    private(set) var end = 0
    private var records: [LoadRecord] = []
    /// Place of the oldest in `records`, once these are all in use.
    private var oldest = 0
    private var bytes = 0
    private let limit: Int
    private let limitBytes: Int

    init(limit: Int, limitBytes: Int) {
        self.limit = limit
        self.limitBytes = limitBytes
    }

    /// Number of the oldest that is still here.
    private(set) var start = 0

    mutating func append(_ record: LoadRecord) {
        bytes += record.bytes
        if end - start == records.count {
            // Full as an array; grows until the limit, then the oldest makes room.
            if records.count < limit {
                makeStraight()
                records.append(record)
            } else {
                drop()
                records[place(of: end)] = record
            }
        } else {
            records[place(of: end)] = record
        }
        end += 1
        while bytes > limitBytes, end - start > 1 { drop() }
    }

    /// nil for a number whose record is gone or has not come.
    subscript(number: Int) -> LoadRecord? {
        start..<end ~= number ? records[place(of: number)] : nil
    }

    private func place(of number: Int) -> Int { (oldest + number - start) % records.count }

    private mutating func drop() {
        bytes -= records[oldest].bytes
        oldest = (oldest + 1) % records.count
        start += 1
    }

    private mutating func makeStraight() {
        guard oldest != 0 else { return }
        records = Array(records[oldest...] + records[..<oldest])
        oldest = 0
    }
}
