import ATSPolicy
import Foundation
import Records
import Reporting
import Samples
import Testing

@Suite("Output for CI systems")
struct PlaceTests {
    @Test("GitHub: each host and rule has a line that points into the dictionary, worst first")
    func github() throws {
        let lines = try render(.github).split(separator: "\n").map(String.init)
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("::error file=App/Info.plist,line=6,title=rsa-kx.lab.test%3A origin chose "))
        let problem =
            "::rsa-kx.lab.test: origin chose TLS_RSA_WITH_AES_128_GCM_SHA256, ATS needs ECDHE. "
        #expect(lines[0].contains(problem + "3 loads blocked. A device reports "), "\(lines[0])")
        #expect(lines[0].contains("To allow it: NSExceptionDomains \"rsa-kx.lab.test\""))
        #expect(lines[1].hasPrefix("::warning file=App/Info.plist,line=6,title=gone.lab.test%3A Connection refused"))
    }

    @Test("GitLab: every issue has the required members, and each host and rule a fingerprint")
    func gitlab() throws {
        let issues = try #require(
            try JSONSerialization.jsonObject(with: Data(render(.gitlab).utf8)) as? [[String: Any]])
        #expect(issues.count == 1, "only the blocked load is an issue")
        for issue in issues {
            let description = issue["description"] as? String
            #expect(description?.hasPrefix("rsa-kx.lab.test: origin chose ") == true)
            #expect(issue["check_name"] is String)
            #expect(["info", "minor", "major", "critical", "blocker"].contains(issue["severity"] as? String))
            let location = try #require(issue["location"] as? [String: Any])
            #expect(location["path"] as? String == "App/Info.plist")
            #expect((location["lines"] as? [String: Int])?["begin"] == 6)
        }
    }

    @Test("SARIF: rules have help, and results point to the line to change")
    func sarif() throws {
        let log = try #require(
            try JSONSerialization.jsonObject(with: Data(render(.sarif).utf8)) as? [String: Any])
        let run = try #require((log["runs"] as? [[String: Any]])?.first)
        let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
        let rules = try #require(driver["rules"] as? [[String: Any]])
        let results = try #require(run["results"] as? [[String: Any]])
        #expect(rules.map { $0["id"] as? String } == ["ats.forward-secrecy", "net.refused"])
        #expect(rules.allSatisfy { ($0["help"] as? [String: Any])?["text"] is String })
        #expect(results.map { $0["level"] as? String } == ["error", "warning"])
        for (index, result) in results.enumerated() {
            #expect(result["ruleIndex"] as? Int == index)
            let place = (result["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any]
            #expect((place?["region"] as? [String: Int])?["startLine"] == 6)
        }
    }

    @Test("a fingerprint depends on host and rule only, not on the loads or the line")
    func fingerprints() throws {
        func prints(_ text: String) -> [String] {
            text.components(separatedBy: "\"atsgateHostAndRule/v1\":\"").dropFirst().map { String($0.prefix(16)) }
        }
        let first = prints(try render(.sarif))
        #expect(first.count == 2)
        let later = ReportContext(declaration: Self.declaration(line: 40), toolVersion: "2")
        let again = try ReportFormat.sarif.render(
            [SampleLoads.unreachable(), SampleLoads.forwardSecrecy(77)], later)
        #expect(prints(again) == first)
    }

    @Test("without a file SARIF points to the URL, and GitHub to no place")
    func secureDefaults() throws {
        var load = SampleLoads.forwardSecrecy()
        load.policy = RecordedPolicy(source: nil, bundleID: nil, os: "ios26", basis: RulingBasis(step: .secureDefault))
        func text(_ format: ReportFormat) throws -> String {
            try format.render([load])
        }
        #expect(try text(.sarif).contains("\"uri\":\"https://rsa-kx.lab.test/0\""))
        #expect(try text(.github).hasPrefix("::error title="))
    }

    private func render(_ format: ReportFormat) throws -> String {
        let loads =
            [SampleLoads.plain(), SampleLoads.unreachable()] + (0..<3).map { SampleLoads.forwardSecrecy($0) }
        let context = ReportContext(declaration: Self.declaration(line: 6), toolVersion: "1.2.3")
        return try format.render(loads, context)
    }

    private static func declaration(line: Int) -> Declaration {
        var declaration = Declaration.secureDefaults
        declaration.source = "App/Info.plist"
        declaration.line = line - 1
        declaration.members = [
            PropertyMember(key: ATSKey.exceptionDomains, keyLine: line, node: PropertyNode(.dictionary([])))
        ]
        return declaration
    }
}
