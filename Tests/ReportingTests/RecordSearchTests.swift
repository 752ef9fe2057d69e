import Records
import Reporting
import Samples
import TestSupport
import Testing

@Suite("Finding a load by its id")
struct RecordSearchTests {
    @Test("each load is found among many, even one filed late by another gate, or imported")
    func foundInBulk() throws {
        try withFolder { folder in
            let sink = try StoreSink(path: folder + "/store.db")
            func write(_ numbers: some Sequence<Int>, _ recording: String) throws {
                try sink.write(
                    numbers.map { SampleLoads.filed(SampleLoads.plain($0, recording: recording), id: Self.id($0)) })
            }
            try write(20_000..<35_000, "first")
            try write(40_000..<45_000, "second")
            try write([38_000], "second")
            try write(100..<9_000, "brought")
            try sink.close()
            let reader = try StoreReader(path: folder + "/store.db")
            for number in [20_000, 20_001, 27_512, 34_999, 40_000, 44_999, 100, 5000, 8999] {
                let found = try reader.record(id: Self.id(number))
                #expect(found?.id == Self.id(number))
                #expect(found?.time == 1_770_091_506_000 + Int64(number))
            }
            #expect(try reader.record(id: Self.id(38_000))?.recording == "second")
            for id in [Self.id(0), Self.id(37_000), Self.id(99_999), "", "%", "load"] {
                #expect(try reader.record(id: id) == nil, "\(id)")
            }
        }
    }

    private static func id(_ number: Int) -> String {
        SampleLoads.id(number, madeAt: 1_770_091_506_000 + Int64(number))
    }
}
