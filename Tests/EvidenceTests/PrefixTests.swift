import Evidence
import Testing

/// The format in which a tool prints a message.
private struct LogFormat: Sendable, CustomTestStringConvertible {
    let name: String
    /// Adds the tool's text around a message.
    let line: @Sendable (String) -> String
    var app: String?
    var time: String?

    var testDescription: String { name }
}

private let app = "Shop Demo"
private let date = "2026-10-07 15:30:54.722193+0200"

private let dresses: [LogFormat] = [
    LogFormat(name: "bare", line: { $0 }),
    LogFormat(name: "Xcode", line: { "\(date) \(app)[461:99] \($0)" }, app: app, time: date),
    LogFormat(name: "Xcode with category", line: { "\(date) \(app)[461:99] [Default] \($0)" }, app: app, time: date),
    LogFormat(
        name: "Xcode before iOS 10", line: { "2016-07-01 13:12:07.949 \(app)[461:99] \($0)" }, app: app,
        time: "2016-07-01 13:12:07.949"),
    LogFormat(
        name: "log show",
        line: {
            "\(date) 0x2f13a    Error       0x5a2f0              461    0    \(app): (CFNetwork) [com.apple.CFNetwork:ATS] \($0)"
        },
        app: app, time: date),
    LogFormat(
        name: "log show, compact",
        line: { "2026-10-01 07:51:44.771 Df \(app)[461:17ab] [com.apple.CFNetwork:Default] \($0)" }, app: app,
        time: "2026-10-01 07:51:44.771"),
    LogFormat(
        name: "log show, syslog",
        line: { "\(date)  localhost \(app)[461]: (CFNetwork) [com.apple.CFNetwork:Default] \($0)" },
        app: app, time: date),
    LogFormat(
        name: "idevicesyslog", line: { "Jul  1 21:40:07 phone Shop(CFNetwork)[461] <Notice>: \($0)" }, app: "Shop",
        time: "Jul  1 21:40:07"),
    LogFormat(
        name: "old syslog", line: { "Jan 16 21:07:33 phone apsd[265]: \($0)" }, app: "apsd", time: "Jan 16 21:07:33"),
    LogFormat(
        name: "Console.app", line: { "default\t11:00:00.320226+0800\t\(app)\t\($0)" }, app: app,
        time: "11:00:00.320226+0800"),
    LogFormat(
        name: "Console.app before 10.12", line: { "4/12/16 9:52:51.191 PM com.example.Shop[461]: \($0)" },
        app: "com.example.Shop", time: "4/12/16 9:52:51.191 PM"),
    LogFormat(
        name: "pymobiledevice3",
        line: { "2026-10-02T16:15:07.210223 Shop{CFNetwork}[461] <ERROR>: \($0) [com.apple.CFNetwork][Default]" },
        app: "Shop", time: "2026-10-02T16:15:07.210223"),
    LogFormat(
        name: "ndjson",
        line: {
            #"{"timestamp":"\#(date)","processImagePath":"/x/\#(app)","processID":461,"threadID":9,"formatString":"Task <%s> summary for %s","eventMessage":"\#($0)"}"#
        }, app: app, time: date),
    LogFormat(
        name: "pymobiledevice3's JSON",
        line: {
            #"{"pid":461,"timestamp":"2026-10-02T16:15:07","filename":"/private/var/Shop.app/Shop","message":"\#($0)","label":{"subsystem":"x","message":"no"}}"#
        }, app: "Shop", time: "2026-10-02T16:15:07"),
    LogFormat(
        name: "log show --style json",
        line: {
            "[{\n  \"eventMessage\" : \"\($0)\",\n  \"processImagePath\" : \"\\/x\\/Shop\",\n  \"processID\" : 7\n}]"
        },
        app: "Shop"),
    LogFormat(
        name: "a viewer's line numbers", line: { "1543   :Jul  1 21:40:07 phone Shop[461] <Notice>: \($0)" },
        app: "Shop"),
    LogFormat(
        name: "flutter run -v", line: { "[  +66 ms] [DEVICE LOG] \(date)  localhost Runner[461]: (CFNetwork) \($0)" },
        app: "Runner", time: date),
    LogFormat(
        name: "a build server's dates", line: { "2026-10-07T15:30:54.1234567Z \(date) \(app)[461:99] \($0)" }, app: app,
        time: date),
    LogFormat(name: "indented", line: { "\t    \(date) \(app)[461:99] \($0)" }, app: app, time: date),
    LogFormat(
        name: "colours", line: { "\u{1B}[31m\(date)\u{1B}[0m \(app)[461:99] \u{1B}[1m\($0)\u{1B}[0m" }, app: app,
        time: date),
]

@Suite("line prefixes")
struct PrefixTests {
    @Test("a load reads the same after each prefix", arguments: dresses)
    fileprivate func dressed(_ dress: LogFormat) throws {
        let text = [
            "Task \(Names.one) resuming, timeouts(60.0, 604800.0)", "another app's word",
            "Connection 4: system TLS Trust evaluation failed(-9802)",
            "Task \(Names.one) HTTP load failed, 0/0 bytes (error code: -1200 [3:-9802])",
        ].map(dress.line).joined(separator: "\n")
        for text in [text, text + "\n", text.replacing("\n", with: "\r\n"), "\u{FEFF}" + text] {
            let tasks = LogReading.tasks(text)
            let task = try #require(tasks.first)
            #expect(tasks.count == 1)
            #expect(task.task == Names.one && task.outcome == .blocked)
            #expect(task.code == -1200 && task.streamCode == -9802)
            #expect(task.app == dress.app)
            if let time = dress.time { #expect(task.time == time) }
        }
    }

    @Test("each line may have its own prefix, because people paste logs together")
    func mixed() {
        let lines = dresses.enumerated().map { number, dress in
            let task = "<0A0A0A0A-1111-4222-8333-444444444444>.<\(number)>"
            return dress.line("Task \(task) received response, status 200 content K")
        }
        let tasks = LogReading.tasks(lines.joined(separator: "\n"))
        #expect(tasks.count == dresses.count)
        #expect(tasks.allSatisfy { $0.outcome == .allowed && $0.status == 200 })
        #expect(tasks.map(\.app) == dresses.map(\.app))
    }

    @Test("UTF-16 is read if the log begins with a byte order mark", arguments: [true, false])
    func wide(isBigEndian: Bool) {
        let text = "\u{FEFF}\(date) Löwe 🦁[461:99] Task \(Names.one) finished successfully\r\n"
        let bytes = text.utf16.flatMap { unit in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return isBigEndian ? [high, low] : [low, high]
        }
        for size in [Int.max, 1, 3] {
            let (tasks, counts) = LogReading.read(bytes, pieces: size)
            #expect(tasks.map(\.outcome) == [.allowed] && tasks.first?.app == "Löwe 🦁")
            #expect(counts.isUTF16)
        }
    }

    @Test("the path of a simulator runtime gives the release")
    func simulator() {
        let sender = "/Library/Developer/CoreSimulator/Profiles/Runtimes/iOS 18.2.simruntime/Contents/CFNetwork"
        let line = #"{"senderImagePath":"\#(sender)","eventMessage":"Task \#(Names.one) resuming"}"#
        #expect(LogReading.tasks(line).first?.system == "ios18.2")
        #expect(LogReading.tasks("Task \(Names.one) resuming", system: "ios17").first?.system == "ios17")
    }
}
