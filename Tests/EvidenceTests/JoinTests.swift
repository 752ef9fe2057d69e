import Evidence
import Testing

@Suite("joining lines to loads")
struct JoinTests {
    @Test("duplicate lines about one load make one load")
    func twins() {
        for (lines, code) in [
            (
                [
                    "App Transport Security has blocked a cleartext HTTP connection to plain.shop.test since it is insecure.",
                    "Cannot start load of Task \(Names.one) since it does not conform to ATS policy",
                    "Task \(Names.one) finished with error [-1022] Error Domain=NSURLErrorDomain Code=-1022 \"x\" UserInfo={NSErrorFailingURLKey=http://plain.shop.test/a}",
                    "the app says: Error Domain=NSURLErrorDomain Code=-1022 \"x\" UserInfo={NSErrorFailingURLKey=http://plain.shop.test/a}",
                ], -1022
            ),
            (
                [
                    "NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9813)",
                    "Task \(Names.one) HTTP load failed (error code: -1202 [3:-9813])",
                    "Task \(Names.one) finished with error - code: -1202",
                    "NSURLConnection finished with error - code -1202",
                ], -1202
            ),
            (
                [
                    "PDTask \(Names.one) finished with error - code: -1005",
                    "Task \(Names.one) finished with error - code: -1005",
                ], -1005
            ),
        ] {
            let tasks = LogReading.tasks(lines.joined(separator: "\n"))
            #expect(tasks.map(\.task) == [Names.one] && tasks.map(\.code) == [code], "\(lines)")
        }
    }

    @Test("attempts with several TLS versions are one load")
    func fallbacks() {
        let lines = Array(repeating: "CFNetwork SSLHandshake failed (-9806)", count: 3)
        let end = "NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9806)"
        #expect(LogReading.tasks((lines + [end]).joined(separator: "\n")).map(\.streamCode) == [-9806])
        #expect(LogReading.tasks((lines + [end, end]).joined(separator: "\n")).count == 2)
    }

    @Test("a failed connection joins the task with the same error numbers, and only one task")
    func connections() {
        let text = """
            [C2 0A0A0A0A-1111-4222-8333-444444444444 a.shop.test:443 tcp, url hash: 1, tls] start
            [C3 0A0A0A0A-1111-4222-8333-444444444445 b.shop.test:443 tcp, url hash: 2, tls] start
            Connection 2: default TLS Trust evaluation failed(-9813)
            Connection 2: encountered error(3:-9813)
            Task \(Names.one) HTTP load failed, 0/0 bytes (error code: -1202 [3:-9813])
            Connection 3: system TLS Trust evaluation failed(-9802)
            Connection 3: encountered error(3:-9802)
            Task \(Names.two) HTTP load failed, 0/0 bytes (error code: -1200 [3:-9802])
            """
        let tasks = LogReading.tasks(text)
        #expect(tasks.map(\.task) == [Names.one, Names.two])
        #expect(tasks.map(\.host) == ["a.shop.test", "b.shop.test"])
        #expect(tasks.map(\.outcome) == [.failed, .blocked])
    }

    @Test("if two connections match and ATS blocked only one, neither is joined, and this is counted")
    func undecided() {
        let text = """
            Connection 2: default TLS Trust evaluation failed(-9802)
            Connection 3: system TLS Trust evaluation failed(-9802)
            Task \(Names.one) HTTP load failed, 0/0 bytes (error code: -1200 [3:-9802])
            """
        let (tasks, counts) = LogReading.read(Array(text.utf8))
        #expect(tasks.first { $0.task == Names.one }?.outcome == .failed)
        #expect(counts.unjoinedLines == 1)
    }

    @Test(
        "the failed checks of a trust evaluation belong to the load of its connection or error",
        arguments: [
            """
            Trust evaluate failure: [leaf SSLHostname] [root AnchorTrusted]
            ATS failed system trust
            Connection 1: system TLS Trust evaluation failed(-9802)
            """,
            """
             SecTrustEvaluate  [leaf SSLHostname] [root AnchorTrusted]
            NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9813)
            Task \(Names.one) HTTP load failed (error code: -1202 [3:-9813])
            """,
            """
            Trust evaluate failure: [leaf SSLHostname] [root AnchorTrusted]
            Connection 4: default TLS Trust evaluation failed(-9807)
            Connection 4: encountered error(3:-9807)
            Task \(Names.one) HTTP load failed, 0/0 bytes (error code: -1202 [3:-9807])
            """,
        ])
    func checks(text: String) {
        let tasks = LogReading.tasks(text)
        #expect(tasks.count == 1 && tasks[0].failedChecks.map(\.words) == ["leaf SSLHostname", "root AnchorTrusted"])
    }

    @Test("of two matching connections the one on the task's thread is joined")
    func threads() {
        let text = """
            2026-10-07 15:30:54.1+0200 A[1:10] Connection 2: default TLS Trust evaluation failed(-9802)
            2026-10-07 15:30:54.1+0200 A[1:10] Connection 2: encountered error(3:-9802)
            2026-10-07 15:30:54.1+0200 A[1:11] Connection 3: system TLS Trust evaluation failed(-9802)
            2026-10-07 15:30:54.1+0200 A[1:11] Connection 3: encountered error(3:-9802)
            2026-10-07 15:30:54.1+0200 A[1:11] Task \(Names.one) HTTP load failed, 0/0 bytes (error code: -1200 [3:-9802])
            """
        #expect(LogReading.tasks(text).first { $0.task == Names.one }?.outcome == .blocked)
    }

    @Test("connections of two processes with the same number are different")
    func processes() {
        let text = """
            default\t11:00:00.1+0800\tA\t[C2 0A0A0A0A-1111-4222-8333-444444444444 a.shop.test:443 tcp, url hash: 1, tls] start
            default\t11:00:00.1+0800\tB\t[C2 0A0A0A0A-1111-4222-8333-444444444445 b.shop.test:443 tcp, url hash: 1, tls] start
            default\t11:00:00.1+0800\tA\tTask \(Names.one) now using Connection 2
            default\t11:00:00.1+0800\tB\tTask \(Names.three) now using Connection 2
            """
        #expect(LogReading.tasks(text).map(\.host) == ["a.shop.test", "b.shop.test"])
    }

    @Test("an error over many lines is read, even with another thread's lines between and inside them")
    func interleaved() throws {
        let text = """
            2026-10-07 15:30:54.1+0200 A[1:2] Task \(Names.one) finished with error [-1004] Error Domain=NSURLErrorDomain \
            Code=-1004 "x" UserInfo={NSErrorFailingURLStringKey=https://api.shop.test/o2026-10-07 15:30:54.2+0200 A[1:3] [] nw_socket_connect failed
            rt/a, NSUnderlyingError=0x6 {Error Domain=kCFErrorDomainCFNetwork Code=-1004 "(null)" UserInfo={(
            2026-10-07 15:30:54.3+0200 A[1:3] Task \(Names.two) finished successfully
                "x"
            )}}, NSErrorFailingURLKey=https://api.shop.test/ort/a, _kCFStreamErrorDomainKey=1, _kCFStreamErrorCodeKey=64}
            """
        let tasks = LogReading.tasks(text)
        let one = try #require(tasks.first { $0.task == Names.one })
        #expect(one.code == -1004 && one.host == "api.shop.test" && one.streamCode == 64)
        #expect(tasks.first { $0.task == Names.two }?.outcome == .allowed)
        let torn = text.replacing("Key=https://api.shop.test/ort", with: "Key=https://other.shop.test/ort")
        #expect(LogReading.tasks(torn).first { $0.task == Names.one }?.host == nil)
    }

    @Test("a CFNETWORK_DIAGNOSTICS block gives its host to the task line on the same thread")
    func blocks() {
        let text = """
            2026-10-07 15:30:56.4+0200 A[1:7] [Diagnostics] CFNetwork Diagnostics [1:25] 15:30:56.420 {
                     Did Finish: (null)
                         Loader: request POST https://api.shop.test/<redacted>
            init to origin load: 0.007s
            } [1:25]
            2026-10-07 15:30:56.4+0200 A[1:8] [Summary] Task \(Names.two) summary for task success {response_status=200, connection=4}
            2026-10-07 15:30:56.4+0200 A[1:7] [Summary] Task \(Names.one) summary for task success {response_status=200, connection=3}
            """
        let tasks = LogReading.tasks(text)
        #expect(tasks.first { $0.task == Names.one }?.host == "api.shop.test")
        #expect(tasks.first { $0.task == Names.two }?.host == nil)
        #expect(tasks.count == 2)
    }

    @Test("the end of an error whose beginning is missing still names its task")
    func fragments() throws {
        let text = """
                "LocalDataTask \(Names.one)"
            ), _NSURLErrorFailingURLSessionTaskErrorKey=LocalDataTask \(Names.one), NSLocalizedDescription=The resource could \
            not be loaded because the App Transport Security policy requires the use of a secure connection.}
            """
        #expect(LogReading.tasks(text).map(\.outcome) == [.blocked])
    }

    @Test("a host that may have been cut off is ignored")
    func cut() {
        let begin =
            "Task \(Names.one) finished with error [-1004] Error Domain=NSURLErrorDomain Code=-1004 \"x\" UserInfo={"
        #expect(LogReading.tasks(begin + "NSErrorFailingURLKey=https://api.sh").first?.host == nil)
        #expect(LogReading.tasks(begin + "NSErrorFailingURLKey=https://api.shop.test/a").first?.host == "api.shop.test")
        #expect(LogReading.tasks(begin + "NSErrorFailingURLKey=https://[fe80::1]:8443/a}").first?.host == "fe80::1")
        #expect(LogReading.tasks(begin + "NSErrorFailingURLKey=https://<private>/a}").first?.isRedacted == true)
    }
}
