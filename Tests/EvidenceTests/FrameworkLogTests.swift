import Evidence
import Testing
import Text

/// Errors as web views and frameworks print them, and failures that ATS has no part in.
@Suite("errors of frameworks, and other causes")
struct FrameworkLogTests {
    private struct Seen: Equatable {
        let outcome: EvidenceTask.Outcome
        let code: Int?
        let domain: String?
        let host: String?

        init(_ task: EvidenceTask) {
            (outcome, code, domain, host) = (task.outcome, task.code, task.domain, task.host)
        }

        init(
            _ outcome: EvidenceTask.Outcome, _ code: Int?, _ domain: String? = "NSURLErrorDomain", _ host: String? = nil
        ) {
            (self.outcome, self.code, self.domain, self.host) = (outcome, code, domain, host)
        }
    }

    private func seen(_ text: String) -> [Seen] { LogReading.tasks(text).map(Seen.init) }

    @Test("WebKit's lines about a failed load have its code; codes of other domains are not loads")
    func webKit() {
        let prefix =
            "2021-12-02 17:30:02.763236-0500 App[4293:847602] [Process] 0x10383e018 - [pageProxyID=5, PID=4294] "
        #expect(
            seen(
                prefix
                    + "WebPageProxy::didFailProvisionalLoadForFrame: frameID=3, domain=NSURLErrorDomain, code=-1202\n"
                    + "The certificate for this server is invalid.")
                == [Seen(.failed, -1202)])
        #expect(
            seen(prefix + "WebPageProxy::didFailProvisionalLoadForFrame: frameID=3, domain=WebKitErrorDomain, code=102")
                .isEmpty)
        #expect(
            seen("0x11f - [pageID=3, frameID=1, resourceID=7] SubresourceLoader::didFail: (type=0, code=-1022)")
                == [Seen(.blocked, -1022)])
    }

    @Test("React Native, Flutter and the usual text of an NSError have their codes")
    func frameworks() {
        let view =
            #"WARN  Encountered an error loading page {"code": -1202, "description": "x", "domain": "NSURLErrorDomain", "#
        #expect(seen(view + #""target": 7, "url": ""}"#) == [Seen(.failed, -1202)])
        #expect(
            seen(view + #""url": "https://a.shop.test/x"}"#)
                == [Seen(.failed, -1202, "NSURLErrorDomain", "a.shop.test")])
        #expect(
            seen(
                """
                2022-09-27 20:17:17.534212+0530 Runner[430:31691] [VERBOSE-2:dart_vm.cc(41)] Unhandled Exception: (-1200) An SSL error
                [VERBOSE-2:ui_dart_state.cc(166)] Unhandled Exception: PlatformException(-11800, The operation could not be completed, null)
                Unhandled Exception: PlatformException(-1200, An SSL error has occurred, {index: 0}, null)
                """)
                == [Seen(.failed, -1200), Seen(.failed, -11_800, "AVFoundationErrorDomain")])
        #expect(
            seen("The operation couldn’t be completed. (NSURLErrorDomain error -1022.)") == [Seen(.blocked, -1022)])
        for text in [
            "PlatformException(404, Not found, null)", "NSURLErrorDomain", "NSURLErrorDomain error 7",
            "PlatformException(sign_in_failed, -1200, null)", "MyDomain error -1022",
        ] {
            #expect(seen(text).isEmpty, "\(text)")
        }
    }

    @Test("NSURLConnection's line is read in every spelling")
    func connectionFinished() {
        for text in [
            "NSURLConnection finished with error - code -1200", "NSURLConnection finished with error - code - 1200",
            "NSURLConnection finished with error: code -1200",
        ] {
            #expect(seen(text) == [Seen(.failed, -1200)], "\(text)")
        }
    }

    @Test("a task with a shortened UUID is a task")
    func shortenedNames() {
        for name in ["<0B81E4DC-…>.<1>", "<0B81E4DC...>.<1>", "<xxxxxxxx-xxxx>.<1>", "<0B81>.<1>"] {
            let tasks = LogReading.tasks(
                """
                Task \(name) HTTP load failed, 0/0 bytes (error code: -1200 [3:-9802])
                Task \(name) finished with error [-1200] Error Domain=NSURLErrorDomain Code=-1200 "x" UserInfo={}
                """)
            #expect(tasks.map(\.task) == [name], "\(name)")
        }
        #expect(LogReading.tasks("Task <>.<1> finished with error [-1200]").first?.task == nil)
    }

    @Test("copies from Console.app with a date, a blank before the zone and blanks in the name are read")
    func consoleCopies() {
        for start in [
            "error\t2025-10-04 11:00:00.320226 +0800\tMy Shop App\t", "error 11:00:00.320226+0800 My Shop App ",
            "default 11:00:00.320226 +0800 My Shop App ", "2025-10-04 11:00:00.320226 +0800 My Shop App[17:204] ",
        ] {
            let tasks = LogReading.tasks(start + "Task \(Names.one) finished with error [-1022] Error Domain=x")
            #expect(tasks.map(\.app) == ["My Shop App"] && tasks.map(\.code) == [-1022], "\(start)")
        }
        let other = LogReading.tasks(
            "default 11:00:00.320226+0800 Shop prints Task \(Names.one) finished with error [-1022]")
        #expect(other.map(\.code) == [-1022])
    }

    @Test("codes of kCFErrorDomainCFNetwork and stream errors of domain 4 are read; the cause is named")
    func otherDomains() {
        let text = """
            Task \(Names.one) finished with error [303] Error Domain=kCFErrorDomainCFNetwork Code=303 "(null)" UserInfo={_kCFStreamErrorDomainKey=4, _kCFStreamErrorCodeKey=-2201}
            """
        let task = LogReading.tasks(text).first
        #expect(task?.code == 303 && task?.domain == "kCFErrorDomainCFNetwork")
        #expect(task?.streamDomain == 4 && task?.streamCode == -2201 && task?.otherCause == .http2)
        #expect(task?.json.text.contains(#""domain":"kCFErrorDomainCFNetwork""#) == true)
        #expect(task?.json.text.contains(#""cause":"http2""#) == true)
    }

    @Test(
        "a log without a refusal by ATS names the cause that it shows",
        arguments: [
            (
                "nw_endpoint_flow_failed [C1 failed parent-flow (unsatisfied (Path was denied by NECP policy))]",
                OtherCause.watchSockets
            ),
            (
                "Task <A1B2C3D4-0000-4000-8000-000000000001>.<1> finished with error [-1009] Error Domain=NSURLErrorDomain Code=-1009 \"x\" UserInfo={_kCFStreamErrorCodeKey=50, _kCFStreamErrorDomainKey=1}",
                .localNetwork
            ),
            (
                "Task <A1B2C3D4-0000-4000-8000-000000000001>.<1> finished with error [-1001] Error Domain=NSURLErrorDomain Code=-1001 \"x\" UserInfo={_kCFStreamErrorCodeKey=-2103, _kCFStreamErrorDomainKey=4}",
                .backgroundTimeout
            ),
            (
                "boringssl_context_handle_fatal_alert(1872) [C1.1:1][0x7f] write alert, level: fatal, description: certificate unknown",
                .ownVerification
            ),
            ("Bad state: Insecure HTTP is not allowed by platform: http://a.shop.test", .dart),
        ])
    func causes(line: String, cause: OtherCause) {
        let (_, counts) = LogReading.read(Array(line.utf8))
        #expect(counts.otherCauses == [cause: 1])
        #expect(cause.words.contains("atsgate explain "))
    }

    @Test("the stream's line and the error after it are one load in a bare log; two streams stay apart")
    func bareTwins() {
        let error =
            "Error Domain=NSURLErrorDomain Code=-1202 \"x\" UserInfo={_kCFStreamErrorDomainKey=3, "
            + "_kCFStreamErrorCodeKey=-9813, NSErrorFailingURLKey=https://203.0.113.20/}"
        let stream = "NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9813)"
        let one = LogReading.tasks(stream + "\n" + error)
        #expect(one.map(\.streamCode) == [-9813] && one.map(\.host) == ["203.0.113.20"])
        #expect(
            LogReading.tasks([stream, stream.replacing("-9813", with: "-9807"), error].joined(separator: "\n")).count
                == 2)
    }
}
