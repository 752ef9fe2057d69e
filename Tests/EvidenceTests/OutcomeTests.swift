import Evidence
import Testing

@Suite("outcomes of loads")
struct OutcomeTests {
    private static let error =
        "Error Domain=NSURLErrorDomain Code=-1200 \"A TLS error caused the secure connection to fail.\" "
        + "UserInfo={NSErrorFailingURLStringKey=https://api.shop.test/v1?token=a, _kCFStreamErrorDomainKey=3, "
        + "_kCFStreamErrorCodeKey=-9802}"

    @Test("loads that ATS rejects are blocked")
    func blocked() throws {
        for lines in [
            ["Cannot start load of Task \(Names.one) since it does not conform to ATS policy"],
            ["Task \(Names.one) finished with error - code: -1022"],
            [
                "Task \(Names.one) finished with error [-1022] Error Domain=NSURLErrorDomain Code=-1022 \"x\" UserInfo={}"
            ],
            ["ATS failed system trust", "Task \(Names.one) HTTP load failed, 0/0 bytes (error code: -1200 [3:-9802])"],
            [
                "Connection 2: strict TLS Trust evaluation failed(-9802)", "Connection 2: encountered error(3:-9802)",
                "Task \(Names.one) HTTP load failed, 0/0 bytes (error code: -1200 [3:-9802])",
            ],
            [
                "Trust evaluate failure: [root AnchorTrusted]", "System Trust Evaluation yielded status(-9802)",
                "Task \(Names.one) finished with error [-1200] \(Self.error)",
            ],
            [
                "Task \(Names.one) setting up Connection 3",
                "boringssl_session_errorlog(226) [C3.1.1.1:2][0x1] Error [ATS violation]: RSA key size 1024 bits is less than minimum 2048 bits for server: api.shop.test",
                "Task \(Names.one) HTTP load failed, 0/0 bytes (error code: -1200 [3:-9802])",
            ],
        ] {
            let tasks = LogReading.tasks(lines.joined(separator: "\n"))
            #expect(tasks.map(\.outcome) == [.blocked], "\(lines)")
        }
    }

    @Test("all other errors are failures, and so is -1200 without a line that names ATS")
    func failed() throws {
        for lines in [
            ["Task \(Names.one) HTTP load failed, 0/0 bytes (error code: -1200 [3:-9802])"],
            ["Task \(Names.one) finished with error [-1200] \(Self.error)"],
            [
                "Connection 2: default TLS Trust evaluation failed(-9807)", "Connection 2: encountered error(3:-9807)",
                "Task \(Names.one) HTTP load failed, 0/0 bytes (error code: -1202 [3:-9807])",
            ],
            ["Task \(Names.one) HTTP load failed, 0/0 bytes (error code: -1003 [12:8])"],
            [
                "Task \(Names.one) summary for task failure {transaction_duration_ms=12, response_status=-1, connection=8}"
            ],
            ["CFNetwork SSLHandshake failed (-9801)"],
            ["NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9807)"],
            ["Connection 13: default TLS Trust evaluation failed(-9807)"],
        ] {
            let tasks = LogReading.tasks(lines.joined(separator: "\n"))
            #expect(tasks.map(\.outcome) == [.failed], "\(lines)")
        }
    }

    @Test("a response is allowed with any status, and a load without an end is unknown")
    func others() {
        func outcome(_ rest: String) -> EvidenceTask.Outcome? {
            LogReading.tasks("Task \(Names.one) \(rest)").first?.outcome
        }
        #expect(outcome("received response, status 409 content U") == .allowed)
        #expect(outcome("finished successfully") == .allowed)
        #expect(
            outcome("summary for task success {transaction_duration_ms=1, response_status=304, connection=1}")
                == .allowed)
        #expect(outcome("resuming, timeouts(60.0, 604800.0)") == .unknown)
        #expect(outcome("RELEASING power assertion.") == .unknown)
        #expect(
            outcome("received response, status 200 content K\nTask \(Names.one) finished with error - code: -999")
                == .allowed)
        let redirected = "received response, status 301 content K\n"
        #expect(outcome(redirected + "Cannot start load of Task \(Names.one) since it does not conform") == .blocked)
        #expect(outcome(redirected + "Task \(Names.one) finished with error - code: -1003") == .failed)
    }

    @Test("a load is allowed if its second connection succeeds after a rejected first one")
    func secondTry() {
        let text = """
            Task \(Names.one) setting up Connection 3
            Connection 3: system TLS Trust evaluation failed(-9802)
            Task \(Names.one) now using Connection 4
            Task \(Names.one) received response, status 200 content K
            """
        #expect(LogReading.tasks(text).map(\.outcome) == [.allowed])
    }

    @Test("the line of 27 about http without TLS is an audit message and does not mean blocked")
    func audit() {
        let text = """
            Task \(Names.one) now using Connection 3
            nw_endpoint_flow [C3.1:2] [ATS violation] Did not use TLS for server: plain.shop.test
            Task \(Names.one) received response, status 200 content K
            """
        #expect(LogReading.tasks(text).map(\.outcome) == [.allowed])
    }

    @Test("a ruling has the printed keys, even if a terminal wrapped it; absurd numbers are ignored")
    func rulings() {
        func ruling(_ text: String) -> [String: Int]? {
            LogReading.tasks("2026-10-07 15:30:54.72+0200 A[1:2] Task \(Names.one) \(text)").first?.ruling?.values
        }
        #expect(
            ruling("{strength\n1, tls 8, ct 0, sub 0, sig 0, ciphers 1, bundle 0, builtin 0}") == [
                "strength": 1, "tls": 8, "ct": 0, "sub": 0, "sig": 0, "ciphers": 1, "bundle": 0, "builtin": 0,
            ])
        #expect(ruling("{strength 0, tls 4, sub 0}") == ["strength": 0, "tls": 4, "sub": 0])
        #expect(ruling("{strength 99999999999999999999, tls 4}") == ["tls": 4])
        #expect(ruling("{strength }") == nil)
    }

    @Test("TLS facts are those of the task's own connection")
    func handshake() throws {
        let text = """
            Task \(Names.one) now using Connection 18
            nw_protocol_boringssl_signal_connected(895) [C18.1.1.1:2][0x1] TLS connected [server(0) version(0x0303) \
            ciphersuite(0xc02f) group(0x11ec) alpn(nil) resumed(1)
            2026-10-07 15:30:54.72+0200 A[1:2] Task \(Names.one) received response, status 200 content K
            """
        let tls = try #require(LogReading.tasks(text).first?.tls)
        #expect(tls.version == "1.2" && tls.cipher == "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
        #expect(tls.group == "X25519MLKEM768" && tls.alpn == nil && tls.isResumed == true)
    }

    @Test("values hidden by the system are marked as redacted, and the issuer of a debugging proxy is kept")
    func hidden() throws {
        let hidden = """
            [C7 0A0A0A0A-1111-4222-8333-444444444444 Hostname#1feeda98:443 tcp, url hash: 5f803c41, tls, definite] start
            Task \(Names.one) now using Connection 7
            Task \(Names.one) received response, status 200 content K
            """
        let task = try #require(LogReading.tasks(hidden).first)
        #expect(task.isRedacted && task.host == nil && task.scheme == "https")
        let proxied = """
            Task \(Names.two) finished with error [-1202] Error Domain=NSURLErrorDomain Code=-1202 "x" UserInfo={NSErrorPeerCertificateChainKey=(
                "<cert(0x7f) s: api.shop.test i: Charles Proxy CA (1 Jan 2026, host)>",
                "<cert(0x7f) s: Charles Proxy CA i: Charles Proxy CA>"
            ), NSErrorFailingURLKey=https://api.shop.test/a}
            """
        let other = try #require(LogReading.tasks(proxied).first)
        #expect(other.proxied == "Charles Proxy CA (1 Jan 2026, host)" && other.host == "api.shop.test")
    }
}
