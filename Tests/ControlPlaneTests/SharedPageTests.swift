import Foundation
import Records
import Reporting
import Synchronization
import Testing

/// The page of a gate with a shared store. Another file acts as the server.
@Suite("The page and a shared store", .timeLimit(.minutes(2)))
final class SharedPageTests: Sendable {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-api-\(UUID().uuidString)")
    /// The number of attempts to connect.
    private let tries = Mutex(0)
    /// The timeouts of the attempts.
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

    /// The page of a gate that now records `first`.
    ///
    /// - Parameters:
    ///   - trouble: The error on connecting to the shared store.
    ///   - refusals: The errors of the first queries, one for each.
    private func rig(_ trouble: StoreError? = nil, refusals: [StoreError] = []) throws -> PageRig {
        let own = try store(
            "own.sqlite",
            (0..<3).map { PageLoads.blocked($0) } + [PageLoads.blocked(3, recording: "second"), recent])
        let shared = try store(
            "shared.sqlite",
            (10..<19).map { PageLoads.load($0) } + (20..<24).map { PageLoads.blocked($0, recording: "second") }
                + (30..<32).map { PageLoads.blocked($0, recording: "third", host: "far.test") })
        let left = Mutex(refusals)
        return try PageRig(storePath: own) { [self] timeout in
            tries.withLock { $0 += 1 }
            patiences.withLock { $0.append(timeout) }
            if let trouble { throw trouble }
            let refusal = left.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            return try refusal.map { StoreReader(RefusingSource(refusal: $0)) } ?? StoreReader(path: shared)
        }
    }

    /// A server that accepts connections and refuses every query.
    private struct RefusingSource: StoreSource {
        let refusal: StoreError
        let name = "postgres://db.test/ats"
        let hasNews = false

        func look<Answer>(
            at part: StorePart, counter: WorkCounter, _ body: (StoreView) throws -> Answer
        ) throws -> Answer { throw refusal }

        func page(of filter: RecordFilter, before place: StorePosition?, limit: Int) throws -> StorePage {
            throw refusal
        }

        func record(id: String) throws -> LoadRecord? { throw refusal }

        func news(of filter: RecordFilter, after mark: inout StoreMark, limit: Int) throws -> [LoadRecord] {
            throw refusal
        }

        func mark() throws -> StoreMark { throw refusal }

        func verdictsByGate(of filter: RecordFilter) throws -> [String: [Verdict: Int]] { throw refusal }

        func sizes(of filter: RecordFilter) throws -> [String: Int64] { throw refusal }
    }

    /// A load that is not shipped yet.
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

    @Test("other recordings are those of all gates; the current one and unshipped ones are the gate's own")
    func shared() async throws {
        let rig = try rig()
        let (loads, note) = try await recordings(rig)
        #expect(loads == ["first": 3, "second": 4, "third": 2, "recent": 1] && note == nil)
        #expect(try await count(rig, "") == 5)
        for (name, loads) in loads { #expect(try await count(rig, "?recording=\(name)") == loads, "\(name)") }
        #expect(try await rig.script("/api/v1/records/\(PageLoads.id(30))").body.contains("far.test"))
        #expect(try await rig.script("/api/v1/records/\(PageLoads.id(99))").status == 404)
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

    @Test("groups and the uses of the dictionary state whose loads they cover")
    func scopeNote() async throws {
        let own: String? = "This gate's loads only: some are not in the shared store yet."
        let rig = try rig()
        #expect(
            try await notes(rig, of: "third") == Array(repeating: "Loads of all gates that share the store.", count: 2))
        #expect(try await notes(rig, of: "first") == [own, own])
        #expect(try await notes(rig, of: "recent") == [own, own])
        #expect(try json(await rig.script("/api/v1/groups"))["note"] as? String == own)
        let away = try self.rig(.unreachable(path: "postgres://db.test/ats", cause: "no answer"))
        let why: String? = "This gate's loads only: postgres://db.test/ats: no answer"
        #expect(try await notes(away, of: "second") == [why, why])
        #expect(try await notes(PageRig(), of: "first") == [nil, nil])
    }

    @Test("during an outage the page shows its own gate's loads with a note, and does not retry immediately")
    func away() async throws {
        let rig = try rig(.unreachable(path: "postgres://db.test/ats", cause: "no answer"))
        let (loads, note) = try await recordings(rig)
        #expect(loads == ["first": 3, "second": 1, "recent": 1])
        #expect(note == "This gate's loads only: postgres://db.test/ats: no answer")
        #expect(try await newlyAllowed(rig, "second") == (1, note))
        #expect(try await newlyAllowed(rig, "first") == (3, nil))
        #expect(try await count(rig, "?recording=second") == 1)
        let diff = try json(await rig.script("/api/v1/recordings/diff?before=first&after=second"))
        #expect(diff["note"] as? String == note)
        let load = try await rig.script("/api/v1/records/\(PageLoads.id(30))")
        #expect(load.status == 503 && load.body.contains("no answer"), "\(load)")
        #expect(try await rig.script("/api/v1/records?recording=second&before=1770091506000000-1f").status == 503)
        #expect(try await rig.script("/api/v1/report?format=json&recording=second").status == 503)
        #expect(try await rig.script("/api/v1/report?format=json&recording=first").status == 200)
        #expect(tries.withLock(\.self) == 1)
    }

    @Test("a gate whose login may not read reports its own loads")
    func notAllowed() async throws {
        let rig = try rig(.notAllowed(path: "postgres://db.test/ats", cause: "ask for atsgate_reader"))
        #expect(try await recordings(rig).note?.contains("atsgate_reader") == true)
        #expect(try await rig.script("/api/v1/report?format=json&recording=second").status == 200)
        #expect(try await rig.script("/api/v1/records/\(PageLoads.id(30))").status == 404)
    }

    @Test("a refused query affects only itself, and is never replaced by a report of one gate")
    func refused() async throws {
        let refusal = StoreError.refused(path: "postgres://db.test/ats", cause: "canceled (SQLSTATE 57014)")
        let rig = try rig(refusals: [refusal, refusal])
        let report = try await rig.script("/api/v1/report?format=json&recording=second")
        #expect(report.status == 503 && report.body.contains("57014"), "\(report)")
        #expect(try await recordings(rig).note?.contains("57014") == true)
        // The next queries are sent immediately.
        #expect(try await recordings(rig).note == nil)
        #expect(try await rig.script("/api/v1/report?format=json&recording=second").status == 200)
        let waits = patiences.withLock(\.self)
        try #require(waits.count == 4)
        #expect(waits[0] > waits[1] && waits[3] > waits[2], "a report may take longer than a list")
    }

    @Test("a broken connection is an outage for all queries")
    func broken() async throws {
        let rig = try rig(refusals: [.unreachable(path: "postgres://db.test/ats", cause: "gone")])
        #expect(try await recordings(rig).note?.contains("gone") == true)
        #expect(try await rig.script("/api/v1/report?format=json&recording=second").status == 503)
        #expect(tries.withLock(\.self) == 1)
    }
}
