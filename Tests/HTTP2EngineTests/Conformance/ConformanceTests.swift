import Testing

@Suite("HTTP/2 conformance")
struct ConformanceTests {
    @Test("a server reacts as the case requires, in any split of its bytes", arguments: ConformanceCase.all)
    func conformance(_ conformance: ConformanceCase) throws {
        for piece in [Int.max, 1] {
            let outcome = try conformance.outcome(piece: piece)
            #expect(outcome.meets(conformance.demand), "\(conformance.demand) by \(piece): \(outcome)")
        }
    }

    @Test("all cases of the suite exist: 44 general ones, 8 of compression, 95 of the protocol")
    func completeness() {
        let groups = Dictionary(grouping: ConformanceCase.all) { $0.section.prefix { $0 != "/" } }
        #expect(groups.mapValues(\.count) == ["generic": 44, "hpack": 8, "http2": 95])
        let names = ConformanceCase.all.map(\.testDescription)
        #expect(Set(names).count == names.count)
    }
}
