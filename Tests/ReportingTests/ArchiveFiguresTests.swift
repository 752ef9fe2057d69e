import Dispatch
import Records
import Reporting
import Samples
import Testing

@Suite("How an archive fares, in numbers")
struct ArchiveFiguresTests {
    @Test("what a failing sink keeps back is waiting, and what it gives up is lost, by what the sink is")
    func failingSink() {
        let bad = ScriptedSink()
        bad.set(.failing("disk full"))
        let archive = Archive(sinks: [ScriptedSink(), bad], capacity: 10) { _ in }
        #expect(archive.figures.lost == [.inner: 0])
        archive.file((0..<25).map { SampleLoads.plain($0) })
        archive.flush()
        #expect(archive.figures.waitingRows == 10)
        #expect(archive.figures.waitingBytes > 10 * 256)
        #expect(archive.figures.lost == [.inner: 15])
        bad.set(.fine)
        archive.flush()
        #expect(archive.figures.waitingRows == 0 && archive.figures.waitingBytes == 0)
        #expect(archive.figures.lost == [.inner: 15])
        _ = archive.close()
    }

    @Test("they are told while a sink blocks, and say that the archive is full")
    func blockedSink() {
        let entered = DispatchSemaphore(value: 0)
        let leave = DispatchSemaphore(value: 0)
        let sink = ScriptedSink { _ in
            entered.signal()
            leave.wait()
        }
        let archive = Archive(sinks: [sink], capacity: 4) { _ in }
        archive.file((0..<6).map { SampleLoads.plain($0) })
        entered.wait()
        #expect(archive.figures.waitingRows == 6)
        #expect(archive.figures.isFull)
        leave.signal()
        archive.flush()
        #expect(archive.figures.waitingRows == 0)
        #expect(!archive.figures.isFull)
        _ = archive.close()
    }

    @Test("sinks are told apart without the names of their files")
    func kinds() throws {
        let json = try JSONLinesSink(path: "/dev/null")
        #expect(json.kind == .json)
        #expect(ScriptedSink().kind == .inner)
        #expect(SinkKind.allCases.map(\.rawValue) == ["store", "json", "console", "inner"])
    }
}
