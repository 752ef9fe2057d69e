package import Records
package import Reporting

extension ReportFormat {
    /// The report of a store in memory with these loads, as of a run without a store.
    package func render(_ records: [LoadRecord], _ context: ReportContext = ReportContext()) throws -> String {
        let store = try StoreSink(limit: nil)
        try store.write(records)
        var text: [UInt8] = []
        try store.reader.report(as: self, of: RecordFilter(), context) { text += $0 }
        return String(decoding: text, as: UTF8.self)
    }
}
