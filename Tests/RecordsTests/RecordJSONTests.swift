import ATSPolicy
import Foundation
import Records
import Seeded
import Testing

@Suite("A record as JSON")
struct RecordJSONTests {
    @Test("an allowed load is written as exactly this line")
    func allowedLine() {
        #expect(line(SampleRecords.allowed(path: "/v1/items")) == allowedLineText)
    }

    @Test("a blocked load is written as exactly this line")
    func blockedLine() {
        #expect(line(SampleRecords.blocked()) == blockedLineText)
    }

    @Test("a record is appended, and the buffer keeps its content")
    func appends() {
        var bytes = Array("x".utf8)
        RecordJSON.append(SampleRecords.allowed(), to: &bytes)
        #expect(bytes.starts(with: Array(#"x{"schema":1,"id":"#.utf8)))
    }

    @Test("a stored handshake with an unknown suite or fault is refused")
    func unknownWords() throws {
        var facts = SampleRecords.facts
        facts.faults = [PathFault(.pathLength, at: 1)]
        let text = RecordedHandshake(facts: facts).text
        func read(_ text: String) throws -> RecordedHandshake {
            try JSONDecoder().decode(RecordedHandshake.self, from: Data(text.utf8))
        }
        #expect(try read(text).facts == facts)
        for (word, other) in [("\"1301\"", "\"13xx\""), ("\"path-length 1\"", "\"path-length\"")] {
            let changed = text.replacing(word, with: other)
            #expect(changed != text)
            #expect(throws: (any Error).self) { try read(changed) }
        }
    }

    @Test("one writer for many records writes the same as one for each, also beyond its cache of parts")
    func sharedParts() {
        var writer = RecordJSON()
        let records = (0..<300).flatMap { number in
            var record = SampleRecords.allowed(path: "/\(number)")
            record.origin = RecordedOrigin(address: "192.0.2.7:\(number)", facts: SampleRecords.facts)
            return [record, SampleRecords.blocked(), record]
        }
        for record in records {
            var bytes: [UInt8] = []
            writer.append(record, to: &bytes)
            #expect(String(decoding: bytes, as: UTF8.self) == line(record))
        }
    }

    @Test("text of any kind is one line of JSON that reads back the same", arguments: oddTexts)
    func oddText(text: String) throws {
        var record = SampleRecords.allowed(path: "/" + text)
        record.load.method = text
        record.recording = text
        let json = line(record)
        #expect(!json.utf8.contains { $0 < 0x20 })
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        let load = object?["load"] as? [String: Any]
        #expect(load?["method"] as? String == text)
        #expect(load?["url"] as? String == "https://api.lab.test/" + text)
        #expect(object?["recording"] as? String == text)
    }

    @Test("seeded random bytes, decoded as UTF-8, always read back")
    func randomBytes() throws {
        var random = SeededGenerator(seed: 9802)
        for round in 0..<500 {
            let bytes = (0..<Int(random.next() % 60)).map { _ in UInt8(truncatingIfNeeded: random.next() >> 11) }
            var record = SampleRecords.allowed()
            record.load.method = String(decoding: bytes, as: UTF8.self)
            let object = try JSONSerialization.jsonObject(with: Data(line(record).utf8)) as? [String: Any]
            let load = object?["load"] as? [String: Any]
            #expect(load?["method"] as? String == record.load.method, "seed 9802, round \(round)")
        }
    }

    @Test(
        "times are ISO 8601 in UTC, also at the ends of the calendar",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_827_696_001, "2000-02-29T12:34:56.001Z"), (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (Int64.max, "9999-12-31T23:59:59.807Z"), (Int64.min, "0000-01-01T00:00:00.192Z"),
        ])
    func times(milliseconds: Int64, text: String) {
        var record = SampleRecords.allowed()
        record.time = milliseconds
        #expect(line(record).contains(#""time":"\#(text)""#))
    }

    @Test("durations are milliseconds with three decimals; a negative one is 0, and the largest numbers fit")
    func numbers() {
        var record = SampleRecords.allowed()
        record.timing.connect = 7
        record.timing.firstByte = -5
        record.timing.total = Int64.max
        record.bytesSent = Int64.min
        let json = line(record)
        #expect(json.contains(#""connectMs":0.007,"#))
        #expect(json.contains(#""firstByteMs":0.000,"totalMs":9223372036854775.807}"#))
        #expect(json.contains(#""bytes":{"sent":-9223372036854775808,"#))
    }

    @Test("the URL of a load without a path is its origin and a slash", arguments: ["", "*", "api.lab.test:443"])
    func pathless(path: String) {
        #expect(SampleRecords.allowed(path: path).load.url == "https://api.lab.test/")
    }

    private func line(_ record: LoadRecord) -> String {
        var bytes: [UInt8] = []
        RecordJSON.append(record, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

private let oddTexts = [
    "", "\"", "\\", "quote\"back\\slash", "\u{0}\u{1}\u{1F}", "tab\tnew\nline\r", "\u{7F}\u{80}\u{2028}\u{2029}",
    "12345678\"", "1234567\\8", "é漢字🦊", "🦊\u{1B}[31m", String(decoding: [0xFF, 0x22, 0xC3, 0x28], as: UTF8.self),
    String(repeating: "plain text ", count: 40) + "\u{8}",
]
