import ATSPolicy
import Foundation
import Records
import Reporting
import Samples
import Testing

@Suite("Formats with a row per load")
struct RowFormatTests {
    @Test("HAR: each load has an entry with the members that HAR 1.2 requires")
    func har() throws {
        let log = try #require(try Self.har(Self.loads)["log"] as? [String: Any])
        #expect(log["version"] as? String == "1.2")
        let entries = try #require(log["entries"] as? [[String: Any]])
        #expect(entries.count == 4)
        for entry in entries {
            let request = try #require(entry["request"] as? [String: Any])
            let response = try #require(entry["response"] as? [String: Any])
            for key in ["method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"]
            {
                #expect(request[key] != nil, "\(key)")
            }
            for key in [
                "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize",
                "bodySize",
            ] { #expect(response[key] != nil, "\(key)") }
            let timings = try #require(entry["timings"] as? [String: Double])
            let spans = timings.filter { $0.key != "ssl" && $0.value >= 0 }.values.reduce(0, +)
            #expect(abs((entry["time"] as? Double ?? -1) - spans) < 0.002)
        }
        let urls = entries.map { ($0["request"] as? [String: Any])?["url"] as? String }
        #expect(urls[0] == "https://api.lab.test/0?q=\"\u{1}" && urls[3] == "http://open.lab.test/1")
    }

    @Test("HAR: a blocked load has status 0 and its rule as the error; TLS and ATS have their own fields")
    func harTrouble() throws {
        let log = try Self.har(Self.loads)["log"] as? [String: Any]
        let entries = try #require(log?["entries"] as? [[String: Any]])
        let responses = entries.compactMap { $0["response"] as? [String: Any] }
        #expect(responses.map { $0["status"] as? Int } == [200, 0, 0, 200])
        #expect(responses.map { $0["_error"] as? String } == [nil, "ats.forward-secrecy", "net.refused", nil])
        #expect(responses.map { $0["statusText"] as? String } == ["", "ats.forward-secrecy", "net.refused", ""])
        #expect((entries[0]["_tls"] as? [String: Any])?["tlsVersion"] as? String == "1.3")
        let ats = try #require(entries[1]["_ats"] as? [String: Any])
        #expect(ats["verdict"] as? String == "blocked")
        #expect((ats["apple"] as? [String: Any])?["streamErrorCode"] as? Int == -9802)
        #expect(entries[0]["serverIPAddress"] as? String == "192.0.2.7")
    }

    @Test("CSV of loads: each load has a quoted row, which no spreadsheet runs as a formula")
    func csv() throws {
        var odd = SampleLoads.plain()
        odd.load.method = "=cmd"
        odd.load.path = "/a,\"b\"\u{1B}"
        let text = try ReportFormat.csvLoads.render([odd, SampleLoads.plain(1)])
        #expect(
            text.components(separatedBy: "\r\n") == [
                "time,verdict,label,os,host,method,url,status,sent,received,totalMs",
                "2026-02-03T04:05:06.000Z,allowed,,ios26,api.lab.test,'=cmd,\"https://api.lab.test/a,\"\"b\"\"\\u{1b}\","
                    + "200,0,0,12.345",
                "2026-02-03T04:05:06.001Z,allowed,,ios26,api.lab.test,GET,https://api.lab.test/1,200,0,0,12.345", "",
            ])
    }

    private static func har(_ loads: [LoadRecord]) throws -> [String: Any] {
        let text = try ReportFormat.har.render(loads, ReportContext(toolVersion: "1"))
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private static var loads: [LoadRecord] {
        var first = SampleLoads.plain()
        first.load.path = "/0?q=\"\u{1}"
        first.timing.connect = 2_000
        first.timing.handshake = 3_000
        first.timing.firstByte = 9_000
        return [first, SampleLoads.forwardSecrecy(), SampleLoads.unreachable(), SampleLoads.cleartext(1)]
    }
}
