import Dispatch
import Records
import Reporting
import Samples
import Synchronization
import Testing

@Suite("The archive")
struct ArchiveTests {
    @Test("every filed record reaches every sink once, in order, with growing ids")
    func allArrive() {
        let sinks = [ScriptedSink(), ScriptedSink()]
        let archive = Archive(sinks: sinks) { _ in }
        for start in stride(from: 0, to: 10_000, by: 100) {
            archive.file((start..<start + 100).map { SampleLoads.plain($0) })
        }
        let summary = archive.close()
        #expect(summary.filed == 10_000)
        #expect(summary.verdicts == [.allowed: 10_000])
        #expect(summary.sinks.map(\.stored) == [10_000, 10_000])
        #expect(summary.isComplete)
        for sink in sinks {
            #expect(sink.records.map(\.load.path) == (0..<10_000).map { "/\($0)" })
            #expect(sink.records.map(\.id) == sink.records.map(\.id).sorted())
            #expect(sink.isClosed)
        }
        #expect(Set(sinks[0].records.map(\.id)).count == 10_000)
    }

    @Test("the summary lists each recording's name once")
    func names() {
        let archive = Archive(sinks: []) { _ in }
        archive.file(["a", "b", "a"].map { SampleLoads.plain(recording: $0) })
        #expect(archive.close().recordings == ["a", "b"])
    }

    @Test("many threads may file at the same time")
    func manyThreads() {
        let sink = ScriptedSink()
        let archive = Archive(sinks: [sink]) { _ in }
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for number in 0..<500 { archive.file([SampleLoads.plain(number)]) }
        }
        #expect(archive.close().sinks.first?.stored == 4000)
        #expect(Set(sink.records.map(\.id)).count == 4000)
    }

    @Test("records are redacted before any sink sees them")
    func redacted() {
        let sink = ScriptedSink()
        let archive = Archive(sinks: [sink]) { _ in }
        var record = SampleLoads.plain()
        record.load.path = "/?token=secret"
        archive.file([record])
        archive.flush()
        #expect(sink.records.first?.load.path == "/?token=***")
        #expect(sink.records.first.map { RecordJSON.text($0).contains("secret") } == false)
        _ = archive.close()
    }

    @Test("a record arrives soon without a flush")
    func arrivesByItself() {
        let arrived = DispatchSemaphore(value: 0)
        let sink = ScriptedSink(onWrite: { _ in arrived.signal() })
        let archive = Archive(sinks: [sink]) { _ in }
        archive.file([SampleLoads.plain()])
        #expect(arrived.wait(timeout: .now() + 60) == .success)
        _ = archive.close()
    }

    @Test("records filed while a sink works are gathered, and not passed on one by one")
    func gatheredWhileSinksWork() {
        // Each write files the next load.
        let next = Mutex<(archive: Archive?, number: Int)>((nil, 1))
        let ended = DispatchSemaphore(value: 0)
        let sink = ScriptedSink(onWrite: { _ in
            let turn = next.withLock { next in
                next.number += 1
                return next
            }
            if turn.number <= 4 { turn.archive?.file([SampleLoads.plain(turn.number)]) } else { ended.signal() }
        })
        let archive = Archive(sinks: [sink]) { _ in }
        next.withLock { $0.archive = archive }
        let began = ContinuousClock.now
        archive.file([SampleLoads.plain(1)])
        #expect(ended.wait(timeout: .now() + 60) == .success)
        #expect(ContinuousClock.now - began >= .milliseconds(100))
        next.withLock { $0.archive = nil }
        _ = archive.close()
    }

    @Test("a full archive still accepts records, reports that it is full, and calls once when it has room")
    func fullAndRoomy() {
        let gate = DispatchSemaphore(value: 0)
        let sink = ScriptedSink(onWrite: { _ in gate.wait() })
        let archive = Archive(sinks: [sink], capacity: 10) { _ in }
        #expect(!archive.isFull)
        archive.file((0..<12).map { SampleLoads.plain($0) })
        #expect(archive.isFull)
        let roomy = DispatchSemaphore(value: 0)
        let calls = Atomic<Int>(0)
        archive.whenRoomy {
            calls.add(1, ordering: .relaxed)
            roomy.signal()
        }
        archive.file([SampleLoads.plain(12)])
        #expect(calls.load(ordering: .relaxed) == 0)
        for _ in 0..<20 { gate.signal() }
        #expect(roomy.wait(timeout: .now() + 60) == .success)
        archive.flush()
        #expect(!archive.isFull)
        #expect(archive.close().sinks.first?.stored == 13)
        #expect(calls.load(ordering: .relaxed) == 1)
    }

    @Test("an archive is full by bytes as well as by records")
    func fullOfBytes() {
        let gate = DispatchSemaphore(value: 0)
        let sink = ScriptedSink(onWrite: { _ in gate.wait() })
        let archive = Archive(sinks: [sink], capacity: 1000, capacityBytes: 100_000) { _ in }
        var long = SampleLoads.plain()
        long.load.path = "/" + String(repeating: "a", count: 8000)
        archive.file(Array(repeating: long, count: 10))
        #expect(!archive.isFull)
        archive.file(Array(repeating: long, count: 2))
        #expect(archive.isFull)
        for _ in 0..<20 { gate.signal() }
        archive.flush()
        #expect(!archive.isFull)
        #expect(archive.close().sinks.first?.stored == 12)
    }

    @Test("with room the callback is called immediately")
    func roomyNow() {
        let archive = Archive(sinks: []) { _ in }
        let calls = Atomic<Int>(0)
        archive.whenRoomy { calls.add(1, ordering: .relaxed) }
        #expect(calls.load(ordering: .relaxed) == 1)
        _ = archive.close()
    }

    @Test("a second close repeats the summary, and late records are counted and make it incomplete")
    func closedTwice() {
        let archive = Archive(sinks: [ScriptedSink()]) { _ in }
        archive.file([SampleLoads.plain()])
        #expect(archive.close().isComplete)
        archive.file([SampleLoads.plain()])
        let summary = archive.close()
        #expect(summary.filed == 1)
        #expect(summary.late == 1)
        #expect(!summary.isComplete)
    }
}
