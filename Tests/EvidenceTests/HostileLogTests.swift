import Evidence
import Seeded
import Testing

@Suite("hostile logs")
struct HostileLogTests {
    /// One log with all kinds of lines.
    private static let sample = """
        2026-10-07 15:30:54.1+0200 A[1:2] Task \(Names.one) resuming
        {"eventMessage":"Task \(Names.two) finished with error [-1022] \\u00e4\\n{","processID":3}
        2026-10-07 15:30:54.1+0200 A[1:2] Task \(Names.one) finished with error [-1202] Error Domain=NSURLErrorDomain \
        Code=-1202 "x" UserInfo={NSErrorPeerCertificateChainKey=(
            "<cert(0x7f) s: a i: b>"
        ), NSErrorFailingURLKey=https://api.shop.test/a, _kCFStreamErrorCodeKey=-9813}
        [{
          "eventMessage" : "Connection 4: system TLS Trust evaluation failed(-9802)"
        }]
        default\t11:00:00.1+0800\tA\t[C2 0A0A0A0A-1111-4222-8333-444444444444 a.shop.test:443 tcp, url hash: 1, tls] start\r
        \u{1B}[1mTask \(Names.three) received response, status 200\u{1B}[0m
        Starting ATS Diagnostics

        Configuring ATS Info.plist keys and displaying the result of HTTPS loads to https://api.shop.test.
        ---
        Allow All Loads
        Result : FAIL
        Error : Error Domain=NSURLErrorDomain Code=-1200 "x"

        """

    @Test("a log gives the same result in pieces of any size")
    func splits() {
        let bytes = Array(Self.sample.utf8)
        let whole = LogReading.read(bytes)
        #expect(whole.tasks.count == 5)
        for size in 1..<96 {
            let read = LogReading.read(bytes, pieces: size)
            #expect(read.tasks == whole.tasks && read.counts == whole.counts, "pieces of \(size)")
        }
    }

    @Test("randomly changed logs give loads or none, and never end the program")
    func mutations() {
        for seed in UInt64(1)...400 {
            var dice = SeededGenerator(seed: seed)
            var bytes = Array(Self.sample.utf8)
            for _ in 0..<Int.random(in: 1...24, using: &dice) {
                let place = Int.random(in: 0..<bytes.count, using: &dice)
                switch Int.random(in: 0...3, using: &dice) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &dice)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: bytes[place...].prefix(40), at: place)
                default: bytes = Array(bytes[place...] + bytes[..<place])
                }
            }
            #expect(LogReading.read(bytes, pieces: 50).counts.lines > 0, "seed \(seed)")
        }
    }

    @Test("binary lines, endless lines and endless objects are skipped and counted")
    func passedOver() {
        let good = Array("\nTask \(Names.one) finished successfully\n".utf8)
        var dice = SeededGenerator(seed: 7)
        let noise = (0..<20_000).map { _ in UInt8.random(in: 0...255, using: &dice) }
        #expect(LogReading.read(noise + good).counts.binaryLines > 0)
        #expect(LogReading.read(noise + good).tasks.contains { $0.task == Names.one })
        let long = Array(repeating: UInt8(ascii: "x"), count: 600_000)
        let cut = LogReading.read(long + good, pieces: 7_777)
        #expect(cut.counts.cutLines == 1 && cut.tasks.map(\.task) == [Names.one])
        let deep = Array((String(repeating: "{\"a\":", count: 500) + "\n").utf8)
        let given = LogReading.read(deep + good)
        #expect(given.counts.brokenObjects == 1 && given.tasks.map(\.task) == [Names.one])
    }

    @Test("more open loads than the limit are handed on early, in order, and counted")
    func crowd() {
        let count = 10_000
        let text = (0..<count).map { "Task <0A0A0A0A-1111-4222-8333-444444444444>.<\($0)> resuming" }
        let (tasks, counts) = LogReading.read(Array(text.joined(separator: "\n").utf8))
        #expect(tasks.count == count && tasks.map(\.line) == Array(1...count))
        #expect(counts.earlyLoads > 0)
        let late = text + ["Task <0A0A0A0A-1111-4222-8333-444444444444>.<0> finished successfully"]
        let again = LogReading.read(Array(late.joined(separator: "\n").utf8))
        #expect(again.tasks.count == count && again.counts.lateLines == 1)
    }

    @Test("the number of stored lines of one load is limited")
    func chatter() {
        let text = Array(repeating: "Task \(Names.one) received response, status 200", count: 5_000)
        let task = LogReading.tasks(text.joined(separator: "\n")).first
        #expect((task?.lines.count ?? 0) <= 100)
    }

    @Test("absurd numbers and names are ignored")
    func absurd() {
        for line in [
            "Task <99999999-9999-9999-9999-999999999999>.<99999999999999999999999> resuming", "Task <>.<> resuming",
            "Connection 99999999999999999999: encountered error(3:-9802)", "[C99999999999999 a:443 tcp, tls] start",
            "Task \(String(repeating: "<", count: 5_000))",
        ] {
            #expect(LogReading.tasks(line).isEmpty, "\(line.prefix(60))")
        }
    }
}
