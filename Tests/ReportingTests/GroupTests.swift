import ATSPolicy
import GRDB
import Records
import Reporting
import Testing

@Suite("Loads that are alike")
struct GroupTests {
    @Test("they are handed over together, in the order first met, with the earliest time and the first record")
    func groups() throws {
        try withFolder { folder in
            let sink = try StoreSink(path: folder + "/store.db")
            var loads = (0..<6).map { SampleLoads.plain(10 - $0, host: $0.isMultiple(of: 3) ? "a.test" : "b.test") }
            loads.append(SampleLoads.forwardSecrecy(3))
            loads.append(SampleLoads.plain(1, recording: "other"))
            try sink.write(loads.enumerated().map { SampleLoads.filed($1, id: "\($0)") })
            let groups = try Self.groups(folder, recording: "nightly")
            #expect(groups.map(\.first.record.id) == ["0", "1", "6"])
            #expect(groups.map(\.loads) == [2, 4, 1])
            #expect(groups.map(\.earliest) == [7, 5, 3].map { 1_770_091_506_000 + $0 })
            #expect(groups.map(\.rule) == [nil, nil, "ats.forward-secrecy"])
            #expect(groups.map { $0.first.handshake != nil } == [true, true, false])
            #expect(try Self.groups(folder, recording: nil).map(\.loads).reduce(0, +) == 8)
            #expect(try Self.groups(folder, recording: "none").isEmpty)
            let reader = try StoreReader(path: folder + "/store.db")
            var blocked = 0
            try reader.forEachGroup(recording: "nightly", verdicts: [.blocked]) { blocked += $0.loads }
            #expect(blocked == 1)
            try sink.close()
        }
    }

    /// Whatever lies beyond the year 9999 is no time.
    @Test(
        "times at the ends of the calendar are counted as others are",
        arguments: [253_402_300_799_992, 253_402_300_799_999, -253_402_300_799_999] as [Int64])
    func extremeTimes(time: Int64) throws {
        try withFolder { folder in
            let sink = try StoreSink(path: folder + "/store.db")
            try sink.write((0..<3).map { SampleLoads.filed(SampleLoads.plain($0), id: "\($0)") })
            try sink.close()
            try DatabaseQueue(path: folder + "/store.db").write { db in
                try db.execute(sql: "UPDATE load SET time = ? WHERE entry NOT LIKE '0%'", arguments: [time])
            }
            let groups = try Self.groups(folder, recording: "nightly")
            #expect(groups.map(\.loads) == [3])
            #expect(groups.map(\.span.counts.values).flatMap(\.self).reduce(0, +) == 3)
            #expect(groups.first?.span.first == time || groups.first?.span.last == time)
        }
    }

    @Test("a different deciding rule, verdict or handshake makes a group of its own")
    func differences() throws {
        try withFolder { folder in
            let sink = try StoreSink(path: folder + "/store.db")
            var other = SampleLoads.plain()
            other.origin = RecordedOrigin(address: "192.0.2.7:443", facts: nil, failure: .timeout)
            var finding = SampleLoads.plain()
            finding.diagnosis = SampleLoads.forwardSecrecy().diagnosis
            let loads = [SampleLoads.plain(), SampleLoads.plain(verdict: .failed), other, finding, SampleLoads.plain()]
            try sink.write(loads.enumerated().map { SampleLoads.filed($1, id: "\($0)") })
            #expect(try Self.groups(folder, recording: nil).map(\.loads) == [2, 1, 1, 1])
            try sink.close()
        }
    }

    @Test("what two gates recorded alike is one group, although each wrote what its loads share")
    func twoGates() throws {
        try withFolder { folder in
            let sinks = try (0..<2).map { _ in try StoreSink(path: folder + "/store.db") }
            for (number, sink) in sinks.enumerated() {
                try sink.write([SampleLoads.filed(SampleLoads.plain(number), id: "\(number)")])
                try sink.write([SampleLoads.filed(SampleLoads.forwardSecrecy(number), id: "weak \(number)")])
            }
            for sink in sinks { try sink.close() }
            let forms = try DatabaseQueue(path: folder + "/store.db").read { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM form")
            }
            #expect(forms == 4)
            let groups = try Self.groups(folder, recording: "nightly")
            #expect(groups.map(\.loads) == [2, 2])
            #expect(groups.map(\.urls.count) == [2, 2])
            #expect(groups.map(\.span.last) == [1_770_091_506_001, 1_770_091_506_001])
        }
    }

    private static func groups(_ folder: String, recording: String?) throws -> [RecordedGroup] {
        var groups: [RecordedGroup] = []
        try StoreReader(path: folder + "/store.db").forEachGroup(recording: recording) { groups.append($0) }
        return groups
    }
}
