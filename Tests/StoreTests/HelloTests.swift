import ATSPolicy
import Records
import Reporting
import Samples
import Testing
import Text

@Suite("Hellos of stored loads")
struct HelloTests {
    private static func load(
        _ number: Int, _ reads: HelloReading.Kind, _ answer: HelloAnswer?, law: HelloReading.Kind? = .ats,
        from address: String? = nil
    ) -> LoadRecord {
        var record = SampleLoads.plain(number)
        var hello = RecordedHello(HelloReading(HelloContent(legacyVersion: 0x0303)), ja4: "t13d1313h2_f57a46bbacb6_0")
        (hello.reads, hello.answer, hello.law) = (reads, answer, law)
        let client = record.client
        record.client = RecordedClient(
            address: address ?? "192.0.2.1:\(1000 + number)", label: client.label, userAgent: client.userAgent,
            loader: client.loader, os: client.os
        ).showing(hello)
        return record
    }

    private static let loads = [
        load(1, .ats, .agree), load(2, .ats, .agree, from: "192.0.2.1:1001"), load(3, .notInForce, .deviceLaxer),
        load(4, .other, nil, law: nil), load(5, .ats, .agree),
    ]

    @Test("a connection's hello counts once; hosts that differ are listed", arguments: StoreKind.allCases)
    func counted(kind: StoreKind) throws {
        try kind.withStore(of: Self.loads) { reader in
            let hellos = try reader.grouped(RecordFilter(), ReportContext()).hellos
            #expect(hellos.hellos == 3 && hellos.agreeing == 2 && hellos.differs)
            let host = Self.loads[2].load.target.host
            #expect(
                hellos.lines.first
                    == "device and law agree on 2 of 3 hellos; differ: \(host) (device: ATS not in force; law: ATS in force)"
            )
            #expect(hellos.lines.last?.hasPrefix("the build on this device has ATS off for \(host)") == true)
        }
    }

    @Test("loads are selected by the reading of their hello", arguments: StoreKind.allCases)
    func selected(kind: StoreKind) throws {
        try kind.withStore(of: Self.loads) { reader in
            for (readings, count) in [([.ats], 3), ([.other, .notInForce], 2), ([.niap], 0)]
                as [(Set<HelloReading.Kind>, Int)]
            {
                var filter = RecordFilter()
                filter.hellos = readings
                var found = 0
                try reader.forEach(matching: filter) { _ in found += 1 }
                #expect(found == count)
            }
        }
    }

    @Test("reports of every kind have the comparison", arguments: [ReportFormat.text, .markdown, .json, .html])
    func reports(format: ReportFormat) throws {
        let store = try StoreSink()
        try store.write(Self.loads)
        try store.close()
        var text = ""
        try store.reader.report(as: format, of: RecordFilter(), ReportContext()) {
            text += String(decoding: $0, as: UTF8.self)
        }
        #expect(text.contains(format == .json ? "\"agree\":2" : "agree on 2 of 3 hellos"))
    }

    @Test("loads without a comparable hello have no section")
    func none() throws {
        let store = try StoreSink()
        try store.write([Self.load(1, .other, nil, law: nil), SampleLoads.plain(2)])
        try store.close()
        #expect(try store.reader.grouped(RecordFilter(), ReportContext()).hellos.lines.isEmpty)
    }
}
