import Evidence
import Testing

@Suite("concurrent loads")
struct ConcurrentLoadTests {
    private static func on(_ thread: Int, _ message: String) -> String {
        "2026-10-07 15:30:54.1+0200 A[1:\(thread)] \(message)"
    }

    private static func failure(_ host: String, _ code: Int = -1003) -> String {
        "Error Domain=NSURLErrorDomain Code=\(code) \"x\" UserInfo={NSErrorFailingURLKey=https://\(host)/a}"
    }

    private static func block(_ event: String, _ host: String, _ code: Int? = nil) -> String {
        let error = code.map { "\n  Error: Error Domain=kCFErrorDomainCFNetwork Code=\($0) UserInfo={a=1}" } ?? ""
        return
            "CFNetwork Diagnostics [1:16] 15:30:56.342 {\n  \(event): (null)\n  Loader: https://\(host)/<redacted>\(error)\n} [1:16]"
    }

    @Test("a failure block joins a task with the same error, and no other", arguments: [0, 7])
    func failedBlock(thread: Int) {
        func line(_ message: String) -> String { thread == 0 ? message : Self.on(thread, message) }
        let other = [
            "Task \(Names.two) received response, status 200 content K",
            "Task \(Names.two) resuming, timeouts(60.0, 604800.0)",
            "Task \(Names.two) finished successfully", "Task \(Names.two) finished with error - code: -1001",
            "Task \(Names.two) summary for task success {response_status=200, connection=4}",
        ]
        for other in other {
            let text = [line(Self.block("Did Fail", "a.shop.test", -1003)), line(other)].joined(separator: "\n")
            let tasks = LogReading.tasks(text)
            #expect(tasks.count == 2, "\(text)")
            #expect(tasks.first { $0.task == Names.two }?.host == nil)
            #expect(
                tasks.first { $0.task == nil }?.code == -1003 && tasks.first { $0.task == nil }?.host == "a.shop.test")
            let joined = LogReading.tasks(text + "\n" + line("Task \(Names.one) finished with error - code: -1003"))
            #expect(joined.count == 2 && joined.first { $0.task == Names.one }?.host == "a.shop.test", "\(text)")
            #expect(joined.first { $0.task == Names.two }?.host == nil)
        }
    }

    @Test("a failure block joins the task on its thread that failed before it")
    func failedBefore() {
        let text = [
            Self.on(7, "Task \(Names.one) finished with error - code: -1003"),
            Self.on(8, "Task \(Names.two) finished with error - code: -1003"),
            Self.on(7, Self.block("Did Fail", "a.shop.test", -1003)),
            Self.on(8, Self.block("Did Fail", "b.shop.test", -1003)),
        ].joined(separator: "\n")
        #expect(LogReading.tasks(text).map(\.host) == ["a.shop.test", "b.shop.test"])
    }

    @Test("a finish block joins the next task that finishes successfully on its thread")
    func finishedBlock() {
        let text = [
            Self.on(7, Self.block("Did Finish", "a.shop.test")),
            Self.on(7, "Task \(Names.two) resuming, timeouts(60.0, 604800.0)"),
            Self.on(7, "Task \(Names.three) finished with error - code: -1001"),
            Self.on(7, "Task \(Names.one) finished successfully"),
        ].joined(separator: "\n")
        let tasks = LogReading.tasks(text)
        #expect(tasks.first { $0.task == Names.one }?.host == "a.shop.test")
        #expect(tasks.count == 3 && tasks.first?.task == Names.one && tasks.first?.line == 1)
        #expect(tasks.allSatisfy { $0.task == Names.one || $0.host == nil })
    }

    @Test("printed errors join the failure on their thread, or none")
    func printed() {
        let failures = [(Names.one, 7), (Names.two, 8)].map {
            Self.on($1, "Task \($0) finished with error - code: -1003")
        }
        let prints = [("a.shop.test", 7), ("b.shop.test", 8)].map { Self.on($1, "app: \(Self.failure($0))") }
        let tasks = LogReading.tasks((failures + prints).joined(separator: "\n"))
        #expect(tasks.map(\.host) == ["a.shop.test", "b.shop.test"])
        #expect(
            LogReading.tasks((failures + prints.reversed()).joined(separator: "\n")).map(\.host) == tasks.map(\.host))
        let bare = [Names.one, Names.two].map { "Task \($0) finished with error - code: -1003" }
        let unknown = LogReading.read(
            Array((bare + ["app: \(Self.failure("a.shop.test"))"]).joined(separator: "\n").utf8))
        #expect(unknown.tasks.map(\.host) == [nil, nil] && unknown.counts.unjoinedLines == 1)
    }

    @Test("with failed connections to several hosts, no host is guessed")
    func connections() {
        let starts = [2, 3].map {
            "[C\($0) 0A0A0A0A-1111-4222-8333-444444444444 \($0 == 2 ? "a" : "b").shop.test:443 tcp, url hash: 1, tls] start"
        }
        let ends = [2, 3].flatMap {
            [
                "Connection \($0): system TLS Trust evaluation failed(-9802)",
                "Connection \($0): encountered error(3:-9802)",
            ]
        }
        let failures = [Names.one, Names.two].map {
            "Task \($0) HTTP load failed, 0/0 bytes (error code: -1200 [3:-9802])"
        }
        let last = [Names.one, Names.two].map { "Task \($0) finished with error [-1200]" }
        let read = LogReading.read(Array((starts + ends + failures + last).joined(separator: "\n").utf8))
        #expect(read.tasks.map(\.task).sorted { $0 ?? "" < $1 ?? "" } == [Names.one, Names.two])
        #expect(read.tasks.allSatisfy { $0.outcome == .blocked && $0.host == nil && $0.scheme == "https" })
        #expect(read.tasks.allSatisfy { !$0.lines.joined().contains("shop.test") })
        #expect(read.counts.unjoinedLines == 2)
        let named = failures.enumerated().map { number, line in
            line + " \(Self.failure(number == 0 ? "b.shop.test" : "a.shop.test", -1200))"
        }
        let sure = LogReading.tasks((starts + ends + named).joined(separator: "\n"))
        #expect(sure.count == 2 && sure.first { $0.task == Names.one }?.host == "b.shop.test")
        #expect(sure.allSatisfy { $0.outcome == .blocked })
    }

    @Test("with blocked cleartext loads to several hosts, no host is guessed")
    func cleartext() {
        let hosts = ["a", "b"].map {
            "App Transport Security has blocked a cleartext HTTP connection to \($0).shop.test since it is insecure."
        }
        let starts = [Names.one, Names.two].map {
            "Cannot start load of Task \($0) since it does not conform to ATS policy"
        }
        let tasks = LogReading.tasks((hosts + starts).joined(separator: "\n"))
        #expect(
            tasks.count == 2 && tasks.allSatisfy { $0.outcome == .blocked && $0.host == nil && $0.scheme == "http" })
        let inTurn = [hosts[0], starts[0], hosts[1], starts[1]].joined(separator: "\n")
        #expect(LogReading.tasks(inTurn).map(\.host) == ["a.shop.test", "b.shop.test"])
    }

    @Test("loads that a NIAP package rejects are blocked")
    func niap() {
        let texts = [
            "FCS TLS v2 compliance error: leaf cert signature algorithm not in offered signature algorithms",
            "ATS violation: RSA key size 1024 less than minimum bound 2048",
            "Error [ATS FCPv2.1 violation]: TLS 1.2 negotiated without extended master secret (EMS) for server: api.shop.test",
        ]
        for text in texts {
            let lines = [
                "Task \(Names.one) setting up Connection 3",
                "boringssl_session_errorlog(226) [C3.1.1.1:2][0x1] \(text)",
                "Task \(Names.one) HTTP load failed, 0/0 bytes (error code: -1200 [3:-9802])",
            ]
            #expect(LogReading.tasks(lines.joined(separator: "\n")).map(\.outcome) == [.blocked], "\(text)")
        }
    }

    @Test("a trust message from much earlier does not join the next failure")
    func oldNotes() {
        let lines = ["ATS failed system trust"] + Array(repeating: "words", count: 2_000)
        let end = "Task \(Names.one) HTTP load failed, 0/0 bytes (error code: -1200 [3:-9802])"
        let read = LogReading.read(Array((lines + [end]).joined(separator: "\n").utf8))
        #expect(read.tasks.map(\.outcome) == [.failed] && read.counts.unjoinedLines == 1)
    }

    @Test(
        "a failure or load without an end does not hold back later loads",
        arguments: [
            "Connection 9: system TLS Trust evaluation failed(-9802)",
            "App Transport Security has blocked a cleartext HTTP connection to a.shop.test since it is insecure.",
            "CFNetwork Diagnostics [1:27] 15:30:56.429 { Protocol Received: request GET https://a.shop.test/<redacted> } [1:27]",
            "Task <0A0A0A0A-1111-4222-8333-444444444444>.<1> resuming, timeouts(60.0, 604800.0)",
        ])
    func orphan(line: String) {
        var reader = EvidenceReader(log: "test.txt")
        var tasks: [EvidenceTask] = []
        let text = line + "\nTask \(Names.two) finished successfully" + String(repeating: "\nwords", count: 210_000)
        Array(text.utf8).withUnsafeBytes { reader.read($0) { tasks.append($0) } }
        #expect(tasks.count == 2 && tasks.map(\.line) == [1, 2], "\(line)")
    }

    @Test("loads come in the order of their first lines, including joined lines")
    func order() {
        let text = [
            "Connection 9: system TLS Trust evaluation failed(-9802)", "Task \(Names.two) finished successfully",
            "Task \(Names.one) HTTP load failed, 0/0 bytes (error code: -1200 [3:-9802])",
        ].joined(separator: "\n")
        let tasks = LogReading.tasks(text)
        #expect(tasks.map(\.line) == [1, 2] && tasks.map(\.task) == [Names.one, Names.two])
    }

    @Test("a connection that is mentioned repeatedly is not forgotten")
    func manyConnections() {
        var lines = ["[C1 0A0A0A0A-1111-4222-8333-444444444444 a.shop.test:443 tcp, url hash: 1, tls] start"]
        for number in 2..<9_000 {
            lines.append("Connection \(number): enabling TLS")
            if number % 500 == 0 { lines.append("Connection 1: done") }
        }
        lines.append("Task \(Names.one) now using Connection 1")
        #expect(LogReading.tasks(lines.joined(separator: "\n")).first?.host == "a.shop.test")
    }
}
