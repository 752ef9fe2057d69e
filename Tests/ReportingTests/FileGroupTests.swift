import GRDB
import Records
import Reporting
import Samples
import TestSupport
import Testing

@Suite("Equal loads of a file")
struct FileGroupTests {
    /// A value beyond the year 9999 is not a time.
    @Test(
        "times at the ends of the calendar are counted like others",
        arguments: [253_402_300_799_992, 253_402_300_799_999, -253_402_300_799_999] as [Int64])
    func extremeTimes(time: Int64) throws {
        try withFolder { folder in
            let sink = try StoreSink(path: folder + "/store.db")
            try sink.write((0..<3).map { SampleLoads.filed(SampleLoads.plain($0)) })
            try sink.close()
            try DatabaseQueue(path: folder + "/store.db").write { db in
                try db.execute(sql: "UPDATE load SET time = ? WHERE path <> '/0'", arguments: [time])
            }
            let groups = try Self.groups(folder)
            #expect(groups.map(\.loads) == [3])
            #expect(groups.map(\.span.counts.values).flatMap(\.self).reduce(0, +) == 3)
            #expect(groups.first?.span.first == time || groups.first?.span.last == time)
        }
    }

    private static func groups(_ folder: String) throws -> [LoadGroup] {
        var groups: [LoadGroup] = []
        try StoreReader(path: folder + "/store.db").forEachGroup(matching: RecordFilter(recording: "nightly"), .whole) {
            groups.append($0)
        }
        return groups
    }
}
