import ATSPolicy
import Foundation
import Records
import Reporting
import Samples
import Testing

/// The title of a problem in CI names the host and the cause.
@Suite("Titles for CI")
struct TitleTests {
    private static let formats: [ReportFormat] = [.junit, .github, .gitlab, .sarif]

    @Test("every rule's title has the host, what was seen, and for ATS what it needs", arguments: findings)
    func everyRule(finding: Finding) throws {
        let cause =
            finding.rule.category == .ats
            ? "\(finding.observed), ATS needs \(finding.expected)" : "\(finding.title): \(finding.observed)"
        for format in Self.formats {
            let text = try Self.text(finding, as: format)
            #expect(Self.plain(text).contains("tls10.lab.test: \(cause)"), "\(format): \(text)")
        }
    }

    @Test(
        "titles are short",
        arguments: [
            (RuleID.tlsVersion, "tls10.lab.test: TLS 1.1, ATS needs TLS 1.2 or newer"),
            (.expired, "tls10.lab.test: Expired certificate: "), (.hostName, "tls10.lab.test: "),
        ])
    func examples(rule: RuleID, beginning: String) throws {
        let finding = try #require(Self.findings.first { $0.rule == rule })
        for format in Self.formats {
            #expect(Self.plain(try Self.text(finding, as: format)).contains(beginning), "\(format)")
        }
    }

    @Test("a cleartext load needs https")
    func cleartext() throws {
        let target = LoadTarget(scheme: .http, host: "tls10.lab.test", port: 80)
        let verdict = RuleBook.standard.judgeCleartext(
            to: target, basis: RulingBasis(step: .secureDefault), profile: .newest)
        let finding = try #require(verdict.findings.first)
        for format in Self.formats {
            let text = Self.plain(try Self.text(finding, as: format))
            #expect(text.contains("tls10.lab.test: cleartext HTTP, ATS needs https"), "\(format)")
        }
    }

    @Test("a server that rejects the handshake fails in every format, and one that is not reached does not")
    func refusedHandshake() throws {
        let alert = Finding(
            rule: .tlsAlert, title: "TLS handshake refused", keyPath: nil, expected: "a completed handshake",
            observed: "alert handshake_failure (40)", confidence: .observed, source: "")
        let title = "tls10.lab.test: TLS handshake refused: alert handshake_failure (40)"
        #expect(try Self.text(alert, as: .junit, .failed).contains("<failure type=\"tls.alert\" message=\"\(title)\""))
        #expect(try Self.text(alert, as: .github, .failed).hasPrefix("::error "))
        #expect(try Self.text(alert, as: .gitlab, .failed).contains("\"severity\":\"major\""))
        #expect(try Self.text(alert, as: .sarif, .failed).contains("\"level\":\"error\""))
        var gone = alert
        gone.rule = .netRefused
        #expect(try Self.text(gone, as: .junit, .failed).contains("<skipped message=\"failed, not counted"))
        #expect(try Self.text(gone, as: .gitlab, .failed) == "[]\n")
    }

    static let findings = RuleBook.standard.rules.compactMap { $0.specimen?.finding }

    private static func text(
        _ finding: Finding, as format: ReportFormat, _ verdict: Verdict = .blocked
    ) throws -> String {
        var record = SampleLoads.plain(verdict: verdict, host: "tls10.lab.test")
        var finding = finding
        finding.confidence = .observed
        record.diagnosis = RecordedDiagnosis(findings: [finding], apple: nil, remedy: nil)
        return try format.render([SampleLoads.filed(record)])
    }

    /// Without the escapes of the formats.
    private static func plain(_ text: String) -> String {
        [("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("%3A", ":")]
            .reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
            .replacingOccurrences(of: "\\\"", with: "\"")
    }
}
