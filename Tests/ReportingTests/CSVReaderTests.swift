import ATSPolicy
import Records
import Reporting
import Samples
import SwiftCSV
import Testing

/// Checks with an independent CSV reader.
@Suite("CSV in an independent reader")
struct CSVReaderTests {
    @Test(
        "every row has every column, and text with quotes and commas reads back unchanged",
        arguments: [ReportFormat.csv, .csvLoads])
    func readsBack(format: ReportFormat) throws {
        var odd = SampleLoads.plain()
        odd.load.path = "/a,\"b\";c"
        let loads = [odd, SampleLoads.forwardSecrecy(), SampleLoads.unreachable()]
        let text = try format.render(loads)
        let table = try CSV<Named>(string: text)
        #expect(table.rows.count == 3)
        #expect(table.rows.allSatisfy { $0.count == table.header.count })
        #expect(Set(table.rows.compactMap { $0["verdict"] }) == ["allowed", "blocked", "failed"])
        #expect(table.rows.contains { $0["url"] == "https://api.lab.test/a,\"b\";c" })
    }
}
