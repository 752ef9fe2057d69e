import ATSPolicy
import Foundation
import Records
import Samples
import Seeded
import Testing

@Suite("The pieces of a stored record")
struct RecordPieceTests {
    @Test("a record that is read back from its pieces is written as the same JSON", arguments: seeds)
    func pieces(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        for round in 0..<200 {
            let record = dice.record()
            var read = try decoded(record.text(.shared), .shared)
            let diagnosis = try decoded(record.text(.diagnosis), .diagnosis)
            read.diagnosis =
                record.diagnosis == nil
                ? nil
                : diagnosis.diagnosis
                    ?? RecordedDiagnosis(
                        findings: [], apple: nil, remedy: nil)
            let more = try decoded(record.text(.more), .more)
            read.recording = record.recording
            read.restore(record.handshake)
            (read.id, read.time, read.status) = (record.id, record.time, record.status)
            (read.bytesSent, read.bytesReceived, read.timing) = (
                record.bytesSent, record.bytesReceived, record.timing
            )
            read.client = read.client.connecting(from: record.client.address)
            (read.load.method, read.load.path) = (record.load.method, record.load.path)
            read.load.redirectedFrom = more.load.redirectedFrom
            read.device = more.device
            #expect(RecordJSON.text(read) == RecordJSON.text(record), "seed \(seed), round \(round)")
            #expect(record.hasMore || record.text(.more) == "{\"load\":{}}", "\(record.text(.more))")
        }
    }

    @Test("a whole record is read back from its JSON and its handshake", arguments: seeds)
    func whole(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        for round in 0..<200 {
            var record = dice.record()
            record.timing.total = max(0, record.timing.total)
            var read = try decoded(RecordJSON.text(record), .whole)
            if record.origin != nil { read.restore(record.origin?.handshake) }
            #expect(RecordJSON.text(read) == RecordJSON.text(record), "seed \(seed), round \(round)")
        }
    }

    @Test("records that share a row have the same text, and one different field makes another", arguments: seeds)
    func sharing(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        var records: [LoadRecord] = []
        for _ in 0..<20 {
            let record = dice.record()
            var other = record
            other.client = RecordedClient(copying: record.client)
            records += [record, other]
            let changed = dice.record()
            for change: (inout LoadRecord) -> Void in [
                { $0.client = changed.client }, { $0.policy = changed.policy }, { $0.origin = changed.origin },
                { $0.load.target = changed.load.target }, { $0.verdict = changed.verdict },
                { $0.refusal = changed.refusal }, { $0.shown = changed.shown }, { $0.source = changed.source },
                { $0.load.wireProtocol = changed.load.wireProtocol }, { $0.recording = changed.recording },
                { $0.via = changed.via }, { $0.removed = changed.removed }, { $0.masked = changed.masked },
            ] {
                var one = record
                change(&one)
                records.append(one)
            }
        }
        for one in records {
            for other in records where one.sharesRow(with: other) {
                #expect(one.text(.shared) == other.text(.shared) && one.handshake == other.handshake)
                #expect(one.recording == other.recording)
            }
            #expect(one.sharesRow(with: one))
        }
        // Equal content of other objects is found, too.
        for place in stride(from: 0, to: records.count, by: 15) {
            #expect(records[place].sharesRow(with: records[place + 1]))
        }
    }

    private func decoded(_ text: String, _ pieces: RecordPieces) throws -> LoadRecord {
        let decoder = JSONDecoder()
        if let key = RecordPiece.pieces { decoder.userInfo[key] = pieces }
        return try decoder.decode(RecordPiece.self, from: Data(text.utf8)).record
    }
}

extension RecordedClient {
    /// A client of another connection, alike but for its address.
    fileprivate convenience init(copying client: RecordedClient) {
        var members = client.members
        members.address = "192.0.2.99:1"
        self.init(members)
    }
}

private let seeds: [UInt64] = [1, 2, 3, 4]
