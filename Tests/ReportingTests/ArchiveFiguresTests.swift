import Dispatch
import Records
import Reporting
import Samples
import Testing

@Suite("Figures of an archive")
struct ArchiveFiguresTests {
    @Test("loads held for a failing sink are waiting, and dropped ones are lost, counted by kind of sink")
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

    @Test("the figures are available while a sink blocks, and show a full archive")
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

    @Test("sinks are distinguished without their file names")
    func kinds() throws {
        let json = try JSONLinesSink(path: "/dev/null")
        #expect(json.kind == .json)
        #expect(ScriptedSink().kind == .inner)
        #expect(SinkKind.allCases.map(\.rawValue) == ["store", "json", "console", "inner"])
    }
}
