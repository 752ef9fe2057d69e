import ATSPolicy
import Foundation
import Records
import Testing

@Suite("Values of an entry")
struct EntryValuesTests {
    @Test("each value is found by its name in the form, with and without parsing the others")
    func places() throws {
        let record = SampleRecords.blocked()
        var json = RecordJSON()
        let blanks = json.form(of: record).namedBlanks
        let names = blanks.map(\.name)
        let url = try #require(blanks.first { $0.name == "load.url" })
        #expect(String(decoding: url.beginning, as: UTF8.self) == record.load.target.origin)
        var entry: [UInt8] = []
        RecordJSON.appendEntry(of: record, to: &entry)
        entry.withUnsafeBufferPointer { entry in
            let values = EntryValues(entry)
            #expect(values.count == names.count)
            func text(_ name: String) -> String {
                let place = names.firstIndex(of: name)
                #expect(place != nil, "\(name)")
                let found = String(decoding: values[place], as: UTF8.self)
                #expect(found == String(decoding: EntryValues.value(place, of: entry), as: UTF8.self))
                return found
            }
            #expect(text("id") == record.id)
            #expect(text("load.method") == "\"\(record.load.method)\"")
            #expect(text("load.url") == record.load.path)
            #expect(text("findings").hasPrefix("[{\"rule\":"))
            #expect(text("status") == (record.status.map(String.init) ?? "null"))
            #expect(text("bytes.received") == String(record.bytesReceived))
            #expect(text("timing.totalMs").contains("."))
            #expect(text("masked") == "[]")
        }
    }

    @Test("a parsed line has names for all its values, though it lacks empty ones")
    func taken() throws {
        var line: [UInt8] = []
        RecordJSON.append(SampleRecords.blocked(), to: &line)
        var parts = RecordParts()
        let isRecord = line.withUnsafeBufferPointer { parts.take($0) }
        try #require(isRecord)
        let names = RecordForm(text: parts.form).namedBlanks.map(\.name)
        parts.entry.withUnsafeBufferPointer { entry in
            let values = EntryValues(entry)
            #expect(values.count == names.count && !names.contains(""))
            #expect(String(decoding: values[names.firstIndex(of: "status")], as: UTF8.self) == "null")
            #expect(values[names.firstIndex(of: "findings")].starts(with: Array("[{\"rule\":".utf8)))
        }
    }

    @Test("a truncated entry has empty values")
    func torn() {
        Array("id".utf8).withUnsafeBufferPointer { entry in
            #expect(EntryValues(entry).count == 1 && EntryValues(entry)[3].isEmpty && EntryValues(entry)[nil].isEmpty)
            #expect(EntryValues.value(3, of: entry).isEmpty)
        }
    }
}
