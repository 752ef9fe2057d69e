import ATSPolicy
import Foundation
import Records
import Reporting
import Samples
import Testing

@Suite("Witness reports of a store")
struct WitnessReportTests {
    @Test("reports of a store equal those of a store in memory, in every format", arguments: StoreKind.allCases)
    func ofStore(kind: StoreKind) throws {
        try kind.withStore(of: SampleLoads.witnessed) { reader in
            for format in ReportFormat.allCases {
                let expected = try format.render(SampleLoads.witnessed)
                let text = try Self.report(reader, format)
                #expect(text == expected, "\(format)")
            }
        }
    }

    @Test(
        "the summary of the run and its report have the same counts, even for equal loads",
        arguments: StoreKind.allCases)
    func sameAsTheEnd(kind: StoreKind) throws {
        var agreement = DeviceAgreement()
        // All loads share one row. The device's outcome is stored per load.
        let loads = SampleLoads.inOrder(
            (0..<300).map { number in
                let did: RecordedDevice.Outcome = number.isMultiple(of: 3) ? .accepted : .refused
                return SampleLoads.witnessedLoad(
                    "a.test", .allowed, did, "how-\(did.rawValue)", client: "192.0.2.\(number % 100):1")
            })
        for load in loads { agreement.add(load) }
        try kind.withStore(of: loads) { reader in
            let json = try JSONSerialization.jsonObject(with: Data(Self.report(reader, .json).utf8)) as? [String: Any]
            let answers = (json?["agreement"] as? [String: Any])?["answers"] as? [String: Int]
            for (answer, origins) in agreement.counts { #expect(answers?[answer.rawValue] == origins) }
            #expect(answers?.values.reduce(0, +) == 100)
        }
    }

    @Test("a filter applies to the comparison, too", arguments: StoreKind.allCases)
    func filter(kind: StoreKind) throws {
        try kind.withStore(of: SampleLoads.witnessed) { reader in
            for set in [{ $0.verdicts = [.wouldBlock] }, { $0.search = LoadSearch("safari") }]
                as [(inout RecordFilter) -> Void]
            {
                var filter = RecordFilter()
                set(&filter)
                let text = try Self.report(reader, .text, filter)
                #expect(text.contains("AGREEMENT  1 origin of 1 device, 2 connections\n"), "\(text)")
            }
        }
    }

    private static func report(
        _ reader: StoreReader, _ format: ReportFormat, _ filter: RecordFilter = RecordFilter()
    ) throws -> String {
        var text: [UInt8] = []
        try reader.report(as: format, of: filter) { text += $0 }
        return String(decoding: text, as: UTF8.self)
    }
}
