import ATSPolicy
import ControlPlane
import Foundation
import Records
import Reporting
import Testing

/// Searches over a store in a file, and over one in memory.
@Suite(.timeLimit(.minutes(2)))
struct SearchTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-search-\(UUID().uuidString)")

    private func rig(_ records: [LoadRecord], stored: Bool) throws -> PageRig {
        var path: String?
        if stored {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appending(path: "records.sqlite").path
            let sink = try StoreSink(path: file) { _ in }
            try sink.write(records)
            try sink.close()
            path = file
        }
        let rig = try PageRig(storePath: path)
        try rig.record(records)
        return rig
    }

    private func json(_ answer: String) throws -> [String: Any] {
        #expect(answer.status == 200, "\(answer)")
        return try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
    }

    private var loads: [LoadRecord] {
        var missing = PageLoads.load(3, host: "api.test", label: "phone")
        missing.status = 404
        missing.load.method = "POST"
        missing.load.path = "/Checkout/basket"
        missing.timing.total = 12_345
        missing.bytesReceived = 678
        return [PageLoads.blocked(1), PageLoads.blocked(2), missing, PageLoads.load(4, host: "other.test")]
    }

    /// Searches, and the numbers of the loads that each finds.
    static let questions: [(search: String, loads: [Int])] = [
        ("plain", [2, 1]), ("CHECKOUT", [3]), ("404", [3]), ("post", [3]), ("cleartext-load", [2, 1]), ("phone", [3]),
        ("*.test", [4, 3, 2, 1]), ("plain*", [2, 1]), ("ios26 basket", [3]), ("nowhere", []),
    ]

    @Test("words are found in host, path, method, status, rule and device", arguments: [true, false])
    func words(stored: Bool) async throws {
        let rig = try rig(loads, stored: stored)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (search, loads) in Self.questions {
            let ids = loads.map { PageLoads.id($0) }
            let text = search.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let rows = try json(try await rig.script("/api/v1/records?view=row&search=\(text)"))["records"]
            #expect((rows as? [[String: Any]])?.compactMap { $0["id"] as? String } == ids, "\(search)")
            let groups = try json(try await rig.script("/api/v1/groups?search=\(text)"))["groups"]
            let counted = (groups as? [[String: Any]])?.compactMap { $0["loads"] as? Int }.reduce(0, +)
            #expect(counted == ids.count, "\(search)")
            let report = try await rig.script("/api/v1/report?format=jsonl&search=\(text)").body
            #expect(report.split(separator: "\n").count == ids.count, "\(search)")
        }
    }

    @Test("a search returns the same groups as the page, each with count and latest load", arguments: [true, false])
    func groups(stored: Bool) async throws {
        let rig = try rig(loads, stored: stored)
        defer { try? FileManager.default.removeItem(at: folder) }
        func groups(_ query: String) async throws -> [[String: Any]] {
            let answer = try json(try await rig.script("/api/v1/groups\(query)"))
            return try #require(answer["groups"] as? [[String: Any]])
        }
        let live = try await groups("")
        let found = try await groups("?search=*")
        #expect(live.count == 3 && found.count == 3)
        for (one, other) in zip(live, found) {
            #expect(NSDictionary(dictionary: one) == NSDictionary(dictionary: other))
        }
        #expect(found.map { $0["last"] as? String } == [PageLoads.id(2), PageLoads.id(3), PageLoads.id(4)])
        #expect(found.map { $0["milliseconds"] as? Int } == [0, 12, 0])
        #expect(found.map { $0["received"] as? Int } == [0, 678, 0])
    }

    @Test("a row names the field that a search found, if no column has it", arguments: [true, false])
    func foundFields(stored: Bool) async throws {
        var all = loads
        let agent = "Checkout/7 CFNetwork/3860.100.1 Darwin/25.0.0"
        all[3].client = RecordedClient(
            address: "127.0.0.1:50004", label: nil, userAgent: agent, loader: .app, os: "ios26.4")
        all[3].shown = ShownError(style: .noTunnel, code: 310, streamErrorCode: -2096)
        let rig = try rig(all, stored: stored)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (search, field) in [
            ("2096", "the app's code: -2096"), ("other darwin", "User-Agent: \(agent)"),
            ("plain", nil), ("basket 404", nil), ("*.test", nil),
        ] as [(String, String?)] {
            let text = search.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            for (path, key) in [("records?view=row&", "records"), ("groups?", "groups")] {
                let rows = try json(try await rig.script("/api/v1/\(path)search=\(text)"))[key] as? [[String: Any]]
                #expect(
                    rows?.isEmpty == false && rows?.allSatisfy { $0["found"] as? String == field } == true, "\(search)")
            }
        }
    }

    @Test("loads are distinguished by entrance, in lists and groups", arguments: [true, false])
    func entrances(stored: Bool) async throws {
        var loads = [PageLoads.load(1), PageLoads.load(2), PageLoads.load(3)]
        loads[1].client = loads[1].client.entering(by: .transparent)
        let rig = try rig(loads, stored: stored)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (ways, loads) in [("transparent", [2]), ("proxy,socks", [3, 1]), ("capture", [])] as [(String, [Int])] {
            let ids = loads.map { PageLoads.id($0) }
            let rows = try json(try await rig.script("/api/v1/records?view=row&entrance=\(ways)"))["records"]
            #expect((rows as? [[String: Any]])?.compactMap { $0["id"] as? String } == ids, "\(ways)")
        }
        for path in ["/api/v1/groups", "/api/v1/groups?entrance=transparent,proxy"] {
            let groups = try json(try await rig.script(path))["groups"] as? [[String: Any]]
            let counts = groups?.map { "\($0["entrance"] ?? "") \($0["loads"] ?? "")" }
            #expect(counts?.sorted() == ["proxy 2", "transparent 1"], "\(path)")
        }
        #expect(try await rig.script("/api/v1/records?entrance=door").status == 400)
    }

    @Test("a device is identified by its label, else by its address", arguments: [true, false])
    func devices(stored: Bool) async throws {
        let rig = try rig(loads, stored: stored)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (device, count) in [("phone", 1), ("127.0.0.1", 3), ("127.0.0", 0)] {
            let answer = try json(try await rig.script("/api/v1/records?device=\(device)"))
            #expect((answer["records"] as? [Any])?.count == count, "\(device)")
        }
    }

    @Test("a recording can be renamed and deleted, except the current one")
    func recordings() async throws {
        let rig = try rig(loads + [PageLoads.load(9, recording: "second one")], stored: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func names() async throws -> [String] {
            let answer = try json(try await rig.script("/api/v1/recordings"))
            return (answer["recordings"] as? [[String: Any]])?.compactMap { $0["name"] as? String } ?? []
        }
        let body = #"{"name":"kept"}"#
        #expect(try await rig.script("PATCH /api/v1/recordings/first", body: body).status == 409)
        #expect(try await rig.script("DELETE /api/v1/recordings/first").status == 409)
        #expect(try await rig.script("PATCH /api/v1/recordings/nothing", body: body).status == 404)
        #expect(try await rig.script("PATCH /api/v1/recordings/second%20one", body: #"{"name":"first"}"#).status == 409)
        #expect(try await rig.script("PATCH /api/v1/recordings/second%20one", body: #"{"name":""}"#).status == 400)
        #expect(try await rig.ask("DELETE /api/v1/recordings/second%20one", [rig.cookie]).status == 403)
        #expect(try await names() == ["first", "second one"])
        #expect(try await rig.script("PATCH /api/v1/recordings/second%20one", body: body).status == 200)
        #expect(try await names() == ["first", "kept"])
        #expect(try json(try await rig.script("DELETE /api/v1/recordings/kept"))["loads"] as? Int == 1)
        #expect(try await names() == ["first"])
        let taken = #"{"name":"first","new":true}"#
        #expect(try await rig.script("POST /api/v1/recordings", body: taken).status == 409)
        #expect(try await rig.script("POST /api/v1/recordings", body: #"{"name":"first"}"#).status == 200)
        #expect(try await rig.script("POST /api/v1/recordings", body: #"{"name":"new","new":true}"#).status == 200)
    }

    @Test("with a store in memory a recording cannot be renamed or deleted")
    func withoutStore() async throws {
        let rig = try rig(loads, stored: false)
        #expect(try await rig.script("DELETE /api/v1/recordings/second").status == 409)
    }

    @Test("a device's WireGuard configuration is available as a file and as a code, and only with the token")
    func tunnels() async throws {
        let rig = try rig([], stored: false)
        let list = try json(try await rig.script("/api/v1/tunnels"))["tunnels"] as? [[String: Any]]
        #expect(list?.map { "\($0["peer"] ?? "") \($0["isReadable"] ?? "")" } == ["phone1 1", "phone2 0"])
        let file = try await rig.script("/api/v1/tunnels/phone1")
        #expect(file.status == 200 && file.body == "[Interface]\nPrivateKey = secret\n")
        #expect(file.contains("Content-Disposition: attachment; filename=\"phone1.conf\""))
        #expect(file.contains("Cache-Control: no-store"))
        let code = try json(try await rig.script("/api/v1/tunnels/phone1/code"))
        #expect(code["side"] as? Int == 37 && (code["path"] as? String)?.hasPrefix("M4 4h7v1h-7z") == true)
        // The file of another user.
        let other = try await rig.script("/api/v1/tunnels/phone2/code")
        #expect(other.status == 403 && other.body.contains("sudo atsgate setup wireguard --show phone2"))
        #expect(try await rig.script("/api/v1/tunnels/phone3").status == 404)
        for path in ["/api/v1/tunnels", "/api/v1/tunnels/phone1", "/api/v1/tunnels/phone1/code"] {
            let answer = try await rig.ask(path)
            #expect(answer.status == 401 && !answer.contains("secret"), "\(path)")
        }
    }

    @Test("phones are listed with a code for their cameras")
    func phones() async throws {
        let rig = try rig([], stored: false)
        let answer = try json(try await rig.script("/api/v1/phones"))
        let phones = try #require(answer["phones"] as? [[String: Any]])
        #expect(phones.map { $0["url"] as? String } == ["http://192.0.2.1:9802/"])
        let code = try #require(phones.first?["code"] as? [String: Any])
        // Version 2, 25 modules and a quiet zone of 4 around them (ISO/IEC 18004).
        #expect(code["side"] as? Int == 33)
        #expect((code["path"] as? String)?.hasPrefix("M4 4h7v1h-7z") == true)
    }
}
