import ATSPolicy
import Records
import Reporting
import Samples
import Testing

@Suite("Loads with their handshakes")
struct HandshakeTests {
    @Test("loads are returned with their handshakes, in the order filed", arguments: StoreKind.allCases)
    func rows(kind: StoreKind) throws {
        let origins = [
            RecordedOrigin(address: "a", facts: HandshakeExamples.full.facts), RecordedOrigin(address: "b", facts: nil),
            RecordedOrigin(address: "c", facts: nil, failure: .alertReceived(40), offer: HandshakeExamples.full.offer),
        ]
        let filed = SampleLoads.inOrder(
            (0..<10).map { number in
                var record = SampleLoads.plain(number)
                record.origin = number == 9 ? nil : origins[number % 3]
                return record
            })
        try kind.withStore(of: filed) { reader in
            var loads: [LoadRow] = []
            try reader.forEach(matching: RecordFilter(recording: "nightly")) { loads.append($0) }
            #expect(loads.map(\.id) == filed.map(\.id))
            for (load, record) in zip(loads, filed) {
                #expect(try load.record().handshake == record.handshake)
            }
            #expect(loads[0].handshakeNumber == loads[3].handshakeNumber)
            #expect(loads[0].handshakeNumber != loads[2].handshakeNumber)
            #expect(loads[0].handshakeNumber != nil && loads[1].handshakeNumber == nil)
        }
    }

    @Test(
        "a handshake is stored once for all connections, recordings and gates",
        arguments: StoreKind.allCases)
    func once(kind: StoreKind) throws {
        try kind.withStore { store in
            let loads = SampleLoads.inOrder(
                (0..<6).map { number in
                    var record = SampleLoads.plain(number, recording: number < 3 ? "a" : "b")
                    record.origin = RecordedOrigin(
                        address: "192.0.2.\(number % 3):443", facts: HandshakeExamples.full.facts)
                    return record
                })
            for (number, load) in loads.enumerated() { try store.write([load], gate: number / 3) }
            #expect(try store.rows(of: "handshake") == 1)
            #expect(try store.rows(of: "shared") == 6)
        }
    }

    @Test(
        "loads that differ only in fields outside the JSON have separate handshakes",
        arguments: StoreKind.allCases)
    func distinct(kind: StoreKind) throws {
        var facts = try #require(HandshakeExamples.full.facts)
        let loads = ["a.test", "b.test"].map { name in
            facts.path[0].dnsNames = [name]
            var record = SampleLoads.plain()
            record.origin = RecordedOrigin(address: nil, facts: facts)
            return record
        }
        try kind.withStore(of: SampleLoads.inOrder(loads)) { reader in
            var names: [[String]?] = []
            try reader.forEach(matching: RecordFilter()) { load in
                names.append(try load.record().handshake?.facts?.path.first?.dnsNames)
            }
            #expect(names == [["a.test"], ["b.test"]])
        }
    }
}
