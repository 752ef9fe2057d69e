import ATSPolicy
import Records
import Testing

@Suite("Redaction")
struct RedactionTests {
    @Test(
        "values of queries and fragments are masked; their names, and paths, are kept",
        arguments: [
            ("/a?b=1&c=2", "/a?b=***&c=***"), ("/a?b=1=2&c", "/a?b=***&***"), ("/a?token", "/a?***"),
            ("/a?b=&c=", "/a?b=&c="), ("/a?", "/a?"), ("/a?b=x?y=z", "/a?b=***"), ("/?b=1#frag", "/?b=***#***"),
            ("/a#frag?b=1", "/a#***"), ("/a?&&b=1", "/a?&&b=***"), ("/a?b=é", "/a?b=***"), ("/plain", "/plain"),
        ])
    func queries(path: String, masked: String) {
        #expect(redacted(path: path).load.path == masked)
    }

    @Test(
        "values of path parameters are masked like those of queries (RFC 3986 section 3.3)",
        arguments: [
            ("/a;jsessionid=5EC?b=1", "/a;jsessionid=***?b=***"), ("/a;s=1;t=2/b;u=3/c", "/a;s=***;t=***/b;u=***/c"),
            ("/a;token/b", "/a;***/b"), ("/a;s=1,2=3", "/a;s=***"), ("/a;", "/a;"), ("/a;s=/b", "/a;s=/b"),
            (";s=1", ";s=***"), ("/a;s=1#b;c=2", "/a;s=***#***"), ("/a;s=é", "/a;s=***"),
        ])
    func parameters(path: String, masked: String) {
        let record = redacted(path: path)
        #expect(record.load.path == masked)
        #expect(record.masked.contains("load.url.parameters") == (path != masked))
        var again = record
        RedactionRules().apply(to: &again)
        #expect(again.load.path == masked && again.masked == record.masked)
    }

    @Test("parameters are masked in redirecting URLs and in log lines, and kept if query values are")
    func parametersElsewhere() {
        var record = SampleRecords.allowed(path: "/p;jsessionid=5EC")
        record.load.redirectedFrom = "https://one.test/x;s=secret/y"
        record.diagnosis = log("{NSErrorFailingURLKey=https://api.lab.test/p;jsessionid=5EC, Next=https://x.test/;t=1}")
        var kept = record
        RedactionRules().apply(to: &record)
        #expect(record.load.redirectedFrom == "https://one.test/x;s=***/y")
        let line = "{NSErrorFailingURLKey=https://api.lab.test/p;jsessionid=***, Next=https://x.test/;t=***}"
        #expect(record.diagnosis?.apple?.log == [line])
        #expect(record.masked == ["load.redirectedFrom.parameters", "load.url.parameters", "apple.log"])
        RedactionRules(keepsQueryValues: true).apply(to: &kept)
        #expect(kept.load.path == "/p;jsessionid=5EC" && kept.masked == [])
    }

    @Test("masked fields are listed, and no others")
    func listed() {
        #expect(redacted(path: "/a?b=1#c").masked == ["load.url.query", "load.url.fragment"])
        #expect(redacted(path: "/a?b=").masked == [])
        #expect(redacted(path: "/a").masked == [])
    }

    @Test("the redirecting load is masked like the load itself")
    func parent() {
        var record = SampleRecords.allowed(path: "/a")
        record.load.redirectedFrom = "https://u:p@one.test/x?code=1"
        RedactionRules().apply(to: &record)
        #expect(record.load.redirectedFrom == "https://one.test/x?code=***")
        #expect(record.masked == ["load.redirectedFrom.userinfo", "load.redirectedFrom.query"])
    }

    @Test("a redirecting URL is masked regardless of the bytes in it")
    func oddParent() {
        var record = SampleRecords.allowed(path: "/a")
        record.load.redirectedFrom = "https://one.test/{x} y?code={secret}&b=\"<secret>#secret"
        RedactionRules().apply(to: &record)
        #expect(record.load.redirectedFrom == "https://one.test/{x} y?code=***&b=***#***")
    }

    @Test("masking a record again changes nothing")
    func idempotent() {
        var record = redacted(path: "/a?b=1")
        RedactionRules().apply(to: &record)
        #expect(record.load.path == "/a?b=***")
        #expect(record.masked == ["load.url.query"])
    }

    @Test("values are kept if the rules keep them")
    func kept() {
        var record = SampleRecords.allowed(path: "/a?b=1#c")
        RedactionRules(keepsQueryValues: true).apply(to: &record)
        #expect(record.load.path == "/a?b=1#c")
        #expect(record.masked == [])
    }

    @Test("a user name and password are always removed", arguments: [true, false])
    func userinfo(keepsQueryValues: Bool) {
        var record = SampleRecords.allowed(path: "/")
        record.load.target = LoadTarget(scheme: .http, host: "user:pass@word@lab.test", port: 80)
        record.diagnosis = log("GET http://user:pass@lab.test/ failed")
        RedactionRules(keepsQueryValues: keepsQueryValues).apply(to: &record)
        #expect(record.load.url == "http://lab.test/")
        #expect(record.diagnosis?.apple?.log == ["GET http://lab.test/ failed"])
        #expect(record.masked == ["load.url.userinfo", "apple.log"])
    }

    @Test("log lines of a device are masked, too, for this load's URL and for others")
    func logs() {
        var record = SampleRecords.allowed(path: "/p?token=a, b")
        record.diagnosis = log("{NSErrorFailingURLKey=https://api.lab.test/p?token=a, b, Next=https://x.test/?t=1}")
        RedactionRules().apply(to: &record)
        let line = "{NSErrorFailingURLKey=https://api.lab.test/p?token=***, Next=https://x.test/?t=***}"
        #expect(record.diagnosis?.apple?.log == [line])
        #expect(record.masked == ["load.url.query", "apple.log"])
    }

    @Test("a device's lines are masked even if its sentence has nothing to mask, and the sentence without lines")
    func deviceLines() {
        let url = "https://api.lab.test/p?token=a, b"
        for (how, line) in [("closed", url), (url, "closed"), (url, url), ("closed", "closed")] {
            var record = SampleRecords.allowed(path: "/p?token=a, b")
            record.device = RecordedDevice(.refused, how: how, confidence: .observed, lines: [line])
            RedactionRules().apply(to: &record)
            let masked = [how, line].map { $0 == url ? "https://api.lab.test/p?token=***" : $0 }
            #expect(record.device?.how == masked[0] && record.device?.lines == [masked[1]])
        }
    }

    @Test("the load's values are masked in a line after another path, too")
    func valuesOfAnotherPath() {
        var record = SampleRecords.allowed(path: "/p?token=a, b")
        record.diagnosis = log("GET https://x.test/q?token=a, b failed")
        RedactionRules().apply(to: &record)
        #expect(record.diagnosis?.apple?.log == ["GET https://x.test/q?token=*** failed"])
    }

    @Test("a diagnosis without a URL is unchanged")
    func untouched() {
        var record = SampleRecords.blocked()
        let diagnosis = record.diagnosis
        RedactionRules().apply(to: &record)
        #expect(record.diagnosis === diagnosis)
        #expect(record.masked == [])
    }

    private func redacted(path: String) -> LoadRecord {
        var record = SampleRecords.allowed(path: path)
        RedactionRules().apply(to: &record)
        return record
    }

    private func log(_ line: String) -> RecordedDiagnosis {
        let apple = AppleError(
            domain: "NSURLErrorDomain", code: -1200, constant: "", message: "", log: [line], confidence: .observed)
        return RecordedDiagnosis(findings: [], apple: apple, remedy: nil)
    }
}
