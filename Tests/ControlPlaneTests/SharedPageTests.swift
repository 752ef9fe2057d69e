import Foundation
import Records
import Reporting
import Synchronization
import Testing

/// The page of a gate that shares its store; another file stands for the server.
@Suite("The page and a shared store", .timeLimit(.minutes(2)))
final class SharedPageTests: Sendable {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-api-\(UUID().uuidString)")
    /// How often somebody has tried to connect.
    private let tries = Mutex(0)
    /// How long each of them was ready to wait.
    private let patiences = Mutex<[Duration]>([])

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func store(_ name: String, _ records: [LoadRecord]) throws -> String {
        let path = folder.appending(path: name).path
        let sink = try StoreSink(path: path) { _ in }
        try sink.write(records)
        try sink.close()
        return path
    }

    /// Of a gate that records `first` now.
    ///
    /// - Parameters:
    ///   - trouble: with the shared store, for whoever connects.
    ///   - refusals: what the server says to the first questions of those who have connected.
    private func rig(_ trouble: StoreError? = nil, refusals: [StoreError] = []) throws -> PageRig {
        let own = try store(
            "own.sqlite",
            (0..<3).map { PageLoads.blocked($0) } + [PageLoads.blocked(3, recording: "second"), recent])
        let shared = try store(
            "shared.sqlite",
            (10..<19).map { PageLoads.load($0) } + (20..<24).map { PageLoads.blocked($0, recording: "second") }
                + (30..<32).map { PageLoads.blocked($0, recording: "third", host: "far.test") })
        let left = Mutex(refusals)
        return try PageRig(storePath: own) { [self] patience in
            tries.withLock { $0 += 1 }
            patiences.withLock { $0.append(patience) }
            if let trouble { throw trouble }
            let refusal = left.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            return try refusal.map { StoreReader(RefusingSource(refusal: $0)) } ?? StoreReader(path: shared)
        }
    }

    /// A server that takes connections and refuses every question.
    private struct RefusingSource: StoreSource {
        let refusal: StoreError
        let name = "postgres://db.test/ats"
        let isFile = false
        let hasNews = false

        func look<Answer>(noting damage: StoreDamage, _ body: (any StoreView) throws -> Answer) throws -> Answer {
            throw refusal
        }
    }

    /// Not shipped yet.
    private let recent = PageLoads.blocked(4, recording: "recent")

    private func json(_ answer: String) throws -> [String: Any] {
        #expect(answer.status == 200, "\(answer)")
        return try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
    }

    private func recordings(_ rig: PageRig) async throws -> (loads: [String: Int], note: String?) {
        let answer = try json(await rig.script("/api/v1/recordings"))
        #expect(answer["mayChange"] as? Bool == false)
        let rows = try #require(answer["recordings"] as? [[String: Any]])
        var loads: [String: Int] = [:]
        for row in rows { loads[try #require(row["name"] as? String)] = row["loads"] as? Int }
        #expect(loads.count == rows.count)
        return (loads, answer["note"] as? String)
    }

    private func count(_ rig: PageRig, _ query: String) async throws -> Int? {
        (try json(await rig.script("/api/v1/records\(query)"))["records"] as? [Any])?.count
    }

    private func newlyAllowed(_ rig: PageRig, _ recording: String) async throws -> (loads: Int, note: String?) {
        let asked = #"{"dictionary": "{\"NSAllowsArbitraryLoads\": true}", "recording": "\#(recording)"}"#
        let answer = try json(await rig.script("POST /api/v1/what-if", body: asked))
        let systems = try #require(answer["systems"] as? [[String: Any]])
        let rows = systems.flatMap { $0["newlyAllowed"] as? [[String: Any]] ?? [] }
        return (rows.reduce(0) { $0 + ($1["loads"] as? Int ?? 0) }, answer["note"] as? String)
    }

    @Test("what it asks of other recordings is of all gates; what is recorded now, and not shipped yet, is its own")
    func shared() async throws {
        let rig = try rig()
        let (loads, note) = try await recordings(rig)
        #expect(loads == ["first": 3, "second": 4, "third": 2, "recent": 1] && note == nil)
        #expect(try await count(rig, "") == 5)
        for (name, loads) in loads { #expect(try await count(rig, "?recording=\(name)") == loads, "\(name)") }
        #expect(try await rig.script("/api/v1/records/load-30").body.contains("far.test"))
        #expect(try await rig.script("/api/v1/records/load-99").status == 404)
        #expect(try await rig.script("/api/v1/report?format=json&recording=third").body.contains("far.test"))
        #expect(try await rig.script("/api/v1/groups?recording=third").body.contains("far.test"))
        let diff = try json(await rig.script("/api/v1/recordings/diff?before=second&after=third"))
        #expect((diff["hosts"] as? [Any])?.count == 2 && diff["note"] is NSNull)
        #expect(try await newlyAllowed(rig, "second") == (4, nil))
        #expect(try await newlyAllowed(rig, "first") == (3, nil))
        #expect(try await rig.script("PATCH /api/v1/recordings/second", body: #"{"name": "x"}"#).status == 409)
        #expect(try await rig.script("DELETE /api/v1/recordings/recent").status == 409)
        #expect(try await recordings(rig).loads == loads)
    }

    private func notes(_ rig: PageRig, of recording: String) async throws -> [String?] {
        var notes: [String?] = []
        for path in ["groups", "policy"] {
            let answer = try json(await rig.script("/api/v1/\(path)?recording=\(recording)"))
            #expect(answer.keys.contains("note"))
            notes.append(answer["note"] as? String)
        }
        return notes
    }

    @Test("groups and the uses of the dictionary say whose loads they are about")
    func whose() async throws {
        let own: String? = "Loads of this gate alone, for not all of them are in the shared store yet."
        let rig = try rig()
        #expect(
            try await notes(rig, of: "third") == Array(repeating: "Loads of all gates that share the store.", count: 2))
        #expect(try await notes(rig, of: "first") == [own, own])
        #expect(try await notes(rig, of: "recent") == [own, own])
        #expect(try json(await rig.script("/api/v1/groups"))["note"] as? String == own)
        let away = try self.rig(.unreachable(path: "postgres://db.test/ats", cause: "no answer"))
        let why: String? = "Of this gate alone: postgres://db.test/ats: no answer"
        #expect(try await notes(away, of: "second") == [why, why])
        #expect(try await notes(PageRig(), of: "first") == [nil, nil])
    }

    @Test("where the server is away it tells of its own gate, says so, and does not try again at once")
    func away() async throws {
        let rig = try rig(.unreachable(path: "postgres://db.test/ats", cause: "no answer"))
        let (loads, note) = try await recordings(rig)
        #expect(loads == ["first": 3, "second": 1, "recent": 1])
        #expect(note == "Of this gate alone: postgres://db.test/ats: no answer")
        #expect(try await newlyAllowed(rig, "second") == (1, note))
        #expect(try await newlyAllowed(rig, "first") == (3, nil))
        #expect(try await count(rig, "?recording=second") == 1)
        let diff = try json(await rig.script("/api/v1/recordings/diff?before=first&after=second"))
        #expect(diff["note"] as? String == note)
        let load = try await rig.script("/api/v1/records/load-30")
        #expect(load.status == 503 && load.body.contains("no answer"), "\(load)")
        #expect(try await rig.script("/api/v1/records?recording=second&before=1770091506000000-1f").status == 503)
        #expect(try await rig.script("/api/v1/report?format=json&recording=second").status == 503)
        #expect(try await rig.script("/api/v1/report?format=json&recording=first").status == 200)
        #expect(tries.withLock(\.self) == 1)
    }

    @Test("a gate whose login may not read has reports of its own loads")
    func notAllowed() async throws {
        let rig = try rig(.notAllowed(path: "postgres://db.test/ats", cause: "ask for atsgate_reader"))
        #expect(try await recordings(rig).note?.contains("atsgate_reader") == true)
        #expect(try await rig.script("/api/v1/report?format=json&recording=second").status == 200)
        #expect(try await rig.script("/api/v1/records/load-30").status == 404)
    }

    @Test("what the server refuses to one question is told to that one alone; a report of one gate is never made of it")
    func refused() async throws {
        let refusal = StoreError.refused(path: "postgres://db.test/ats", cause: "canceled (SQLSTATE 57014)")
        let rig = try rig(refusals: [refusal, refusal])
        let report = try await rig.script("/api/v1/report?format=json&recording=second")
        #expect(report.status == 503 && report.body.contains("57014"), "\(report)")
        #expect(try await recordings(rig).note?.contains("57014") == true)
        // The next questions are asked again at once.
        #expect(try await recordings(rig).note == nil)
        #expect(try await rig.script("/api/v1/report?format=json&recording=second").status == 200)
        let waits = patiences.withLock(\.self)
        try #require(waits.count == 4)
        #expect(waits[0] > waits[1] && waits[3] > waits[2], "a report may take longer than a list")
    }

    @Test("a connection that breaks is an outage for everybody")
    func broken() async throws {
        let rig = try rig(refusals: [.unreachable(path: "postgres://db.test/ats", cause: "gone")])
        #expect(try await recordings(rig).note?.contains("gone") == true)
        #expect(try await rig.script("/api/v1/report?format=json&recording=second").status == 503)
        #expect(tries.withLock(\.self) == 1)
    }
}
