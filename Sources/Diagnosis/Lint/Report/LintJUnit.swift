import Text

/// JUnit XML: a suite per declaration, a case per finding. What does not reach `--fail-on` passes and tells its text.
enum LintJUnit {
    /// The whole document.
    static func render(_ report: LintReport) -> String {
        let cases = report.files.map { max(1, $0.findings.count) }.reduce(0, +)
        let failures = report.files.reduce(0) { $0 + $1.findings.count(where: report.fails) }
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<testsuites name="atsgate lint" tests="\#(cases)" failures="\#(failures)" errors="0">"#,
        ]
        for file in report.files { lines += suite(file, in: report) }
        lines.append("</testsuites>")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func suite(_ file: LintedFile, in report: LintReport) -> [String] {
        let name = attribute(file.path)
        let failures = file.findings.count(where: report.fails)
        let tests = max(1, file.findings.count)
        var lines = [
            #"  <testsuite name="\#(name)" tests="\#(tests)" failures="\#(failures)" errors="0" skipped="0">"#
        ]
        // A suite without a case looks as if nothing had been looked at.
        if file.findings.isEmpty { lines.append(#"    <testcase classname="\#(name)" name="lint"/>"#) }
        for finding in file.findings {
            let line = finding.line.map { #" line="\#($0)""# } ?? ""
            let title = attribute("\(finding.rule) \(finding.keyPath)")
            lines.append(#"    <testcase classname="\#(name)" name="\#(title)" file="\#(name)"\#(line)>"#)
            if report.fails(finding) {
                let message = attribute(finding.sentence)
                lines.append(#"      <failure type="\#(finding.rule)" message="\#(message)"/>"#)
            } else {
                let text = XMLText.escaped("\(finding.severity.rawValue): \(finding.sentence)")
                lines.append("      <system-out>\(text)</system-out>")
            }
            lines.append("    </testcase>")
        }
        lines.append("  </testsuite>")
        return lines
    }

    private static func attribute(_ text: String) -> String { XMLText.escaped(text) }
}
