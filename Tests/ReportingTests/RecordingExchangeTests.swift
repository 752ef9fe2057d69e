import ATSPolicy
import Foundation
import Records
import Reporting
import Samples
import Seeded
import TestSupport
import Testing

@Suite("Recordings as JSON lines")
struct RecordingExchangeTests {
    @Test("an imported recording has the same records, handshakes and report", arguments: seeds)
    func sameRecords(seed: UInt64) throws {
        try withFolder { folder in
            var dice = SeededGenerator(seed: seed)
            let records = (0..<60).map { number in
                var record = dice.record()
                record.id = SampleLoads.id(number)
                record.recording = "nightly"
                return record
            }
            let reader = try Self.store(of: records, at: folder + "/one.db")
            let lines = try Self.exported(reader, to: folder + "/one.jsonl")
            #expect(lines.filter { $0.hasPrefix("{\"schema\":1,") }.count == 60)
            let other = folder + "/two.db"
            try StoreSink(path: other).close()
            let taken = try StoreEditor(path: other).importRecordings(folder + "/one.jsonl")
            #expect(taken.names == ["nightly"] && taken.added == 60 && taken.known == 0)
            let read = try StoreReader(path: other).records()
            #expect(read.map { RecordJSON.text($0) } == records.map { RecordJSON.text($0) }, "seed \(seed)")
            #expect(read.map(\.handshake) == records.map(\.handshake), "seed \(seed)")
            // The file itself is read like a store.
            let exchanged = try StoreReader(path: folder + "/one.jsonl")
            #expect(try exchanged.records().map { RecordJSON.text($0) } == records.map { RecordJSON.text($0) })
            #expect(try exchanged.hosts(matching: RecordFilter()) == reader.hosts(matching: RecordFilter()))
        }
    }

    @Test("a handshake is written once, before the first record that refers to it")
    func handshakes() throws {
        try withFolder { folder in
            let loads = (0..<6).map { SampleLoads.plain($0) }
            let lines = try Self.exported(Self.store(of: loads, at: folder + "/s.db"), to: folder + "/s.jsonl")
            #expect(lines.count { $0.hasPrefix("{\"handshake\":") } == 1)
            #expect(lines[2].hasPrefix("{\"handshake\":1,\"facts\":{"))
            #expect(lines.dropFirst(3).allSatisfy { $0.hasSuffix(",\"handshake\":1}") })
        }
    }

    @Test("importing again adds no load, and a file that grew adds only its new ones")
    func again() throws {
        try withFolder { folder in
            let loads = (0..<8).map { SampleLoads.plain($0) }
            try Self.exported(Self.store(of: Array(loads.prefix(5)), at: folder + "/a.db"), to: folder + "/a.jsonl")
            try Self.exported(Self.store(of: loads, at: folder + "/b.db"), to: folder + "/b.jsonl")
            try StoreSink(path: folder + "/own.db").close()
            let editor = try StoreEditor(path: folder + "/own.db")
            #expect(try editor.importRecordings(folder + "/a.jsonl").added == 5)
            let second = try editor.importRecordings(folder + "/a.jsonl")
            #expect(second.added == 0 && second.known == 5)
            let third = try editor.importRecordings(folder + "/b.jsonl")
            #expect(third.added == 3 && third.known == 5)
            #expect(try StoreReader(path: folder + "/own.db").checkWhole() == 8)
        }
    }

    @Test("a recording of the same name with other loads is refused, and imported under another name")
    func nameTaken() throws {
        try withFolder { folder in
            try Self.exported(
                Self.store(of: [SampleLoads.plain(1)], at: folder + "/a.db"), to: folder + "/a.jsonl")
            _ = try Self.store(of: [SampleLoads.plain(2)], at: folder + "/own.db")
            let editor = try StoreEditor(path: folder + "/own.db")
            #expect(throws: StoreError.nameTaken(path: folder + "/own.db", name: "nightly")) {
                try editor.importRecordings(folder + "/a.jsonl")
            }
            #expect(try editor.importRecordings(folder + "/a.jsonl", as: "theirs").names == ["theirs"])
            let records = try StoreReader(path: folder + "/own.db").records()
            #expect(records.map(\.recording) == ["nightly", "theirs"])
            // A copy under another name has an id of its own, the same each time.
            #expect(records[1].id != SampleLoads.id(1) && records[1].id.hasPrefix(SampleLoads.id(1).prefix(12)))
            #expect(try editor.importRecordings(folder + "/a.jsonl", as: "theirs").known == 1)
        }
    }

    @Test("a bad line is an error with its number, and refuses the whole file", arguments: faults)
    func badLine(_ fault: Fault) throws {
        try withFolder { folder in
            let path = folder + "/s.jsonl"
            let loads = [SampleLoads.plain(1), SampleLoads.plain(2)]
            var lines = try Self.exported(Self.store(of: loads, at: folder + "/s.db"), to: path)
            fault.change(&lines)
            try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: false, encoding: .utf8)
            try StoreSink(path: folder + "/own.db").close()
            let expected = StoreError.badLine(path: path, line: fault.line, cause: fault.cause)
            #expect(throws: expected) { try StoreEditor(path: folder + "/own.db").importRecordings(path) }
            #expect(expected.isBadInput && expected.description == "\(path):\(fault.line): \(fault.cause)")
            #expect(try StoreReader(path: folder + "/own.db").recordings().isEmpty)
        }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let line: Int
        let cause: String
        let change: @Sendable (inout [String]) -> Void

        var testDescription: String { cause }
    }

    static let faults = [
        Fault(line: 4, cause: "it is not JSON") { $0[3] = "{" },
        Fault(line: 5, cause: "it lacks verdict") { $0[4] = $0[4].replacing("\"verdict\":\"allowed\",", with: "") },
        Fault(line: 5, cause: "verdict is damaged") { $0[4] = $0[4].replacing("\"allowed\"", with: "\"maybe\"") },
        Fault(line: 5, cause: "load.port is of another type") { $0[4] = $0[4].replacing(":443,", with: ":\"443\",") },
        Fault(line: 3, cause: "no line before it has handshake 1") {
            $0.remove(at: 2); $0.append("")
        },
        Fault(line: 1, cause: "it names version 2, but this atsgate reads 1") { $0[0] = "{\"atsgate\":2}" },
        Fault(line: 2, cause: "the name of its recording contains U+0000") {
            $0[1] = $0[1].replacing("nightly", with: "night\\u0000ly")
        },
        Fault(line: 4, cause: "its id is not a ULID") { $0[3] = $0[3].replacing(SampleLoads.id(1), with: "7") },
        Fault(line: 3, cause: "it has more than 1048576 bytes") {
            $0[2] = String(repeating: "x", count: 1_048_577)
        },
    ]

    @Test("with names masked, no name is in any line, and tokens stay equal")
    func masked() throws {
        try withFolder { folder in
            let loads = [SampleLoads.plain(1), SampleLoads.forwardSecrecy(2), SampleLoads.plain(3)]
            let reader = try Self.store(of: loads, at: folder + "/s.db")
            var text = ""
            let names = NameMask.everything(key: KeyedHash(1, 2))
            let count = try reader.export(RecordFilter(), masking: names) {
                text += String(decoding: $0, as: UTF8.self)
            }
            #expect(count == 3)
            for secret in ["lab.test", "192.0.2", "App/Info", "nightly"] { #expect(!text.contains(secret)) }
            let path = folder + "/m.jsonl"
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            let hosts = try StoreReader(path: path).records().map(\.load.target.host)
            #expect(hosts[0] == hosts[2] && hosts[0] != hosts[1] && hosts.allSatisfy { $0.hasPrefix("masked-") })
        }
    }

    private static func store(of loads: [LoadRecord], at path: String) throws -> StoreReader {
        let sink = try StoreSink(path: path)
        try sink.write(loads)
        try sink.close()
        return try StoreReader(path: path)
    }

    @discardableResult
    private static func exported(_ reader: StoreReader, to path: String) throws -> [String] {
        var text = ""
        _ = try reader.export(RecordFilter()) { text += String(decoding: $0, as: UTF8.self) }
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
    }
}

private let seeds: [UInt64] = [9802, 1022, .random(in: .min ... .max)]
