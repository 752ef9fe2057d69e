import Records
import Reporting
import Samples
import TestSupport
import Testing

/// A shared store counts them in its own time slices, and only for reports.
@Suite("Start times of loads")
struct LoadSpanTests {
    @Test("merged spans equal the span of all loads, even after their slices have grown")
    func togetherInBulk() throws {
        try withFolder { folder in
            let sink = try StoreSink(path: folder + "/store.db")
            let loads = (0..<2000).map { SampleLoads.plain($0 * 700, host: $0.isMultiple(of: 3) ? "a.test" : "b.test") }
            try sink.write(loads.enumerated().map { SampleLoads.filed($1, id: SampleLoads.id($0)) })
            try sink.close()
            var spans: [LoadSpan] = []
            try StoreReader(path: folder + "/store.db").forEachGroup(matching: RecordFilter(), .whole) {
                spans.append($0.span)
            }
            #expect(spans.count == 2)
            #expect(spans.map { $0.counts.values.reduce(0, +) } == [667, 1333])
            #expect(spans.allSatisfy { $0.counts.count <= 256 && $0.counts.count > 100 })
            #expect(spans.map(\.first) == [1_770_091_506_000, 1_770_091_506_700])
            #expect(
                spans.allSatisfy { span in
                    span.counts.keys.allSatisfy { $0 >= span.first / span.slice && $0 <= span.last / span.slice }
                })
        }
    }
}
