import ATSPolicy
import Records
import Reporting
import Samples
import Testing
import Text

@Suite("Filters of reports")
struct FilterTests {
    @Test("each condition alone selects its loads, of rows and of groups", arguments: StoreKind.allCases)
    func alone(kind: StoreKind) throws {
        try kind.withStore(of: loads) { reader in
            for condition in Self.conditions {
                #expect(try ids(reader, condition.filter) == condition.loads.map { loads[$0].id }, "\(condition.name)")
                var count = 0
                try reader.forEachGroup(matching: condition.filter) { count += $0.loads }
                #expect(count == condition.loads.count, "\(condition.name)")
            }
        }
    }

    @Test("a store in memory selects the same loads", arguments: conditions)
    func memory(_ condition: Condition) throws {
        let store = try StoreSink()
        try store.write(loads)
        try store.close()
        #expect(try ids(store.reader, condition.filter) == condition.loads.map { loads[$0].id })
    }

    @Test("conditions are combined with AND", arguments: StoreKind.allCases)
    func together(kind: StoreKind) throws {
        try kind.withStore(of: loads) { reader in
            var filter = RecordFilter(recording: "nightly")
            filter.hosts = [Glob("api.*"), Glob("*kx*")]
            filter.labels = ["tv"]
            filter.since = SampleLoads.plain(2).time
            let found = try ids(reader, filter)
            #expect(found == [loads[2].id])
        }
    }

    private func ids(_ reader: StoreReader, _ filter: RecordFilter) throws -> [String] {
        var ids: [String] = []
        try reader.forEach(matching: filter) { ids.append($0.id) }
        return ids
    }

    struct Condition: Sendable, CustomTestStringConvertible {
        let name: String
        /// The indices of the loads that match.
        let loads: [Int]
        let filter: RecordFilter

        init(_ name: String, _ loads: [Int], _ set: (inout RecordFilter) -> Void) {
            var filter = RecordFilter()
            set(&filter)
            (self.name, self.loads, self.filter) = (name, loads, filter)
        }

        var testDescription: String { name }
    }

    static let conditions = [
        Condition("none", [0, 1, 2, 3]) { _ in },
        Condition("host", [1]) { $0.hosts = [Glob("RSA-kx.*")] },
        Condition("a host by its ends", [0, 2, 3]) { $0.hosts = [Glob("?PI*.test")] },
        Condition("a host with a different letter", []) { $0.hosts = [Glob("rsa.kx.*"), Glob("api_lab%")] },
        Condition("a host with too many stars", [1]) {
            $0.hosts = [Glob(String(repeating: "*", count: 500) + "-kx**.lab*")]
        },
        Condition("a host that looks like a set", []) { $0.hosts = [Glob("[r]sa*")] },
        Condition("verdict", [1, 3]) { $0.verdicts = [.blocked, .outside] },
        Condition("rule", [1]) { $0.rules = [Glob("ats.*")] },
        Condition("every rule", [1]) { $0.rules = [Glob("*")] },
        Condition("label", [2, 3]) { $0.labels = ["tv", "say \"hi\""] },
        Condition("a part of a label", []) { $0.labels = ["t"] },
        Condition("an app", [2]) { $0.apps = [Glob("my app")] },
        Condition("an app by a pattern", [2]) { $0.apps = [Glob("*A?*")] },
        Condition("apps by a pattern", [0, 3]) { $0.apps = [Glob("*E?*")] },
        Condition("an app with letters outside of ASCII", [3]) { $0.apps = [Glob("Wetter-Ä (1)")] },
        Condition("another product than the first", []) { $0.apps = [Glob("cfnetwork"), Glob("*darwin*"), Glob("1")] },
        Condition("the engine of a web view", []) { $0.apps = [Glob("Mozilla")] },
        Condition("a web view", [0]) { $0.apps = [Glob("web view")] },
        Condition("an entrance", [2]) { $0.entrances = [.socks] },
        Condition("no entrance but the proxy", [0, 1]) { $0.entrances = [.proxy] },
        Condition("entrances", [0, 1, 3]) { $0.entrances = [.proxy, .wireguard] },
        Condition("an unused entrance", []) { $0.entrances = [.capture] },
        Condition("a device by its label", [2]) { $0.devices = ["tv"] },
        Condition("a device by its address", [0, 1]) { $0.devices = ["127.0.0.1"] },
        Condition("a code", [1]) { $0.search = LoadSearch("-9802") },
        Condition("a code's name", [1]) { $0.search = LoadSearch("ERRSSLfatal") },
        Condition("a rule", [1]) { $0.search = LoadSearch("ats.forward") },
        Condition("words of different fields", [1]) { $0.search = LoadSearch("get  rsa-kx") },
        Condition("a path", [3]) { $0.search = LoadSearch("/4") },
        Condition("a status", [0]) { $0.search = LoadSearch("404") },
        Condition("a label", [3]) { $0.search = LoadSearch("say") },
        Condition("a pattern of a whole field", [1]) { $0.search = LoadSearch("rsa*.TEST") },
        Condition("a pattern of less", []) { $0.search = LoadSearch("sa-kx*") },
        Condition("a search without a match", []) { $0.search = LoadSearch("get nowhere") },
        Condition("since", [2, 3]) { $0.since = SampleLoads.plain(3).time },
        Condition("until", [0, 1]) { $0.until = SampleLoads.plain(3).time },
        Condition("recording", [3]) { $0.recordings = ["other"] },
        Condition("recordings", [0, 1, 2, 3]) { $0.recordings = ["other", "nightly"] },
    ]

    private let loads: [LoadRecord] = {
        var labelled = SampleLoads.plain(3)
        labelled.client = client(label: "tv", agent: "My%20App/1 CFNetwork/3860 Darwin/25").entering(by: .socks)
        var other = SampleLoads.plain(4, recording: "other", verdict: .outside)
        other.client = client(label: "say \"hi\"", agent: "Wetter-%C3%84%20%281%29/7 CFNetwork/3860 Darwin/25")
            .entering(by: .wireguard)
        var missing = SampleLoads.plain(1)
        missing.status = 404
        missing.client = client(label: nil, agent: "Mozilla/5.0 (iPhone) AppleWebKit/605 Mobile/15E148")
        return SampleLoads.inOrder([missing, SampleLoads.forwardSecrecy(2), labelled, other])
    }()

    private static func client(label: String?, agent: String) -> RecordedClient {
        RecordedClient(address: "127.0.0.1:50123", label: label, userAgent: agent, loader: .app, os: "ios26")
    }
}
