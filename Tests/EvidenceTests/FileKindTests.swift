import Evidence
import Testing

@Suite("nscurl and HAR")
struct FileKindTests {
    private static let nscurl = """
        Starting ATS Diagnostics

        Configuring ATS Info.plist keys and displaying the result of HTTPS loads to https://api.shop.test/a.zip.
        A test will "PASS" if URLSession:task:didCompleteWithError: returns a nil error.
        ================================================================================

        Default ATS Secure Connection
        ---
        ATS Default Connection
        ATS Dictionary:
        {
        }
        2026-01-01 12:00:00.000 nscurl[12:34] CFNetwork SSLHandshake failed (-9801)
        Result : FAIL
        Error : Error Domain=NSURLErrorDomain Code=-1200 "x" UserInfo={_kCFStreamErrorCodeKey=-9802, \
        _NSURLErrorFailingURLSessionTaskErrorKey=LocalDataTask \(Names.one)}
        ---

        ================================================================================

        Configuring TLS exceptions for api.shop.test

        ---
        TLSv1.3
        ATS Dictionary:
        {
            NSExceptionDomains =     {
                "api.shop.test" =         {
                    NSExceptionMinimumTLSVersion = "TLSv1.3";
                };
            };
        }
        Result : PASS
        ---

        """

    @Test("each test of nscurl is a load, and the task in its error is not another one")
    func tests() throws {
        let tasks = LogReading.tasks(Self.nscurl)
        #expect(tasks.map(\.task) == ["ATS Default Connection", "TLSv1.3"])
        #expect(tasks.map(\.outcome) == [.failed, .allowed])
        #expect(tasks.allSatisfy { $0.host == "api.shop.test" && $0.scheme == "https" && $0.source == .nscurl })
        #expect(tasks.first?.url == "https://api.shop.test/a.zip")
        #expect(tasks.first?.code == -1200 && tasks.first?.streamCode == -9802)
    }

    @Test("tests of another program in this format may be http loads")
    func cleartext() {
        let text = Self.nscurl.replacing("https://api.shop.test", with: "http://api.shop.test")
        #expect(LogReading.tasks(text).map(\.scheme) == ["http", "http"])
    }

    @Test("an excerpt that begins and ends inside an error is read")
    func excerpt() throws {
        let start = try #require(Self.nscurl.firstRange(of: "_NSURLErrorFailing"))
        let text = String(Self.nscurl[start.lowerBound...]) + "---\nAllow All Loads\nResult : FAIL\nError : Error Dom"
        let tasks = LogReading.tasks(text)
        #expect(tasks.map(\.task) == ["TLSv1.3", "Allow All Loads"])
        #expect(tasks.map(\.host) == ["api.shop.test", "api.shop.test"])
    }

    @Test("an entry of a HAR is a load, failed if its status is 0")
    func har() {
        let entries = [("http://plain.shop.test/a", 200), ("https://api.shop.test:8443/b", 0)].map { url, status in
            """
            {"startedDateTime":"2026-10-07T15:30:54.000Z","request":{"method":"GET","url":"\(url)","headers":[{"name":"url","value":"http://no.test/"}]},
            "response":{"status":\(status),"content":{"text":"\(String(repeating: "z", count: 40_000))"},"_error":"net::ERR_CERT_AUTHORITY_INVALID"}}
            """
        }
        let text =
            "\u{FEFF} {\n\"log\" : { \"version\":\"1.2\", \"pages\":[{\"id\":\"x\"}], \"entries\":[\(entries.joined(separator: ","))]}}"
        for size in [Int.max, 1_000, 7] {
            let (tasks, counts) = LogReading.read(Array(text.utf8), pieces: size)
            #expect(tasks.map(\.outcome) == [.allowed, .failed])
            #expect(tasks.map(\.host) == ["plain.shop.test", "api.shop.test"])
            #expect(tasks.map(\.scheme) == ["http", "https"] && tasks.map(\.status) == [200, nil])
            #expect(tasks.allSatisfy { $0.source == .har } && counts.brokenObjects == 0)
        }
        #expect(LogReading.read(Array(text.utf8).dropLast(900)).counts.brokenObjects == 1)
    }
}
