import ATSPolicy
import ControlPlane
import Foundation
import Onboarding
import Records
import Reporting
import Synchronization
import Testing

/// The API over a store in a file, and over one in memory.
@Suite(.timeLimit(.minutes(2)))
struct APITests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-api-\(UUID().uuidString)")

    /// A page over `records` in a store, in a file or in memory.
    private func rig(_ records: [LoadRecord], stored: Bool, allowsUpload: Bool = false) throws -> PageRig {
        var path: String?
        if stored {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appending(path: "\(UUID().uuidString).sqlite").path
            let sink = try StoreSink(path: file) { _ in }
            try sink.write(records)
            try sink.close()
            path = file
        }
        let rig = try PageRig(storePath: path, allowsUpload: allowsUpload)
        try rig.record(records)
        rig.monitor.loads.write(records)
        return rig
    }

    private func json(_ answer: String) throws -> [String: Any] {
        #expect(answer.status == 200, "\(answer)")
        return try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
    }

    private let loads =
        (0..<5).map { PageLoads.blocked($0) } + [
            PageLoads.load(5, host: "open.test"), PageLoads.blocked(6, recording: "second", host: "late.test"),
        ]

    @Test("loads are filtered and paged, the newest first", arguments: [true, false])
    func records(stored: Bool) async throws {
        let rig = try rig(loads, stored: stored)
        defer { try? FileManager.default.removeItem(at: folder) }
        let all = try json(try await rig.script("/api/v1/records?recording=first&verdict=blocked&host=*.test"))
        let ids = (all["records"] as? [[String: Any]])?.compactMap { $0["id"] as? String }
        #expect(ids == [PageLoads.id(4), PageLoads.id(3), PageLoads.id(2), PageLoads.id(1), PageLoads.id(0)])
        let one = try json(try await rig.script("/api/v1/records/\(PageLoads.id(6))"))
        #expect((one["load"] as? [String: Any])?["host"] as? String == "late.test")
        for id in [PageLoads.id(7), "load-"] {
            #expect(try await rig.script("/api/v1/records/\(id)").status == 404)
        }
        #expect(try await rig.script("/api/v1/records?verdict=fine").status == 400)
        #expect(try await rig.script("/api/v1/records?since=yesterday").status == 400)
        let first = try json(try await rig.script("/api/v1/records?limit=4&view=row"))
        let next = try #require(first["next"] as? String)
        let second = try json(try await rig.script("/api/v1/records?limit=4&view=row&before=\(next)"))
        #expect((first["records"] as? [Any])?.count == 4)
        #expect((second["records"] as? [Any])?.count == 3)
        #expect(second["next"] is NSNull)
    }

    @Test(
        "the gate draws a load's picture, and recorded text stays text", arguments: [true, false])
    func picture(stored: Bool) async throws {
        let hostile = PageLoads.blocked(9, host: "<svg onload=1>")
        let rig = try rig([hostile], stored: stored)
        defer { try? FileManager.default.removeItem(at: folder) }
        let detail = try json(try await rig.script("/api/v1/records/\(PageLoads.id(9))?view=detail"))
        #expect((detail["record"] as? [String: Any])?["id"] as? String == PageLoads.id(9))
        let picture = try #require(detail["picture"] as? [String: Any])
        #expect((picture["label"] as? String)?.contains("before anything is sent: ats.cleartext-load") == true)
        let marks = try #require(picture["marks"] as? [[String: Any]])
        #expect(Set(marks.compactMap { $0["element"] as? String }) == ["text", "line", "path"])
        #expect(marks.contains { $0["text"] as? String == "GET http://<svg onload=1>" })
        let attributes = marks.compactMap { $0["attributes"] as? [String: String] }.flatMap { $0.values }
        #expect(!attributes.contains { $0.contains("<") })
    }

    @Test("every format can be exported, from a store in a file and in memory", arguments: [true, false])
    func exports(stored: Bool) async throws {
        let rig = try rig(loads, stored: stored)
        defer { try? FileManager.default.removeItem(at: folder) }
        for format in ReportFormat.allCases {
            let answer = try await rig.script("/api/v1/report?format=\(format.rawValue)&recording=first")
            #expect(answer.status == 200, "\(format)")
            #expect(answer.body.contains("plain.test"), "\(format)")
            #expect(!answer.body.contains("late.test"), "\(format)")
        }
        #expect(try await rig.script("/api/v1/report?format=exe").status == 400)
    }

    @Test("a long export comes in chunks, and complete")
    func longExport() async throws {
        let rig = try rig((0..<3000).map { PageLoads.blocked($0) }, stored: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let client = try PageClient(port: rig.port)
        await client.send(
            "GET /api/v1/report?format=jsonl HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                + "Authorization: Bearer \(rig.token.text)\r\n\r\n")
        let answer = await client.receiveAll()
        #expect(answer.contains("Transfer-Encoding: chunked\r\n"))
        #expect(answer.hasSuffix("\r\n0\r\n\r\n"))
        #expect(answer.components(separatedBy: "\"id\":\"\(PageLoads.id(0).prefix(10))").count == 3001)
    }

    @Test("a report and a claim cover the current recording unless another is named", arguments: [true, false])
    func reportOfCurrent(stored: Bool) async throws {
        let rig = try rig(loads, stored: stored)
        defer { try? FileManager.default.removeItem(at: folder) }
        func count(_ query: String) async throws -> Int? {
            let report = try json(try await rig.script("/api/v1/report?format=json" + query))
            return report["loads"] as? Int
        }
        #expect(try await count("") == 6)
        #expect(try await count("&recording=second") == 1)
        #expect(try await count("&recording=first,second") == 7)
        #expect(try await count("&host=late.test") == 0)
    }

    @Test("an export whose last load fills a piece ends once, and the next request is answered")
    func exportBeforeAnother() async throws {
        var load = PageLoads.blocked(1)
        load.load.path = "/" + String(repeating: "x", count: 70_000)
        let rig = try rig([load], stored: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let fields = "Host: 127.0.0.1\r\nAuthorization: Bearer \(rig.token.text)\r\n"
        let client = try PageClient(port: rig.port)
        await client.send(
            "GET /api/v1/report?format=jsonl HTTP/1.1\r\n\(fields)\r\n"
                + "GET /api/v1/health HTTP/1.1\r\nConnection: close\r\n\(fields)\r\n")
        let answer = await client.receiveAll()
        #expect(answer.contains("Transfer-Encoding: chunked\r\n"))
        #expect(!answer.contains("\r\n00\r\n"))
        #expect(answer.contains("\n\r\n0\r\n\r\nHTTP/1.1 200 "))
    }

    @Test("an HTTP/1.0 client gets an export without chunks, which ends with the connection")
    func exportToOldClient() async throws {
        let rig = try rig((0..<3000).map { PageLoads.blocked($0) }, stored: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let client = try PageClient(port: rig.port)
        await client.send(
            "GET /api/v1/report?format=jsonl HTTP/1.0\r\nHost: 127.0.0.1\r\n"
                + "Authorization: Bearer \(rig.token.text)\r\n\r\n")
        let answer = await client.receiveAll()
        #expect(answer.status == 200)
        #expect(!answer.contains("Transfer-Encoding"))
        let lines = answer.body.split(separator: "\n")
        #expect(lines.count == 3000)
        #expect(lines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
    }

    @Test("a claim passes or names the contradicting loads, and fails without any load")
    func verify() async throws {
        let rig = try rig(loads, stored: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func passes(_ claim: String) async throws -> Bool {
            try json(try await rig.script("POST /api/v1/verify", body: claim))["passed"] as? Bool == true
        }
        #expect(try await passes(#"{"host":"open.test"}"#))
        #expect(try await !passes(#"{"host":"plain.test"}"#))
        #expect(try await passes(#"{"rules":["ats.cleartext-load"]}"#))
        #expect(try await !passes(#"{"rules":["ats.cleartext-load","trust.expired"]}"#))
        #expect(try await !passes(#"{"host":"nowhere.test"}"#))
        #expect(try await passes(#"{"host":"nowhere.test","allowNone":true}"#))
        #expect(try await !passes(#"{"recording":"second"}"#))
        #expect(try await !passes(#"{"since":"2026-02-03T04:05:06.003Z"}"#))
        #expect(try await passes(#"{"since":"2026-02-03T04:05:06.005Z"}"#))
        #expect(try await rig.script("POST /api/v1/verify", body: "{").status == 400)
    }

    @Test("a host is found in any spelling of its name, and an invalid one is refused", arguments: [true, false])
    func spellings(stored: Bool) async throws {
        let loads = [
            PageLoads.load(0, host: "xn--bcher-kva.test"), PageLoads.load(1, host: "2001:db8::1"),
            PageLoads.load(2, host: "dotted.test."),
        ]
        let rig = try rig(loads, stored: stored)
        defer { try? FileManager.default.removeItem(at: folder) }
        for host in [
            "b\u{FC}cher.test", "B\u{DC}CHER.test.", "*.b\u{FC}cher.test", "xn--*.test", "[2001:DB8:0::1]",
            "dotted.test",
        ] {
            let claim = try JSONSerialization.data(withJSONObject: ["host": host])
            let body = String(decoding: claim, as: UTF8.self)
            let verified = try json(try await rig.script("POST /api/v1/verify", body: body))
            #expect(verified["loads"] as? Int == (host.hasPrefix("*") ? 0 : 1), "\(host)")
        }
        for host in ["https://a.test/", "a b.test", "a.test:443", "a..test", ""] {
            let refused = try await rig.script("POST /api/v1/verify", body: "{\"host\":\"\(host)\"}")
            #expect(refused.status == 400 && refused.body.contains("host: "), "\(host): \(refused)")
        }
        let refused = try await rig.script("/api/v1/records?host=https://a.test/")
        #expect(refused.status == 400 && refused.body.contains("write its host alone, a.test"))
    }

    @Test("unknown members and rules are refused by name")
    func unknownMembers() async throws {
        let rig = try rig(loads, stored: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (request, body, named) in [
            ("POST /api/v1/verify", #"{"hosts":"open.test"}"#, "hosts"),
            ("POST /api/v1/verify", #"{"rules":["ats.cleartext-lod"]}"#, "did you mean ats.cleartext-load?"),
            ("POST /api/v1/what-if", #"{"system":"ios17"}"#, "system"),
            ("POST /api/v1/recordings", #"{"name":"third","now":true}"#, "now"),
            ("/api/v1/records?hosts=a.test", "", "hosts"), ("/api/v1/groups?verdicts=blocked", "", "verdicts"),
            ("/api/v1/report?format=json&recordings=first", "", "recordings"),
            ("/api/v1/recordings/diff?before=first&after=second&all=1", "", "all"),
            ("/api/v1/report?format=json&redact=yes", "", "redact: write true or false"),
            ("/api/v1/policy?recordings=first", "", "recordings"),
        ] {
            let answer = try await rig.script(request, body: body)
            #expect(answer.status == 400, "\(request)")
            #expect(answer.body.hasPrefix(#"{"error":"#) && answer.body.contains(named), "\(answer)")
        }
        #expect(rig.recordings.withLock { $0.isEmpty })
    }

    @Test("another dictionary can be tried without enforcing it", arguments: [true, false])
    func whatIf(stored: Bool) async throws {
        let rig = try rig(loads, stored: stored)
        defer { try? FileManager.default.removeItem(at: folder) }
        let question = #"{"dictionary":"{\"NSAllowsArbitraryLoads\":true}","os":"ios17"}"#
        let answer = try json(try await rig.script("POST /api/v1/what-if", body: question))
        let systems = try #require(answer["systems"] as? [[String: Any]])
        #expect(systems.map { $0["os"] as? String } == ["ios17"])
        let allowed = systems.first?["newlyAllowed"] as? [[String: Any]]
        #expect(allowed?.reduce(0) { $0 + ($1["loads"] as? Int ?? 0) } == 5)
        #expect(rig.declarations.withLock { $0.count } == 1)
        #expect(try await rig.script("POST /api/v1/what-if", body: #"{"dictionary":"<plist"}"#).status == 422)
        #expect(try await rig.script("POST /api/v1/what-if", body: #"{"os":"ios8"}"#).status == 400)
    }

    @Test("a dictionary is enforced only if that was allowed, and a broken one never")
    func replacing() async throws {
        let closed = try rig([], stored: false)
        #expect(try await closed.script("PUT /api/v1/policy", body: "{}").status == 403)
        let open = try rig([], stored: false, allowsUpload: true)
        #expect(try await open.script("PUT /api/v1/policy", body: "<plist").status == 422)
        #expect(open.declarations.withLock { $0.count } == 1)
        #expect(try await open.script("PUT /api/v1/policy", body: #"{"NSAllowsArbitraryLoads":true}"#).status == 200)
        #expect(open.declarations.withLock { $0.last?.members.first?.key } == "NSAllowsArbitraryLoads")
    }

    @Test("a recording can be started by name, listed, and compared with another", arguments: [true, false])
    func recordings(stored: Bool) async throws {
        let rig = try rig(loads, stored: stored)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try await rig.script("POST /api/v1/recordings", body: #"{"name":"third"}"#).status == 200)
        #expect(rig.recordings.withLock { $0 } == ["third"])
        for name in ["", "a\\u0000b", String(repeating: "n", count: 201)] {
            #expect(try await rig.script("POST /api/v1/recordings", body: "{\"name\":\"\(name)\"}").status == 400)
        }
        let list = try json(try await rig.script("/api/v1/recordings"))
        #expect((list["recordings"] as? [[String: Any]])?.compactMap { $0["loads"] as? Int } == [6, 1])
        let diff = try json(try await rig.script("/api/v1/recordings/diff?before=first&after=second"))
        #expect(
            (diff["hosts"] as? [[String: Any]])?.compactMap { $0["host"] as? String } == ["late.test", "plain.test"])
    }

    @Test("each device has six lights with the time they were first on")
    func devices() async throws {
        let rig = try rig([], stored: false)
        #expect(try json(try await rig.script("/api/v1/devices"))["devices"] as? [String] == [])
        #expect(try json(try await rig.script("/api/v1/devices"))["notes"] as? [String] == ["a note"])
        var record = PageLoads.load(7)
        record.status = 200
        rig.devices.note([record])
        let devices = try json(try await rig.script("/api/v1/devices"))["devices"] as? [[String: Any]]
        let device = try #require(devices?.first)
        #expect(device["address"] as? String == "127.0.0.1")
        #expect(device["label"] is NSNull && device["says"] is NSNull)
        let lights = try #require(device["lights"] as? [[String: Any]])
        #expect(
            lights.map { $0["light"] as? String } == ["reached", "through", "installed", "trusted", "relaxed", "apps"])
        #expect(lights.map { $0["seen"] as? Int64 } == [record.time, record.time, nil, nil, nil, record.time])
        #expect(try await rig.ask("/api/v1/devices").status == 401)
    }

    @Test("metrics are in Prometheus' text format, and count blocked loads by rule")
    func metrics() async throws {
        let rig = try rig(loads, stored: false)
        let text = try await rig.script("/api/v1/metrics").body
        #expect(text.contains("atsgate_loads_total{verdict=\"blocked\",rule=\"ats.cleartext-load\"} 6\n"))
        #expect(text.contains("atsgate_loads_total{verdict=\"allowed\",rule=\"none\"} 1\n"))
        let held = text.split(separator: "\n").filter { $0.hasPrefix("atsgate_held_bytes{for=") }
        #expect(held.count == 16 && held.contains { $0.hasPrefix("atsgate_held_bytes{for=\"page\"} ") })
        let sum = held.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
        #expect(sum > 0 && text.contains("\natsgate_held_all_bytes \(sum)\n"))
    }
}
