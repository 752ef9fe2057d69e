import ATSPolicy
import Foundation
import Records
import Reporting
import Samples
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite("Report formats")
struct ReportFormatTests {
    @Test("CSV: each host and rule has a row, worst first, quoted by RFC 4180")
    func csv() throws {
        let lines = try render(.csv, mixed).components(separatedBy: "\r\n")
        #expect(
            lines == [
                "verdict,loads,origin,rule,apple,deciding,observed,confidence,also,serverFix,exceptionFix,tlsVersion,url,"
                    + "host,blocked,wouldBlock,failed,allowed,outside,judgement",
                "blocked,3,https://rsa-kx.lab.test:443,ats.forward-secrecy,'-1200 [3:-9802],\(deciding),"
                    + "origin chose TLS_RSA_WITH_AES_128_GCM_SHA256,observed,,Offer an ECDHE suite.,"
                    + "\"NSExceptionDomains \"\"rsa-kx.lab.test\"\": NSExceptionRequiresForwardSecrecy = false\",,"
                    + "https://rsa-kx.lab.test/0,rsa-kx.lab.test,3,0,0,0,0,fails",
                "failed,1,https://gone.lab.test:443,net.refused,,,port 443 of gone.lab.test is closed,observed,,,,,"
                    + "https://gone.lab.test/0,gone.lab.test,0,0,1,0,0,uncounted",
                "allowed,2,https://api.lab.test:443,,,,,,,,,1.3,https://api.lab.test/0,api.lab.test,0,0,0,2,0,passes",
                "outside,1,https://plain.lab.test:443,,,,,,,,,,https://plain.lab.test/9,plain.lab.test,0,0,0,0,1,outside",
                "",
            ])
    }

    @Test("CSV: values that differ within a host and rule share a cell, and every verdict is counted")
    func csvOfOneHost() throws {
        var other = SampleLoads.forwardSecrecy(verdict: .wouldBlock)
        let target = other.load.target
        other.load.target = LoadTarget(scheme: .https, host: target.host, port: 8443)
        let lines = try render(.csv, [SampleLoads.forwardSecrecy(), other]).components(separatedBy: "\r\n")
        #expect(lines.count == 3)
        #expect(lines[1].hasPrefix("blocked,2,https://rsa-kx.lab.test:443 https://rsa-kx.lab.test:8443,"))
        #expect(lines[1].hasSuffix(",rsa-kx.lab.test,1,1,0,0,0,fails"))
    }

    @Test("a cell that a spreadsheet would run is written as text")
    func formula() throws {
        let text = try render(.csv, [SampleLoads.plain(host: "=cmd|' /C calc'!A0")])
        #expect(!text.contains(",=cmd") && !text.contains("\n=cmd"))
        var record = SampleLoads.forwardSecrecy()
        record.diagnosis = RecordedDiagnosis(
            findings: [
                Finding(
                    rule: .forwardSecrecy, title: "", keyPath: nil, expected: "", observed: "=1+1, \"x\"",
                    confidence: .observed, source: "")
            ], apple: nil, remedy: nil)
        #expect(try render(.csv, [record]).contains(",\"'=1+1, \"\"x\"\"\","))
    }

    @Test("JUnit: each host is a case with a stable name; blocked fails, failed and outside are skipped")
    func junit() throws {
        let cases = try JUnitReader.cases(in: render(.junit, mixed))
        #expect(
            cases == [
                "atsgate|rsa-kx.lab.test|failure ats.forward-secrecy", "atsgate|gone.lab.test|skipped ",
                "atsgate|api.lab.test|", "atsgate|plain.lab.test|skipped ",
            ])
        let text = try render(.junit, mixed)
        #expect(text.contains("<testsuite name=\"App Transport Security\" tests=\"4\" failures=\"1\" errors=\"0\""))
        #expect(text.contains("<property name=\"recording\" value=\"nightly\"/>"))
        #expect(text.contains("name=\"rsa-kx.lab.test\" time=\"0.005\">"))
        let message = "rsa-kx.lab.test: origin chose TLS_RSA_WITH_AES_128_GCM_SHA256, ATS needs ECDHE"
        #expect(text.contains("message=\"\(message)\""))
    }

    @Test("JUnit: a fixed host passes under the name under which it failed")
    func mended() throws {
        let before = try JUnitReader.cases(in: render(.junit, [SampleLoads.forwardSecrecy()]))
        let after = try JUnitReader.cases(in: render(.junit, [SampleLoads.plain(host: "rsa-kx.lab.test")]))
        #expect(before == ["atsgate|rsa-kx.lab.test|failure ats.forward-secrecy"])
        #expect(after == ["atsgate|rsa-kx.lab.test|"])
    }

    @Test("JUnit of hostile text is well-formed XML")
    func hostile() throws {
        let cases = try JUnitReader.cases(in: render(.junit, [SampleLoads.plain(host: "a\"<b>&\u{1B}]\u{0}")]))
        #expect(cases.count == 1)
    }

    @Test("JSON: the groups' loads add up")
    func json() throws {
        let whole = try #require(
            try JSONSerialization.jsonObject(with: Data(render(.json, mixed).utf8)) as? [String: Any])
        #expect(whole["schema"] as? Int == 1 && whole["loads"] as? Int == 7)
        #expect(
            whole["verdicts"] as? [String: Int] == [
                "blocked": 3, "wouldBlock": 0, "failed": 1, "allowed": 2, "outside": 1,
            ])
        let groups = try #require(whole["groups"] as? [[String: Any]])
        #expect(groups.compactMap { $0["loads"] as? Int }.reduce(0, +) == 7)
        #expect(groups.first?["rule"] as? String == "ats.forward-secrecy")
    }

    @Test("Markdown: one summary line, then the failures; a long table is folded")
    func markdown() throws {
        let text = try render(.markdown, mixed)
        #expect(text.hasPrefix("### atsgate: 3 blocked, 1 failed, 2 allowed, 1 outside of 7 loads\n"))
        #expect(text.contains("| 3 | https://rsa-kx.lab.test:443 | `ats.forward-secrecy` | -1200 \\[3:-9802\\] |"))
        let many = (0..<30).map { number in
            var record = SampleLoads.forwardSecrecy()
            record.load = RecordedRequest(
                method: "GET", path: "/", target: LoadTarget(scheme: .https, host: "h\(number).test", port: 443),
                wireProtocol: .http1)
            return record
        }
        let long = try render(.markdown, many)
        #expect(long.contains("<summary>10 more</summary>"))
    }

    @Test("Markdown of five thousand hosts fits a comment of 65,536 characters, and notes the omission")
    func longInBulk() throws {
        let verdicts: [Verdict] = [.blocked, .wouldBlock, .failed, .allowed, .outside]
        let many = (0..<5000).map { number in
            var record = SampleLoads.forwardSecrecy(verdict: verdicts[number % 5])
            let host = "host-number-\(number).some-long-domain.example.com"
            record.load.target = LoadTarget(scheme: .https, host: host, port: 443)
            return record
        }
        let text = try render(.markdown, many)
        #expect(text.count < 65_536)
        #expect(text.components(separatedBy: " more are not listed here.").count == 6)
    }

    @Test(
        "the order of groups does not depend on the order of loads",
        arguments: [ReportFormat.csv, .json, .junit, .markdown, .sarif, .github, .gitlab])
    func stable(format: ReportFormat) throws {
        #expect(try render(format, mixed) == render(format, [mixed[6], mixed[5]] + mixed[..<5]))
    }

    @Test("an empty recording is a complete document", arguments: ReportFormat.allCases)
    func empty(format: ReportFormat) throws {
        let text = try render(format, [])
        switch format {
        case .junit: #expect(try JUnitReader.cases(in: text) == ["atsgate|loads|error nothing-judged"])
        case .sarif: #expect(text.contains("\"results\":[]"))
        case .gitlab: #expect(text == "[]\n")
        case .html:
            #expect(text.contains("<h1 class=\"outside\">No load came through the gate, so nothing was judged</h1>"))
        case .har: #expect(text.hasSuffix("\"entries\":[\n]}}\n"))
        case .csvLoads: #expect(text.hasPrefix("time,") && text.hasSuffix("totalMs\r\n"))
        case .json: #expect(text.contains("\"groups\":[]"))
        case .csv: #expect(text.components(separatedBy: "\r\n").count == 2)
        case .markdown: #expect(text.hasPrefix("### atsgate: no loads\n"))
        case .github: #expect(text.hasPrefix("::error title=no load was judged::"))
        case .text, .jsonl: #expect(text.isEmpty == (format != .text))
        }
    }

    private func render(_ format: ReportFormat, _ records: [LoadRecord]) throws -> String {
        try format.render(records.map { SampleLoads.filed($0) })
    }

    private var mixed: [LoadRecord] {
        (0..<2).map { SampleLoads.plain($0) }
            + [SampleLoads.forwardSecrecy(), SampleLoads.forwardSecrecy(), SampleLoads.forwardSecrecy(5)]
            + [SampleLoads.unreachable(), SampleLoads.plain(9, verdict: .outside, host: "plain.lab.test")]
    }

    private let deciding = "no entry: secure default"
}

/// Reads JUnit XML with the platform's own parser. Each case is `CLASS|NAME|OUTCOME TYPE`.
private final class JUnitReader: NSObject, XMLParserDelegate {
    private var found: [String] = []

    static func cases(in text: String) throws -> [String] {
        let reader = JUnitReader()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = reader
        try #require(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "")")
        return reader.found
    }

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        switch element {
        case "testcase": found.append("\(attributes["classname"] ?? "")|\(attributes["name"] ?? "")|")
        case "failure", "error", "skipped": found[found.count - 1] += "\(element) \(attributes["type"] ?? "")"
        default: break
        }
    }
}
