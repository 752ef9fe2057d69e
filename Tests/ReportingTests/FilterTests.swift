import ATSPolicy
import Records
import Reporting
import Testing
import Text

@Suite("Which loads a report is about")
struct FilterTests {
    @Test("each condition alone picks its loads", arguments: conditions)
    func alone(_ condition: Condition) throws {
        try withStore { reader in
            var filter = RecordFilter()
            condition.set(&filter)
            var ids: [String] = []
            try reader.forEach(matching: filter) { ids.append($0.id) }
            #expect(ids == condition.ids)
            var loads = 0
            try reader.forEachGroup(matching: filter) { loads += $0.loads }
            #expect(loads == condition.ids.count)
        }
    }

    @Test(
        "a record in memory meets what its row meets; it has no number of a row",
        arguments: conditions.filter { $0.testDescription != "filed behind a row" })
    func memory(_ condition: Condition) {
        var filter = RecordFilter()
        condition.set(&filter)
        #expect(loads.filter(filter.matches).map(\.id) == condition.ids)
    }

    @Test("conditions add up")
    func together() throws {
        try withStore { reader in
            var filter = RecordFilter(recording: "nightly")
            filter.hosts = [Glob("api.*"), Glob("*kx*")]
            filter.labels = ["tv"]
            filter.since = SampleLoads.plain(2).time
            var ids: [String] = []
            try reader.forEach(matching: filter) { ids.append($0.id) }
            #expect(ids == ["3"])
        }
    }

    struct Condition: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let ids: [String]
        let set: @Sendable (inout RecordFilter) -> Void
    }

    static let conditions = [
        Condition(testDescription: "none", ids: ["1", "2", "3", "4"]) { _ in },
        Condition(testDescription: "host", ids: ["2"]) { $0.hosts = [Glob("RSA-kx.*")] },
        Condition(testDescription: "a host that looks like a set", ids: []) { $0.hosts = [Glob("[r]sa*")] },
        Condition(testDescription: "verdict", ids: ["2", "4"]) { $0.verdicts = [.blocked, .outside] },
        Condition(testDescription: "rule", ids: ["2"]) { $0.rules = [Glob("ats.*")] },
        Condition(testDescription: "every rule", ids: ["2"]) { $0.rules = [Glob("*")] },
        Condition(testDescription: "label", ids: ["3", "4"]) { $0.labels = ["tv", "say \"hi\""] },
        Condition(testDescription: "a part of a label", ids: []) { $0.labels = ["t"] },
        Condition(testDescription: "an entrance", ids: ["3"]) { $0.entrances = [.socks] },
        Condition(testDescription: "no entrance but the proxy", ids: ["1", "2"]) { $0.entrances = [.proxy] },
        Condition(testDescription: "entrances", ids: ["1", "2", "4"]) { $0.entrances = [.proxy, .wireguard] },
        Condition(testDescription: "an entrance that nobody took", ids: []) { $0.entrances = [.capture] },
        Condition(testDescription: "a device by its label", ids: ["3"]) { $0.devices = ["tv"] },
        Condition(testDescription: "a device by its address", ids: ["1", "2"]) { $0.devices = ["127.0.0.1"] },
        Condition(testDescription: "a code", ids: ["2"]) { $0.search = LoadSearch("-9802") },
        Condition(testDescription: "a code's name", ids: ["2"]) { $0.search = LoadSearch("ERRSSLfatal") },
        Condition(testDescription: "a rule", ids: ["2"]) { $0.search = LoadSearch("ats.forward") },
        Condition(testDescription: "words of different fields", ids: ["2"]) { $0.search = LoadSearch("get  rsa-kx") },
        Condition(testDescription: "a path", ids: ["4"]) { $0.search = LoadSearch("/4") },
        Condition(testDescription: "a status", ids: ["1"]) { $0.search = LoadSearch("404") },
        Condition(testDescription: "a label", ids: ["4"]) { $0.search = LoadSearch("say") },
        Condition(testDescription: "a pattern of a whole field", ids: ["2"]) { $0.search = LoadSearch("rsa*.TEST") },
        Condition(testDescription: "a pattern of less", ids: []) { $0.search = LoadSearch("sa-kx*") },
        Condition(testDescription: "what is nowhere", ids: []) { $0.search = LoadSearch("get nowhere") },
        Condition(testDescription: "since", ids: ["3", "4"]) { $0.since = SampleLoads.plain(3).time },
        Condition(testDescription: "until", ids: ["1", "2"]) { $0.until = SampleLoads.plain(3).time },
        Condition(testDescription: "filed behind a row", ids: ["3", "4"]) { $0.after = 2 },
        Condition(testDescription: "recording", ids: ["4"]) { $0.recordings = ["other"] },
        Condition(testDescription: "recordings", ids: ["1", "2", "3", "4"]) { $0.recordings = ["other", "nightly"] },
    ]

    private var loads: [LoadRecord] {
        var labelled = SampleLoads.plain(3)
        labelled.client = client(label: "tv").entering(by: .socks)
        var other = SampleLoads.plain(4, recording: "other", verdict: .outside)
        other.client = client(label: "say \"hi\"").entering(by: .wireguard)
        var missing = SampleLoads.plain(1)
        missing.status = 404
        let loads = [missing, SampleLoads.forwardSecrecy(2), labelled, other]
        return zip(1..., loads).map { SampleLoads.filed($1, id: "\($0)") }
    }

    private func withStore(_ body: (StoreReader) throws -> Void) throws {
        try withFolder { folder in
            let sink = try StoreSink(path: folder + "/store.db")
            defer { try? sink.close() }
            try sink.write(loads)
            try body(StoreReader(path: folder + "/store.db"))
        }
    }

    private func client(label: String) -> RecordedClient {
        RecordedClient(address: "127.0.0.1:50123", label: label, userAgent: nil, loader: .app, os: "ios26")
    }
}
