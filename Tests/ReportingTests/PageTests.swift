import Foundation
import GRDB
import Records
import Reporting
import Samples
import Seeded
import Testing

@Suite("Pages of a store")
struct PageTests {
    @Test("a page contains exactly the rows that read back as records, whatever their values are", arguments: 0..<40)
    func recordsAloneInBulk(seed: Int) throws {
        try withFolder { folder in
            let path = folder + "/store.db"
            let sink = try StoreSink(path: path)
            try sink.write(
                (0..<60).map { number in
                    var record = SampleLoads.filed(
                        number % 9 == 8 ? SampleLoads.forwardSecrecy(number) : SampleLoads.plain(number),
                        id: "01KGH0000000000000000000\(10 + number)")
                    record.timing.total = Int64(number) * 500
                    if number % 3 == 0 { record.timing.connect = 1_000 }
                    return record
                })
            try sink.close()
            var dice = SeededGenerator(seed: UInt64(seed))
            let hasSpoiltForms = seed % 4 == 0
            try DatabaseQueue(path: path).write { db in
                if hasSpoiltForms { try Self.spoilForms(db, &dice) }
                try Self.spoilEntries(db, &dice)
            }
            let reader = try StoreReader(path: path)
            var wanted: [String] = []
            try reader.forEach(matching: RecordFilter()) { record in
                if (try? DecodedRecord(record)) != nil { wanted.append(record.json) }
            }
            #expect(wanted.count < 60 && (hasSpoiltForms || wanted.count > 5), "seed \(seed)")
            let page = try reader.page(of: RecordFilter(), limit: 100)
            #expect(page.records.map(\.json) == wanted.reversed(), "seed \(seed)")
            // A check and an import select the same rows.
            let check = try StoreCheck(path: path)
            #expect(check.recordings.reduce(0) { $0 + $1.sound } == wanted.count, "seed \(seed)")
            try StoreSink(path: folder + "/own.db").close()
            #expect(throws: StoreError.self) { try StoreEditor(path: folder + "/own.db").importRecordings(path) }
        }
    }

    /// Replaces bytes before blanks.
    private static func spoilForms(_ db: Database, _ dice: inout SeededGenerator) throws {
        for row in try Row.fetchAll(db, sql: "SELECT id, text FROM form") {
            var text = Array((row["text"] as String).utf8)
            let blanks = text.indices.filter { text[$0] == RecordForm.blank && $0 > 0 }
            guard let blank = blanks.randomElement(using: &dice) else { continue }
            text[blank - 1] = Array("\\0:,u".utf8).randomElement(using: &dice) ?? 0
            let spoilt = String(decoding: text, as: UTF8.self)
            try db.execute(sql: "UPDATE form SET text = ? WHERE id = ?", arguments: [spoilt, row["id"] as Int64])
        }
    }

    /// Replaces values of entries.
    private static func spoilEntries(_ db: Database, _ dice: inout SeededGenerator) throws {
        for row in try Row.fetchAll(db, sql: "SELECT seq, entry FROM load")
        where Int.random(in: 0..<4, using: &dice) > 0 {
            let blank = Character(Unicode.Scalar(RecordForm.blank))
            var values = (row["entry"] as String).split(separator: blank, omittingEmptySubsequences: false)
            let place = Int.random(in: 1..<values.count, using: &dice)
            values[place] = odd.randomElement(using: &dice) ?? ""
            let entry = values.joined(separator: String(blank))
            try db.execute(sql: "UPDATE load SET entry = ? WHERE seq = ?", arguments: [entry, row["seq"] as Int64])
        }
    }

    private static let odd: [Substring] = [
        "null", "1", "01", "-1", "1.5", "2.250", "1.0", "1.", ".5", "1e5", "99999999999999999999", "true", "", "x",
        "\"x\"", "\"ü\"", "\"x", "x\"", "\"\\n\"", "\"\\", "\"\u{2}\"", "[]", "[1]", "{}", "gate", "\"gate\"", "\\",
        "1,\"a\":1",
    ]
}
