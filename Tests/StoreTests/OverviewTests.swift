import ATSPolicy
import Records
import Reporting
import Samples
import Testing

@Suite("Overviews of recordings")
struct OverviewTests {
    @Test("each overview has loads, hosts, rules, labels and mode, the oldest first", arguments: StoreKind.allCases)
    func overviews(kind: StoreKind) throws {
        var audited = SampleLoads.plain(50, recording: "late", verdict: .wouldBlock)
        audited.client = RecordedClient(
            address: "127.0.0.1:50123", label: "say \"hi\"", userAgent: nil, loader: .app, os: "ios26")
        let loads = [
            SampleLoads.plain(1), SampleLoads.forwardSecrecy(2), SampleLoads.plain(3), audited,
            SampleLoads.plain(60, recording: "plain"),
        ]
        try kind.withStore(of: SampleLoads.inOrder(loads)) { reader in
            let overviews = try reader.overviews(withSizes: true)
            #expect(overviews.map(\.name) == ["nightly", "late", "plain"])
            #expect(overviews.map(\.loads) == [3, 1, 1])
            #expect(overviews.map(\.hosts) == [2, 1, 1])
            #expect(overviews.map(\.modes) == [[.enforce], [.audit], []])
            #expect(overviews.map(\.labels) == [[], ["say \"hi\""], []])
            #expect(overviews.allSatisfy { $0.policies == ["App/Info.plist (test.lab.demo)"] })
            #expect(overviews.allSatisfy { $0.systems == ["ios26"] && $0.bytes ?? 0 > 50 })
            #expect(overviews[0].first == loads[0].time && overviews[0].last == loads[2].time)
            #expect(try reader.overviews(of: "late", withSizes: true) == [overviews[1]])
            #expect(try reader.overviews().allSatisfy { $0.bytes == nil })
        }
    }

    @Test("the overview of a recording without blocked loads has its mode, too", arguments: StoreKind.allCases)
    func mode(kind: StoreKind) throws {
        var load = SampleLoads.plain(1)
        load.policy = RecordedPolicy(source: nil, bundleID: nil, os: "ios26", basis: nil, mode: "audit")
        try kind.withStore(of: SampleLoads.inOrder([load])) { reader in
            let overviews = try reader.overviews()
            #expect(overviews.map(\.modes) == [[.audit]])
        }
    }

    @Test(
        "a recording without loads is listed, and a reused name is the newest", arguments: StoreKind.allCases)
    func names(kind: StoreKind) throws {
        try kind.withStore { store in
            let loads = SampleLoads.inOrder((0..<3).map { SampleLoads.plain($0, recording: $0 == 1 ? "two" : "one") })
            try store.write(Array(loads[..<2]))
            #expect(try store.reader.recordings().map(\.name) == ["one", "two"])
            try store.write(Array(loads[2...]))
            #expect(try store.reader.recordings().map(\.name) == ["two", "one"])
            try store.begin("empty")
            let empty = try #require(try store.reader.recordings().last)
            #expect(empty.name == "empty" && empty.loads == 0)
            #expect(try store.reader.overviews().map(\.loads) == [1, 2, 0])
            #expect(try store.reader.counts(recording: "empty").isEmpty)
            #expect(try store.reader.counts() == [.allowed: 3])
        }
    }
}
