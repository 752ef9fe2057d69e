import ControlPlane
import Foundation
import HTTPWire
import Records
import Reporting
import Synchronization
import Testing

/// The page's connections to a shared store. A file acts as the server.
@Suite("The page's connections to a shared store", .timeLimit(.minutes(2)))
final class KeptReaderTests: Sendable {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-api-\(UUID().uuidString)")
    private let connections = Mutex(0)
    /// True if the existing connections have broken.
    private let isBroken = Mutex(false)
    /// Yields when a connection is closed.
    private let closed = AsyncStream.makeStream(of: Void.self)

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Reads a file like a server, until its connection breaks: reports from a temporary store with its rows.
    private final class Connection: StoreSource {
        let name = "postgres://db.test/ats"
        let hasNews = false
        private let file: StoreReader
        private let rows: PulledStore
        private let isBroken: @Sendable () -> Bool
        private let onClose: @Sendable () -> Void

        init(
            to path: String, isBroken: @escaping @Sendable () -> Bool, onClose: @escaping @Sendable () -> Void
        ) throws {
            file = try StoreReader(path: path)
            rows = try Self.pulled(from: path)
            (self.isBroken, self.onClose) = (isBroken, onClose)
        }

        deinit { onClose() }

        private static func pulled(from path: String) throws -> PulledStore {
            var batch = Spool.Batch()
            try Spool(path: path).fill(&batch, after: 0, count: 100, bytes: 1 << 20)
            let rows = try PulledStore()
            try rows.fill { writer in
                for (name, begin) in batch.recordings { try writer.addRecording(name, begun: begin) }
                let shared = try batch.shared.mapValues { row in
                    let handshake = try row.handshake.map { try writer.addHandshake($0) }
                    return try writer.addShared(row.values, handshake: handshake)
                }
                let diagnoses = try batch.diagnoses.mapValues { try writer.addDiagnosis($0.values) }
                for (_, load) in batch.loads {
                    var load = load
                    load.shared = shared[load.shared] ?? 0
                    load.diagnosis = diagnoses[load.diagnosis] ?? 0
                    try writer.add(load)
                }
            }
            return rows
        }

        private func checked() throws -> StoreReader {
            if isBroken() { throw StoreError.unreachable(path: name, cause: "gone") }
            return file
        }

        func look<Answer>(
            at part: StorePart, counter: WorkCounter, _ body: (StoreView) throws -> Answer
        ) throws -> Answer {
            _ = try checked()
            return try rows.read(counter: counter, body)
        }

        func page(of filter: RecordFilter, before place: StorePosition?, limit: Int) throws -> StorePage {
            try checked().page(of: filter, before: place, limit: limit)
        }

        func record(id: String) throws -> LoadRecord? { try checked().record(id: id) }

        func news(of filter: RecordFilter, after mark: inout StoreMark, limit: Int) throws -> [LoadRecord] { [] }

        func mark() throws -> StoreMark { .beginning }

        func verdictsByGate(of filter: RecordFilter) throws -> [String: [Verdict: Int]] { [:] }

        func sizes(of filter: RecordFilter) throws -> [String: Int64] { [:] }
    }

    private func rig(_ limits: WebLimits = WebLimits(), more: [WebRoute] = []) throws -> PageRig {
        let path = folder.appending(path: "shared.sqlite").path
        let sink = try StoreSink(path: path) { _ in }
        try sink.write((0..<4).map { PageLoads.blocked($0, recording: "second") })
        try sink.close()
        let own = folder.appending(path: "own.sqlite").path
        try StoreSink(path: own) { _ in }.close()
        return try PageRig(
            limits, more: more, storePath: own,
            sharedStore: { [self] _ in
                connections.withLock { $0 += 1 }
                isBroken.withLock { $0 = false }
                let source = try Connection(
                    to: path, isBroken: { self.isBroken.withLock(\.self) },
                    onClose: { [closed] in closed.continuation.yield() })
                return StoreReader(source)
            })
    }

    /// The number of connections made so far, after listing the recording's loads.
    private func connectionsAfterList(_ rig: PageRig) async throws -> Int {
        let answer = try await rig.script("/api/v1/records?recording=second")
        #expect(answer.status == 200 && answer.body.contains("\"note\":null"), "\(answer)")
        #expect(answer.body.split(separator: "\"recording\":\"second\"").count == 5, "\(answer)")
        return connections.withLock(\.self)
    }

    @Test("lists share one connection, and each report has its own")
    func kept() async throws {
        let rig = try rig()
        for _ in 0..<3 { #expect(try await connectionsAfterList(rig) == 1) }
        #expect(try await rig.script("/api/v1/report?format=json&recording=second").status == 200)
        #expect(connections.withLock(\.self) == 2)
        #expect(try await connectionsAfterList(rig) == 2)
    }

    @Test("a connection that broke while unused is replaced before any client notices")
    func broken() async throws {
        let rig = try rig()
        #expect(try await connectionsAfterList(rig) == 1)
        isBroken.withLock { $0 = true }
        #expect(try await connectionsAfterList(rig) == 2)
        #expect(try await connectionsAfterList(rig) == 2)
    }

    @Test("an unused connection is closed, and the next query opens another")
    func closedWhenIdle() async throws {
        var limits = WebLimits()
        limits.idleStore = .milliseconds(1)
        let rig = try rig(limits)
        #expect(try await connectionsAfterList(rig) == 1)
        for await () in closed.stream { break }
        #expect(try await connectionsAfterList(rig) == 2)
    }

    @Test("a long query does not delay the next, and changes run one after the other")
    func longQuestions() async throws {
        let begun = Mutex(0)
        let began = AsyncStream.makeStream(of: Void.self)
        let mayEnd = DispatchSemaphore(value: 0)
        let work: WebRoute.Handler = { _ in
            begun.withLock { $0 += 1 }
            began.continuation.yield()
            mayEnd.wait()
            return .plain("at last")
        }
        let rig = try rig(
            more: [WebRoute(.get, "/test/long", .reading, work), WebRoute(.post, "/test/change", .changing, work)])
        let waits = ["/test/long", "/test/long", "POST /test/change", "POST /test/change"].map { what in
            Task { try await rig.script(what).body }
        }
        var count = 0
        for await () in began.stream {
            count += 1
            if count == 3 { break }
        }
        #expect(try await connectionsAfterList(rig) == 1)
        // The other change has not begun.
        #expect(begun.withLock(\.self) == 3)
        for _ in waits { mayEnd.signal() }
        for wait in waits { #expect(try await wait.value == "at last") }
    }
}
