import ATSPolicy
import Records
import Reporting
import Testing

@Suite("Recordings at a glance")
struct OverviewTests {
    @Test("each tells its loads, hosts, law, labels and mode, the oldest first")
    func overviews() throws {
        try withFolder { folder in
            let sink = try StoreSink(path: folder + "/store.db")
            defer { try? sink.close() }
            var audited = SampleLoads.plain(50, recording: "late", verdict: .wouldBlock)
            audited.client = RecordedClient(
                address: "127.0.0.1:50123", label: "say \"hi\"", userAgent: nil, loader: .app, os: "ios26")
            audited.candidates = [
                CandidateVerdict(source: "Next.plist", verdict: .allowed, rule: nil)
            ]
            let loads = [
                SampleLoads.plain(1), SampleLoads.forwardSecrecy(2), SampleLoads.plain(3), audited,
                SampleLoads.plain(60, recording: "plain"),
            ]
            try sink.write(loads.map { SampleLoads.filed($0) })
            let overviews = try StoreReader(path: folder + "/store.db").overviews(withSizes: true)
            #expect(overviews.map(\.name) == ["nightly", "late", "plain"])
            #expect(overviews.map(\.loads) == [3, 1, 1])
            #expect(overviews.map(\.hosts) == [2, 1, 1])
            #expect(overviews.map(\.modes) == [[.enforce], [.audit], []])
            #expect(overviews.map(\.labels) == [[], ["say \"hi\""], []])
            #expect(overviews.allSatisfy { $0.policies == ["App/Info.plist (test.lab.demo)"] })
            #expect(overviews.allSatisfy { $0.systems == ["ios26"] && $0.bytes ?? 0 > 500 })
            #expect(overviews[0].first == loads[0].time && overviews[0].last == loads[2].time)
            let reader = try StoreReader(path: folder + "/store.db")
            #expect(try reader.overviews(of: "late", withSizes: true) == [overviews[1]])
            #expect(try reader.overviews().allSatisfy { $0.bytes == nil })
        }
    }

    @Test("a recording in which nothing was refused tells its mode, too")
    func mode() throws {
        try withFolder { folder in
            let sink = try StoreSink(path: folder + "/store.db")
            var load = SampleLoads.plain(1)
            load.policy = RecordedPolicy(source: nil, bundleID: nil, os: "ios26", basis: nil, mode: "audit")
            try sink.write([SampleLoads.filed(load)])
            try sink.close()
            #expect(try StoreReader(path: folder + "/store.db").overviews().map(\.modes) == [[.audit]])
        }
    }
}
