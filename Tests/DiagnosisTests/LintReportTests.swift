import Declarations
import Diagnosis
import Foundation
import Testing

@Suite("lint reports")
struct LintReportTests {
    private let json = """
        {"NSAllowArbitraryLoads": true,
         "NSAllowsLocalNetworking": false,
         "NSExceptionDomains": {
          "old, \\"%\\".example.com": {"NSExceptionAllowsInsecureHTTPLoads": true},
          "a.example.com": {"NSExceptionAllowsInsecureHTTPLoads": true}}}
        """

    private func report(
        path: String = "a b/App,1:2.ipa!Info.json", failOn: LintRule.Severity? = .error
    ) throws
        -> LintReport
    {
        let declaration = try DeclarationReader.parse(Array(json.utf8), source: path)
        let file = Linter().lint(declaration, bundle: "My.app").located(in: json)
        let clean = LintedFile(path: "<clean>", bundle: nil, bundleID: nil, systems: "ios26", findings: [])
        return LintReport(files: [file, clean], failOn: failOn)
    }

    @Test("each format has its golden text", arguments: LintFormat.allCases)
    func golden(format: LintFormat) throws {
        var text = try report().text(format, toolVersion: "1.2.3")
        // The SARIF tests below check the list of rules; in the golden text it would change with every new rule.
        let rules = text.firstRange(of: /"rules":\[.*\]\}\},"columnKind"/)
        if let rules { text.replaceSubrange(rules, with: #""rules":[]}},"columnKind""#) }
        let place = Corpus.top.appending(path: "Tests/LintCorpus/Goldens/" + format.rawValue)
        if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
            try text.write(to: place, atomically: true, encoding: .utf8)
        }
        #expect(try text == String(contentsOf: place, encoding: .utf8))
    }

    @Test(
        "a line break in a path or a key never begins a new line", arguments: [LintFormat.text, .xcode, .github])
    func lineBreaks(format: LintFormat) throws {
        let text = try report(path: "a\n::error::b\r\nc").text(format, toolVersion: "1")
        #expect(text.split(whereSeparator: \.isNewline).count == (try report().files[0].findings.count))
        #expect(!text.contains("\n::error::b"))
    }

    @Test("a CSV row is one line, and no cell begins a formula")
    func rows() throws {
        let text = try report(path: "=a\n\u{1B}b").text(.csv, toolVersion: "1")
        #expect(text.components(separatedBy: "\r\n").count == (try report().files[0].findings.count) + 2)
        #expect(text.contains(#"'=a\u{a}\u{1b}b,1,2,"#))
    }

    @Test("the threshold decides if the report fails")
    func threshold() throws {
        #expect(try report(failOn: .error).isFailed)
        #expect(try !report(failOn: nil).isFailed)
        #expect(try report(failOn: nil).text(.junit, toolVersion: "1").contains(#"failures="0""#))
        #expect(try report().summary == "2 errors, 1 warning, 1 note in 2 files")
    }

    @Test("without findings there are no lines, but a passed suite and a complete SARIF log")
    func nothing() throws {
        let clean = LintedFile(path: "a.plist", bundle: nil, bundleID: nil, systems: "ios9..", findings: [])
        let report = LintReport(files: [clean])
        #expect(report.text(.text, toolVersion: "1").isEmpty)
        #expect(report.text(.github, toolVersion: "1").isEmpty)
        #expect(report.text(.junit, toolVersion: "1").contains(#"<testcase classname="a.plist" name="lint"/>"#))
        #expect(try SARIF(report.text(.sarif, toolVersion: "1")).results.isEmpty)
    }
}

/// Checks the requirements of the SARIF 2.1.0 schema by hand.
@Suite("lint as SARIF")
struct LintSARIFTests {
    private func sarif(_ json: String, path: String = "dir/a.json") throws -> SARIF {
        let declaration = try DeclarationReader.parse(Array(json.utf8), source: path)
        let report = LintReport(files: [Linter().lint(declaration)])
        return try SARIF(report.text(.sarif, toolVersion: "1.2.3"))
    }

    private let wrong = #"{"NSAllowArbitraryLoads": true, "NSAllowsLocalNetworking": "NO"}"#

    @Test("the log has version, one run, a driver with a name, and all rules with unique ids")
    func frame() throws {
        let log = try sarif(wrong)
        #expect(log.root["version"] as? String == "2.1.0")
        #expect((log.root["$schema"] as? String)?.hasSuffix("sarif-schema-2.1.0.json") == true)
        #expect(log.driver["name"] as? String == "atsgate")
        #expect(log.run["columnKind"] as? String == "unicodeCodePoints")
        #expect(log.rules.compactMap { $0["id"] as? String } == LintBook.all.map(\.id))
        for rule in log.rules {
            #expect((rule["shortDescription"] as? [String: Any])?["text"] is String)
            let level = (rule["defaultConfiguration"] as? [String: Any])?["level"] as? String
            #expect(["none", "note", "warning", "error"].contains(level))
        }
    }

    @Test("a result has a message, a level, its rule by id and index, a location and a fingerprint")
    func results() throws {
        let log = try sarif(wrong)
        #expect(log.results.count == 2)
        for result in log.results {
            #expect((result["message"] as? [String: Any])?["text"] is String)
            #expect(["none", "note", "warning", "error"].contains(result["level"] as? String))
            let index = try #require(result["ruleIndex"] as? Int)
            #expect(log.rules[index]["id"] as? String == result["ruleId"] as? String)
            let location = try #require((result["locations"] as? [[String: Any]])?.first)
            let place = try #require(location["physicalLocation"] as? [String: Any])
            #expect((place["artifactLocation"] as? [String: Any])?["uri"] as? String == "dir/a.json")
            let region = try #require(place["region"] as? [String: Any])
            #expect((region["startLine"] as? Int ?? 0) >= 1 && (region["startColumn"] as? Int ?? 0) >= 1)
            let prints = try #require(result["partialFingerprints"] as? [String: String])
            #expect(prints.count == 1)
        }
    }

    @Test("every rule links to its public document and names the topic that explains it")
    func help() throws {
        for rule in try sarif(wrong).rules {
            #expect((rule["helpUri"] as? String)?.hasPrefix("https://") == true)
            #expect(((rule["help"] as? [String: Any])?["text"] as? String)?.contains("; atsgate explain ") == true)
        }
    }

    @Test("a fingerprint is stable when lines move, and differs by rule, key and occurrence")
    func fingerprints() throws {
        let before = try sarif(wrong).fingerprints
        #expect(Set(before).count == 2)
        #expect(try sarif("\n\n" + wrong).fingerprints == before)
        let twice = #"{"NSAllowArbitraryLoads": true, "NSAllowArbitraryLoads": true}"#
        let prints = try sarif(twice).fingerprints
        #expect(Set(prints).count == prints.count)
    }

    @Test(
        "paths become URI references",
        arguments: [
            ("/tmp/a b.plist", "file:///tmp/a%20b.plist"), ("a:b/c.plist", "a%3Ab/c.plist"),
            ("My.ipa!Payload/M.app/Info.plist", "My.ipa!Payload/M.app/Info.plist"), ("ü%.plist", "%C3%BC%25.plist"),
        ])
    func references(path: String, uri: String) throws {
        let artifacts = try #require(try sarif(wrong, path: path).run["artifacts"] as? [[String: Any]])
        #expect((artifacts[0]["location"] as? [String: Any])?["uri"] as? String == uri)
    }
}

/// A parsed SARIF log.
struct SARIF {
    let root: [String: Any]
    let run: [String: Any]
    let driver: [String: Any]
    let rules: [[String: Any]]
    let results: [[String: Any]]

    init(_ text: String) throws {
        root = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let runs = try #require(root["runs"] as? [[String: Any]])
        try #require(runs.count == 1)
        run = runs[0]
        driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
        rules = try #require(driver["rules"] as? [[String: Any]])
        results = try #require(run["results"] as? [[String: Any]])
    }

    var fingerprints: [String] {
        results.compactMap { ($0["partialFingerprints"] as? [String: String])?.values.first }
    }
}
