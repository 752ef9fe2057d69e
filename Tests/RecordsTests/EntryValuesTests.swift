import Foundation
import Records
import Testing

@Suite("Values of an entry")
struct EntryValuesTests {
    @Test("each is found by its name, with and without looking at the others")
    func places() throws {
        let record = SampleRecords.blocked()
        var entry: [UInt8] = []
        RecordJSON.appendEntry(of: record, to: &entry)
        entry.withUnsafeBufferPointer { entry in
            let values = EntryValues(entry)
            #expect(values.isWhole)
            func text(_ name: String) -> String {
                let place = EntryValues.Place(name)
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
            #expect(text("masked") == "[]")
        }
    }

    @Test("an entry that was cut off has empty values and says so")
    func torn() {
        let entry = Array("id".utf8)
        entry.withUnsafeBufferPointer { entry in
            #expect(!EntryValues(entry).isWhole)
            #expect(EntryValues(entry)[EntryValues.Place("status")].isEmpty)
            #expect(EntryValues.value(EntryValues.Place("status"), of: entry).isEmpty)
        }
    }
}
