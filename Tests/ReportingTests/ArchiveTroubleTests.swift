import Dispatch
import Records
import Reporting
import Samples
import Synchronization
import Testing

@Suite("An archive with a failing sink")
struct ArchiveTroubleTests {
    @Test("a failing sink does not stop the others, is reported once, and its losses are counted")
    func failingSink() {
        let good = ScriptedSink()
        let bad = ScriptedSink()
        bad.set(.failing("disk full"))
        let messages = Messages()
        let archive = Archive(sinks: [bad, good]) { messages.add($0) }
        for number in 0..<50 {
            archive.file([SampleLoads.plain(number)])
            archive.flush()
        }
        #expect(good.records.count == 50)
        #expect(messages.all.first == "scripted: CANNOT RECORD LOADS: disk full; trying again")
        #expect(messages.all.count { $0.contains("CANNOT") } == 1)
        let summary = archive.close()
        #expect(summary.sinks.map(\.stored) == [0, 50])
        #expect(summary.sinks.map(\.lost) == [50, 0])
        #expect(summary.firstError == "disk full")
        #expect(!summary.isComplete)
        #expect(messages.all.last == "scripted: 50 loads were NOT recorded: disk full")
    }

    @Test("a sink that recovers gets all waiting records without another call")
    func recovery() {
        let bad = ScriptedSink()
        bad.set(.failing("busy"))
        let messages = Messages()
        let told = DispatchSemaphore(value: 0)
        let archive = Archive(sinks: [bad]) { message in
            messages.add(message)
            told.signal()
        }
        archive.file((0..<7).map { SampleLoads.plain($0) })
        #expect(told.wait(timeout: .now() + 60) == .success)
        bad.set(.fine)
        #expect(told.wait(timeout: .now() + 60) == .success)
        let summary = archive.close()
        #expect(bad.records.map(\.load.path) == (0..<7).map { "/\($0)" })
        #expect(summary.isComplete)
        #expect(summary.firstError == "busy")
        #expect(messages.all.last?.hasSuffix("; 0 loads were lost") == true)
    }

    @Test("records that a sink wrote before it failed are not written again")
    func partial() {
        let sink = ScriptedSink()
        sink.set(.partial(3))
        let archive = Archive(sinks: [sink]) { _ in }
        archive.file((0..<8).map { SampleLoads.plain($0) })
        archive.flush()
        let summary = archive.close()
        #expect(sink.records.map(\.load.path) == (0..<8).map { "/\($0)" })
        #expect(summary.sinks.first?.stored == 8)
        #expect(summary.sinks.first?.lost == 0)
    }

    @Test("a failing sink holds back no more records than the archive's capacity, and never fills the archive")
    func boundedBacklog() {
        let sink = ScriptedSink()
        sink.set(.failing("disk full"))
        let archive = Archive(sinks: [sink], capacity: 10) { _ in }
        for number in 0..<25 {
            archive.file([SampleLoads.plain(number)])
            archive.flush()
        }
        #expect(!archive.isFull)
        sink.set(.fine)
        let summary = archive.close()
        #expect(sink.records.map(\.load.path) == (0..<10).map { "/\($0)" })
        #expect(summary.sinks.first?.stored == 10)
        #expect(summary.sinks.first?.lost == 15)
    }

    @Test("a failing sink holds back no more bytes than the archive's capacity")
    func boundedBytes() {
        let sink = ScriptedSink()
        sink.set(.failing("disk full"))
        let archive = Archive(sinks: [sink], capacity: 1000, capacityBytes: 50_000) { _ in }
        var long = SampleLoads.plain()
        long.load.path = "/" + String(repeating: "a", count: 8000)
        for _ in 0..<10 { archive.file([long]) }
        archive.flush()
        sink.set(.fine)
        let summary = archive.close()
        #expect(summary.sinks.first?.stored == 5)
        #expect(summary.sinks.first?.lost == 5)
    }

    @Test("a failing sink is retried less and less often, not with every record")
    func backOff() {
        let first = DispatchSemaphore(value: 0)
        let bad = ScriptedSink(onWrite: { _ in first.signal() })
        bad.set(.failing("disk full"))
        let others = DispatchSemaphore(value: 0)
        let good = ScriptedSink(onWrite: { _ in others.signal() })
        let archive = Archive(sinks: [bad, good], capacity: 2) { _ in }
        archive.file([SampleLoads.plain()])
        #expect(first.wait(timeout: .now() + 60) == .success)
        for number in 0..<100 {
            archive.file([SampleLoads.plain(number), SampleLoads.plain(number)])
            #expect(others.wait(timeout: .now() + 60) == .success)
        }
        #expect(bad.writes < good.writes / 2)
        _ = archive.close()
    }
}

/// The messages shown to the user.
final class Messages: Sendable {
    private let told = Mutex<[String]>([])

    var all: [String] { told.withLock { $0 } }
    func add(_ message: String) { told.withLock { $0.append(message) } }
}
