import Evidence
import Testing

@Suite("nscurl's output between other lines")
struct NSCurlPlaceTests {
    private static let title = """
        Starting ATS Diagnostics

        Configuring ATS Info.plist keys and displaying the result of HTTPS loads to https://api.shop.test.
        A test will "PASS" if URLSession:task:didCompleteWithError: returns a nil error.
        ================================================================================

        Default ATS Secure Connection

        """
    private static let test = """
        ---
        ATS Default Connection
        ATS Dictionary:
        {
        }
        2026-01-01 12:00:00.000 nscurl[12:34] CFNetwork SSLHandshake failed (-9801)
        Result : FAIL
        Error : Error Domain=NSURLErrorDomain Code=-1200 "x" UserInfo={NSErrorPeerCertificateChainKey=(
            "<cert(0x7f) s: a i: b>"
        ), _kCFStreamErrorCodeKey=-9802, _NSURLErrorFailingURLSessionTaskErrorKey=LocalDataTask \(Names.three)}

        """
    private static let dressed = "2026-10-07 15:30:54.1+0200 A[1:2] "

    /// Lines before and after the output, each with the task that it belongs to.
    private static let others: [(line: String, task: String)] = [
        ("\(dressed)Task \(Names.one) finished successfully", Names.one),
        ("Task \(Names.one) HTTP load failed, 0/0 bytes (error code: -1200 [3:-9802])", Names.one),
        (#"{"eventMessage":"Task \#(Names.one) finished with error [-1022]"}"#, Names.one),
    ]

    @Test("lines before and after the output are read, no matter how it ends")
    func around() {
        for end in [
            "", "---\n", "---\n\n====================\n", "---\n\n====================\n\nAllowing Arbitrary Loads\n\n",
        ] {
            for (line, task) in Self.others {
                for start in [Self.title, ""] {
                    let output = start + Self.test + end
                    let after = LogReading.tasks(output + line)
                    #expect(after.map(\.task) == ["ATS Default Connection", task], "\(start.count) \(end) \(line)")
                    #expect(after.first?.streamCode == -9802)
                    let before = LogReading.tasks(line + "\n" + output)
                    #expect(before.map(\.task) == ["ATS Default Connection", task], "\(start.count) \(end) \(line)")
                    let twice = LogReading.tasks(output + line + "\n" + output)
                    #expect(twice.compactMap(\.task).count { $0 == "ATS Default Connection" } == 2)
                    #expect(twice.contains { $0.task == task } && twice.count == 3)
                }
            }
        }
    }

    @Test("lines after a short output of names and results are read")
    func short() {
        let output =
            Self.title
            + "---\nATS Default Connection\nResult : PASS\n---\n====\nAllowing\n---\nAllow All Loads\nResult : FAIL\n"
        for (line, task) in Self.others {
            let tasks = LogReading.tasks(output + line)
            #expect(tasks.map(\.task) == ["ATS Default Connection", "Allow All Loads", task], "\(line)")
        }
    }

    @Test("lines of equals signs, results and dashes from other tools begin no nscurl output")
    func banners() {
        let rule = String(repeating: "=", count: 80)
        for banner in [
            rule, "Result : PASS", "Result: FAIL", "---\nAllow All Loads", "---\na test\nResult : PASS\n---",
            "ATS Dictionary:",
            "\(rule)\nBuild\n\(rule)\n---\nResult: FAIL", "---\nname\nand more\nATS Dictionary:",
        ] {
            for (line, task) in Self.others {
                let tasks = LogReading.tasks([banner, line, banner, line].joined(separator: "\n"))
                #expect(tasks.map(\.task) == [task] && tasks.first?.source == .device, "\(banner) \(line)")
            }
        }
    }

    @Test("a title alone does not capture the lines after it")
    func titleAlone() {
        for (line, task) in Self.others {
            #expect(LogReading.tasks("Starting ATS Diagnostics\n\(line)").map(\.task) == [task], "\(line)")
            #expect(LogReading.tasks("\(Self.title)---\nsome words\n\(line)").map(\.task) == [task], "\(line)")
        }
    }

    @Test("an excerpt that begins after a test's name skips the error of that test")
    func excerpt() {
        let start =
            "Result : FAIL\nError : Error Domain=NSURLErrorDomain Code=-1200 \"x\" UserInfo={_kCFStreamErrorCodeKey=-9802}\n"
        let tasks = LogReading.tasks(start + Self.test + "---\n")
        #expect(tasks.map(\.task) == ["ATS Default Connection"])
        let other = "\(Self.dressed)Task \(Names.one) finished successfully\n"
        #expect(
            LogReading.tasks(other + start + Self.test + "---\n").map(\.task) == ["ATS Default Connection", Names.one])
    }

    @Test("the names of tests and their errors are cut")
    func cut() throws {
        let long = String(repeating: "x", count: 70_000)
        let text = "\(Self.title)---\n\(long)\nATS Dictionary:\n{\(long)}\nResult : FAIL\nError : \(long)\n---\n"
        let task = try #require(LogReading.tasks(text).first)
        #expect(task.task?.utf8.count == 160)
        #expect(task.lines.allSatisfy { $0.utf8.count <= 16 << 10 })
    }

    @Test("the lines of a HAR are counted, and text after it counts as broken")
    func harLines() {
        let entry = #"{"request":{"url":"http://a.test/"},"response":{"status":200}}"#
        let har = #"{"log":{"entries":[\#(entry)]}}"#
        for (text, lines, broken) in [
            (har, 1, 0), (har + "\n", 1, 0), (har.replacing("[", with: "\n[\n"), 3, 0), (har + "\n\n  \n", 3, 0),
            (har + "\nTask", 2, 1), (har + har, 1, 1), (String(har.dropLast()), 1, 1),
        ] {
            for size in [Int.max, 600, 1] {
                let read = LogReading.read(Array(text.utf8), pieces: size)
                #expect(read.tasks.count == 1 && read.counts.lines == lines, "\(text)")
                #expect(read.counts.brokenObjects == broken, "\(text) in pieces of \(size)")
            }
        }
    }
}
