import ATSPolicy
import Records
import Reporting
import Samples
import Seeded
import Testing

@Suite("Records of a store")
struct RecordTests {
    @Test("rows read back as filed, filtered and counted, with unchanged JSON", arguments: StoreKind.allCases)
    func roundTrip(kind: StoreKind) throws {
        try kind.withStore { store in
            let filed = SampleLoads.inOrder([
                SampleLoads.plain(1, recording: "a"), SampleLoads.forwardSecrecy(2),
                SampleLoads.plain(3, recording: "a", verdict: .outside),
            ])
            try store.write(Array(filed[..<2]))
            try store.write(Array(filed[2...]))
            let reader = try store.reader
            #expect(try reader.records().texts == filed.texts)
            #expect(try reader.records(recording: "a").map(\.id) == [filed[0].id, filed[2].id])
            #expect(try reader.records(verdicts: [.blocked, .failed]).map { $0.diagnosis?.rule } == [.forwardSecrecy])
            #expect(try reader.records(recording: "none").isEmpty)
            #expect(try reader.counts() == [.allowed: 1, .blocked: 1, .outside: 1])
            #expect(try reader.counts(recording: "nightly") == [.blocked: 1])
            #expect(try reader.recordings().map(\.name) == ["nightly", "a"])
            #expect(try reader.recordings().last?.loads == 2)
        }
    }

    @Test(
        "a reader can stop in the middle of a recording, and the store still works", arguments: StoreKind.allCases)
    func streams(kind: StoreKind) throws {
        try kind.withStore(of: SampleLoads.inOrder((0..<1000).map { SampleLoads.plain($0) })) { reader in
            struct Enough: Error {}
            var seen = 0
            #expect(throws: Enough.self) {
                try reader.forEach(matching: RecordFilter()) { _ in
                    seen += 1
                    if seen == 10 { throw Enough() }
                }
            }
            #expect(seen == 10)
            let all = try reader.records(recording: "nightly")
            #expect(all.count == 1000)
        }
    }

    @Test(
        "records of any content read back unchanged",
        arguments: StoreKind.allCases, [9802, 1022, .random(in: .min ... .max)] as [UInt64])
    func generated(kind: StoreKind, seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let records = SampleLoads.inOrder(
            // Most generated records have U+0000 somewhere.
            (0..<(kind == .file ? 100 : 400)).map { number in
                var record = dice.record()
                // Each day of a shared store is a table.
                if kind == .shared { record.time = SampleLoads.plain(number).time }
                return record
            })
        let kept = kind == .file ? records : records.filter(Self.isShippable)
        #expect(!kept.isEmpty, "seed \(seed)")
        try kind.withStore(of: records) { reader in
            let read = try reader.records()
            #expect(read.count == kept.count, "seed \(seed)")
            for (row, record) in zip(read, kept) {
                #expect(RecordJSON.text(row) == RecordJSON.text(record), "seed \(seed)")
                #expect(row.handshake == record.handshake, "seed \(seed)")
            }
        }
    }

    /// False for a load that stays in its spool: PostgreSQL keeps no U+0000 in its own columns. In JSON it is escaped.
    private static func isShippable(_ record: LoadRecord) -> Bool {
        let columns = [record.load.path, record.load.method, record.client.address]
        return columns.allSatisfy { !$0.utf8.contains(0) }
    }

    @Test(
        "a load is found by its id, even one filed late or imported",
        arguments: StoreKind.allCases)
    func found(kind: StoreKind) throws {
        let month: Int64 = 30 * 86_400_000
        var loads = SampleLoads.inOrder((0..<300).map { SampleLoads.plain($0) })
        for (number, madeAt) in [(100, month), (200, -month)] {
            loads[number].id = SampleLoads.id(number, madeAt: loads[number].time + madeAt)
        }
        try kind.withStore(of: loads) { reader in
            for number in [0, 1, 99, 100, 200, 299] {
                let found = try reader.record(id: loads[number].id)
                #expect(found.map { RecordJSON.text($0) } == RecordJSON.text(loads[number]), "\(number)")
                #expect(found?.handshake == loads[number].handshake, "\(number)")
            }
            for id in [SampleLoads.id(100), SampleLoads.id(999), "", "%", "load"] {
                #expect(try reader.record(id: id) == nil, "\(id)")
            }
        }
    }
}
