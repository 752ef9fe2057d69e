import ATSPolicy
import ControlPlane
import Foundation
import Records
import Testing

/// The events that browsers receive.
@Suite(.timeLimit(.minutes(2)))
struct FeedTests {
    private struct Changes: Decodable {
        struct Group: Decodable {
            let host: String
            let loads: Int
            let verdict: String
            let device: String
        }
        struct Row: Decodable {
            let id: String
        }
        struct Told: Decodable {
            let sentence: String
        }
        let totals: [String: Int]
        let groups: [Group]
        let loads: [Row]
        let skipped: Int
        let ungrouped: Int
        let notices: [Told]
    }

    /// Opens the event stream of a page.
    private func stream(_ rig: PageRig) async throws -> PageClient {
        let client = try PageClient(port: rig.port)
        await client.send(
            "GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(rig.token.text)\r\n\r\n")
        return client
    }

    /// The data of the next event.
    private func changes(_ client: PageClient) async throws -> Changes {
        let text = await client.receive(until: "}\n\n\r\n")
        let line = try #require(text.split(whereSeparator: \.isNewline).last { $0.hasPrefix("data: ") })
        return try JSONDecoder().decode(Changes.self, from: Data(line.dropFirst(6).utf8))
    }

    @Test("a stream begins with past loads and continues with new ones")
    func follows() async throws {
        let rig = try PageRig()
        rig.feed.write([PageLoads.blocked(1), PageLoads.load(2)])
        let client = try await stream(rig)
        let first = try await changes(client)
        #expect(first.totals["blocked"] == 1)
        #expect(first.loads.map(\.id) == [PageLoads.id(2), PageLoads.id(1)])
        rig.feed.write([PageLoads.blocked(3)])
        let next = try await changes(client)
        #expect(next.totals["blocked"] == 2)
        #expect(next.groups.map(\.loads) == [2])
        #expect(next.loads.map(\.id) == [PageLoads.id(3)])
        rig.feed.show(Notice(.policy, time: 0, "another is in force"))
        #expect(try await changes(client).notices.map(\.sentence) == ["another is in force"])
    }

    @Test("thousands of loads are folded: each group with its number, the newest loads, and the number of others")
    func folded() async throws {
        let rig = try PageRig()
        for batch in 0..<50 { rig.feed.write((0..<200).map { PageLoads.blocked(batch * 200 + $0) }) }
        let sent = try await changes(try await stream(rig))
        #expect(sent.groups.map(\.loads) == [10_000])
        #expect(sent.loads.count == FeedLimits().rows)
        #expect(sent.loads.first?.id == PageLoads.id(9999))
        #expect(sent.skipped == 10_000 - FeedLimits().rows)
    }

    /// Loads that differ from ``PageLoads/blocked(_:recording:host:)`` in one field of a group.
    private static let others: [(what: String, load: LoadRecord)] = [
        ("recording", PageLoads.blocked(1, recording: "second")),
        ("verdict", PageLoads.load(1, verdict: .wouldBlock, host: "plain.test", rule: .cleartextLoad)),
        ("host", PageLoads.blocked(1, host: "other.test")),
        ("port", changed { $0.load.target = LoadTarget(scheme: .http, host: "plain.test", port: 8080) }),
        ("scheme", changed { $0.load.target = LoadTarget(scheme: .https, host: "plain.test", port: 80) }),
        ("rule", PageLoads.load(1, verdict: .blocked, host: "plain.test", rule: .hostName)),
        ("label", PageLoads.load(1, verdict: .blocked, host: "plain.test", rule: .cleartextLoad, label: "tv")),
        ("address", changed { $0.client = client(at: "192.0.2.9:1", os: "ios26.4") }),
        ("system", changed { $0.client = client(at: "127.0.0.1:1", os: "ios18") }),
        ("entrance", changed { $0.client = $0.client.entering(by: .socks) }),
        ("hello", changed { $0.client = $0.client.showing(hello) }),
    ]

    private static let hello = RecordedHello(HelloReading(HelloContent(legacyVersion: 0x0303)), ja4: nil)

    private static func changed(_ change: (inout LoadRecord) -> Void) -> LoadRecord {
        var record = PageLoads.blocked(1)
        change(&record)
        return record
    }

    private static func client(at address: String, os: String) -> RecordedClient {
        RecordedClient(address: address, label: nil, userAgent: nil, loader: .app, os: os)
    }

    @Test("loads that differ in any field of a group are two groups, in one batch and across batches")
    func apart() async throws {
        for (what, other) in Self.others {
            let rig = try PageRig()
            rig.feed.write([PageLoads.blocked(2), other, PageLoads.blocked(3)])
            rig.feed.write([other])
            rig.feed.write([PageLoads.blocked(4)])
            let sent = try await changes(try await stream(rig))
            #expect(sent.groups.map(\.loads).sorted() == [2, 3], "\(what)")
        }
    }

    @Test("the number of groups is limited, and the rest is counted")
    func bounded() async throws {
        let rig = try PageRig()
        rig.feed.write((0..<5000).map { PageLoads.blocked($0, host: "host\($0).test") })
        let sent = try await changes(try await stream(rig))
        #expect(sent.groups.count == FeedLimits().groups)
        #expect(sent.ungrouped == 5000 - FeedLimits().groups)
    }

    @Test("devices are distinguished by label, else by address without the port")
    func devices() async throws {
        let rig = try PageRig()
        rig.feed.write([PageLoads.load(1), PageLoads.load(2), PageLoads.load(3, label: "phone")])
        let sent = try await changes(try await stream(rig))
        #expect(sent.groups.map(\.device) == ["127.0.0.1", "phone"])
        #expect(sent.groups.map(\.loads) == [2, 1])
    }

    @Test("an unread stream does not slow the sink, and records keep their order")
    func unread() async throws {
        let rig = try PageRig()
        let stuck = try await stream(rig)
        _ = await stuck.receive(until: "event: changes")
        let begun = ContinuousClock.now
        for batch in 0..<200 {
            rig.feed.write((0..<100).map { PageLoads.blocked(batch * 100 + $0, host: "host\($0).test") })
        }
        // 20,000 records: some 10 ms in a release build, and never as long as a reader may be stuck.
        #expect(ContinuousClock.now - begun < .seconds(10))
        #expect(try await changes(try await stream(rig)).totals["blocked"] == 20_000)
    }

    @Test("scripts, quotes and line ends in any field stay data: one line of JSON, never a page")
    func hostileText() async throws {
        let rig = try PageRig()
        let text =
            "</script><script>alert(1)</script>\"'\r\n\r\nevent: changes\ndata: {}\n\n\u{2028}<img src=x onerror=a>"
        try rig.record([PageLoads.filled(with: text)])
        let client = try await stream(rig)
        let received = await client.receive(until: "}\n\n\r\n")
        let lines = received.split(whereSeparator: \.isNewline)
        #expect(lines.count { $0.hasPrefix("event: ") } == 1)
        #expect(lines.count { $0.hasPrefix("data: ") } == 1)
        for path in ["records", "records?view=row", "records/\(PageLoads.id(0))", "groups"] {
            let answer = try await rig.script("/api/v1/\(path)")
            #expect(answer.contains("Content-Type: application/json\r\n"), "\(path)")
            #expect(answer.contains("X-Content-Type-Options: nosniff"))
            #expect((try? JSONSerialization.jsonObject(with: Data(answer.body.utf8))) != nil, "\(path)")
        }
        let report = try await rig.script("/api/v1/report?format=markdown")
        #expect(report.contains("Content-Type: application/octet-stream"))
        #expect(report.contains("Content-Disposition: attachment"))
    }
}
