import ATSPolicy
import Foundation
import Lab
import Probe
import Testing

@Suite(.timeLimit(.minutes(2)))
struct FormatTests {
    private let results: [ProbeResult]
    private let declaration: Declaration

    init() async throws {
        let entry = PropertyMember(
            key: "expired.lab.test", keyLine: 7, node: PropertyNode(.dictionary([]), line: 8))
        let domains = PropertyMember(key: ATSKey.exceptionDomains, node: PropertyNode(.dictionary([entry])))
        var declaration = Declaration.secureDefaults.with([domains])
        declaration.source = "My App/Info.plist"
        declaration.line = 3
        self.declaration = declaration
        let bench = try ProbeBench(try SharedLabs.basic.get())
        let judge = Judge(declaration: declaration, profile: .newest)
        var results: [ProbeResult] = []
        for host in ["good.lab.test", "expired.lab.test", "rsa-kx.lab.test", "127.0.0.1:1"] {
            results.append(await bench.prober.probe(try ProbeTarget(host), by: judge))
        }
        self.results = results
    }

    private func document(_ format: ProbeFormat, under declaration: Declaration? = nil) throws -> String {
        try #require(format.document(results, under: declaration ?? self.declaration, toolVersion: "1.0"))
    }

    @Test("JUnit counts failures and errors separately")
    func junit() throws {
        let text = try document(.junit)
        #expect(text.contains(#"<testsuites name="atsgate probe" tests="4" failures="2" errors="1">"#))
        #expect(text.contains(#"<testcase classname="ios27" name="https://good.lab.test/"/>"#))
        #expect(text.contains(#"<error type="net.refused""#))
    }

    @Test("SARIF points to the host's entry, else to the dictionary, else to the URL")
    func sarif() throws {
        #expect(
            try places(try document(.sarif)) == [
                "My%20App/Info.plist:7", "My%20App/Info.plist:3", "My%20App/Info.plist:3",
            ])
        let first = try places(try document(.sarif, under: .secureDefaults)).first
        #expect(first == "https://expired.lab.test/:0")
    }

    @Test("CSV and Markdown have a row for each target")
    func tables() throws {
        #expect(try document(.csv).split(separator: "\r\n").count == 5)
        #expect(try document(.markdown).split(separator: "\n").count == 6)
        #expect(try document(.csv).contains("https://rsa-kx.lab.test/,ios27,fail,ats.forward-secrecy,-1200,-9858,"))
    }

    private func places(_ sarif: String) throws -> [String] {
        let object = try JSONSerialization.jsonObject(with: Data(sarif.utf8)) as? [String: Any]
        let run = (object?["runs"] as? [[String: Any]])?.first
        return (run?["results"] as? [[String: Any]] ?? []).map { result in
            let location = (result["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any]
            let uri = (location?["artifactLocation"] as? [String: Any])?["uri"] as? String
            let line = (location?["region"] as? [String: Any])?["startLine"] as? Int
            return "\(uri ?? ""):\(line ?? 0)"
        }
    }
}
