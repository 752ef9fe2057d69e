import Evidence
import Seeded
import Testing

@Suite("hostile lines")
struct HostileLineTests {
    private static let date = "2026-10-02T16:15:07.210223"
    private static let failure = "Error Domain=NSURLErrorDomain Code=-1200 \"x\" UserInfo={"

    @Test("a message of only a label is empty, after the prefix of each tool")
    func onlyLabel() {
        let labels = ["[com.apple.CFNetwork][Default]", "[a][b]", "[][]", "[a] [b][c]", "][", "][]", "[", "]"]
        for label in labels {
            for blanks in ["", " ", "  ", "\t"] {
                for start in [
                    "\(Self.date) Shop{CFNetwork}[461] <DEBUG>:", "\(Self.date) Shop[461:1]", "\(Self.date) Shop[461]:",
                    "Jul  1 21:40:07 phone Shop(CFNetwork)[461] <Notice>:", "default\t11:00:00.1+0800\tShop",
                    "\(Self.date) 0x2f13a Error 0x5a2f0 461 0 Shop:", "\(Self.date) Df Shop[461:17ab]", "",
                ] {
                    let line = start + blanks + label
                    #expect(LogReading.tasks(line).isEmpty, "\(line)")
                    let task = "\(start) Task \(Names.one) resuming \(label)"
                    #expect(LogReading.tasks(task).map(\.task) == [Names.one], "\(task)")
                }
            }
        }
    }

    @Test("spaces before a message or in its prefix may be longer than the limit of a message")
    func blanks() {
        let blanks = String(repeating: " ", count: 65_600)
        let prefix = "2026-10-07 15:30:54.722193+0200 Shop[461:99]"
        let dressed = "\(blanks)\(prefix) Task \(Names.one) finished with error [-1200] \(Self.failure)"
        let task = LogReading.tasks(dressed).first
        #expect(task?.task == Names.one && task?.app == "Shop" && task?.code == -1200)
        for (start, end) in [
            (prefix, " "), (String(prefix.prefix(31)), " " + String(prefix.dropFirst(31)) + " "), ("", ""),
        ] {
            let line = start + blanks + end + "Task \(Names.one) finished with error [-1200] \(Self.failure)"
            #expect(LogReading.tasks(line).map(\.task) == [Names.one], "\(line.suffix(120))")
            #expect(LogReading.tasks(line + blanks).map(\.task) == [Names.one])
        }
    }

    @Test("a line of repeated dates is read without loads, and a message after them is found")
    func dates() {
        for count in [1, 2, 64, 9_000] {
            let line = String(repeating: "2026-10-02 16:15:07 ", count: count)
            #expect(LogReading.tasks(line).isEmpty)
            #expect(LogReading.tasks(line + "Shop[1:2] Task \(Names.one) resuming").map(\.task) == [Names.one])
        }
    }

    @Test("a line with many prefixes of other messages keeps its first load")
    func foreign() {
        let piece = "2026-10-07 15:30:54.1+0200 A[1:2] Task \(Names.one) finished with error [-1200] \(Self.failure) "
        #expect(LogReading.tasks(String(repeating: piece, count: 2)).map(\.task) == [Names.one])
        for count in [20, 2_000] {
            #expect(LogReading.tasks(String(repeating: piece, count: count)).map(\.task) == [Names.one])
        }
        let short = String(repeating: "Error Domain={2026-10-07 15:30:54 A[1:2] ", count: 6_200)
        #expect(LogReading.tasks("2026-10-07 15:30:54 A[1:2] " + short).isEmpty)
    }

    @Test("the stored names, times and URLs of a load are cut")
    func cut() throws {
        let long = String(repeating: "x", count: 70_000)
        let object = """
            {"timestamp":"2026\(long)","processImagePath":"/\(long)","eventMessage":"Task \(Names.one) finished with error \
            [-1003] Error Domain=NSURLErrorDomain Code=-1003 UserInfo={NSErrorFailingURLKey=https://api.shop.test/\(long), a=}"}
            """
        let task = try #require(LogReading.tasks(object).first)
        #expect(task.app?.utf8.count == 160 && task.time?.utf8.count == 64)
        #expect(task.host == "api.shop.test" && task.url == nil)
        #expect(task.lines.allSatisfy { $0.utf8.count <= 4_096 })
        let entry =
            #"{"startedDateTime":"\#(long)","request":{"url":"https://api.shop.test/\#(long)"},"response":{"status":0}}"#
        let loads = LogReading.tasks(#"{"log":{"entries":[\#(entry)]}}"#)
        #expect(loads.first?.host == "api.shop.test" && loads.first?.url == nil && loads.first?.time?.utf8.count == 64)
        let address =
            "[C2 0A0A0A0A-1111-4222-8333-444444444444 \(long):1:2.443 tcp, tls] start\nTask \(Names.one) now using Connection 2"
        #expect(LogReading.tasks(address).first?.host == nil)
    }

    @Test("many loads on one line are handed on early, like loads on many lines")
    func manyObjects() {
        let objects = (0..<5_000).map { #"{"eventMessage":"Task <0A0A0A0A-1>.<\#($0)> x"}"# }.joined()
        let lines = Array(repeating: objects, count: 2).enumerated().map { number, line in
            line.replacing("0A0A0A0A-1", with: "0A0A0A0A-\(number)")
        }
        var reader = EvidenceReader(log: "test.txt")
        var given: [Int] = []
        for line in lines {
            var count = 0
            Array((line + "\n").utf8).withUnsafeBytes { reader.read($0) { _ in count += 1 } }
            given.append(count)
        }
        #expect(given.allSatisfy { $0 > 0 }, "\(given)")
    }
}
