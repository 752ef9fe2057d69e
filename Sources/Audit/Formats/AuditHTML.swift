import Diagnosis
import Text

/// An audit as one HTML page without scripts or other files. Printed on A4 or Letter it takes about two pages.
struct AuditHTML {
    let page: AuditPage

    private var report: AuditReport { page.report }

    var text: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(escaped("ATS audit of \(report.executables.first?.path ?? report.path)"))</title>
        <style>
        \(Self.style)</style>
        </head>
        <body>
        \(head)\(report.executables.map(program).joined())\(comparison)\(hosts)\(coverage)\(origins)\(kept)</body>
        </html>

        """
    }

    private var head: String {
        let facts = page.facts.map { "<dt>\(escaped($0.name))</dt><dd>\(escaped($0.value))</dd>" }.joined()
        return "<header><p class=\"grade \(report.grade.rawValue.lowercased())\">\(report.grade.rawValue)</p>"
            + "<h1>\(escaped(report.headline))</h1><dl>\(facts)</dl></header>\n"
    }

    private func program(_ executable: AuditedExecutable) -> String {
        let id = executable.bundleID.map { " <small>\(escaped($0))</small>" } ?? ""
        let words = executable.dictionary + page.systemWords(executable)
        let pins = executable.pins.map {
            "pin \($0.name): \($0.words)\($0.date.map { ", until \($0)" } ?? ""), in \($0.place)"
        }
        let findings = executable.findings.prefix(Self.mostRows).map { finding in
            "<tr class=\"\(finding.severity.rawValue)\"><td>\(finding.severity.rawValue)</td><td>\(escaped(finding.sentence))"
                + "</td><td><code>\(escaped(finding.rule))</code></td></tr>\n"
        }
        let questions = executable.questions.map { question in
            let hosts = question.hosts.isEmpty ? "" : " for \(question.hosts.joined(separator: ", "))"
            return
                "<li><code>\(escaped(question.key))</code>\(escaped(hosts))<blockquote>\(escaped(question.sample))</blockquote></li>"
        }
        return "<section><h2>\(escaped(executable.kind.words)): \(escaped(executable.path))\(id)</h2>"
            + "<p>Grade \(executable.grade.rawValue): \(escaped(executable.gradeReason)).</p>" + list(words + pins)
            + (findings.isEmpty
                ? ""
                : "<table><thead><tr><th>severity</th><th>finding</th><th>rule</th></tr></thead><tbody>\n\(findings.joined())</tbody></table>")
            + more(executable.findings.count)
            + (questions.isEmpty ? "" : "<h3>App Store review asks about</h3><ul>\(questions.joined())</ul>")
            + "</section>\n"
    }

    private var hosts: String {
        guard !report.hosts.isEmpty else { return "<section><h2>No hosts in the app's files</h2></section>\n" }
        let head = page.columns.map { "<th>\(escaped($0))</th>" }.joined()
        let rows = report.hosts.prefix(Self.mostRows).map { host in
            let kind = host.row.isCleartext ? (host.ruling.app && !host.isLocal ? "warning" : "note") : ""
            return "<tr class=\"\(kind)\">" + page.cells(host).map { "<td>\(escaped($0))</td>" }.joined() + "</tr>\n"
        }
        return
            "<section><h2>\(DictionaryWords.count(report.hosts.count, "host", "hosts")) in the app's files</h2><table><thead><tr>\(head)</tr></thead><tbody>\n"
            + rows.joined() + "</tbody></table>\(more(report.hosts.count))</section>\n"
    }

    private var coverage: String {
        guard let coverage = report.coverage else { return "" }
        let lines =
            coverage.neverLoaded.map { "http URL that was never loaded: \($0)" }
            + coverage.notInApp.map {
                "not in the app's files: \($0.host), \(DictionaryWords.count($0.loads, "load", "loads"))"
            }
        return "<section><h2>Coverage by \(escaped(coverage.recording))</h2><p>\(escaped(coverage.sentence)).</p>"
            + list(Array(lines.prefix(Self.mostRows))) + more(lines.count) + "</section>\n"
    }

    private var comparison: String {
        page.diffSections.map { section in
            "<section><h2>\(escaped(section.title))</h2>\(list(section.lines))</section>\n"
        }.joined()
            + (page.diff?.dictionaries ?? []).map { name, text in
                "<section><h2>dictionary of \(escaped(name))</h2><pre>\(XMLText.escaped(text.printableLines).replacing("&#10;", with: "\n"))</pre></section>\n"
            }.joined()
    }

    private var origins: String {
        guard let origins = report.keyOrigins else { return "" }
        return
            "<section><h2>Keys, with the templates and SDKs that write them (inferred)</h2>\(list(origins.map(\.words)))</section>\n"
    }

    private var kept: String {
        let noise = page.noiseCounts.map {
            "\($0.kind.words): \($0.hosts.prefix(Self.mostNames).joined(separator: ", "))"
        }
        let templates = report.templates.prefix(Self.mostNames).map(\.name)
        let lines =
            noise
            + (templates.isEmpty ? [] : ["hosts inserted when the program runs: " + templates.joined(separator: ", ")])
        return lines.isEmpty ? "" : "<section><h2>URLs that are not loads</h2>\(list(lines))</section>\n"
    }

    private func list(_ lines: [String]) -> String {
        lines.isEmpty ? "" : "<ul>\(lines.map { "<li>\(escaped($0))</li>" }.joined())</ul>"
    }

    private func more(_ count: Int) -> String {
        count > Self.mostRows ? "<p>and \(count - Self.mostRows) more: --format json lists all</p>" : ""
    }

    private func escaped(_ text: some StringProtocol) -> String { XMLText.escaped(text.printable) }

    private static let mostRows = 200
    private static let mostNames = 12

    private static let style = """
        body { font: 14px/1.45 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1d1d1f; background: #fff }
        header { overflow: auto; border-bottom: 1px solid #ccc }
        h1 { font-size: 1.5rem; margin: 0 0 .5rem } h2 { font-size: 1.1rem; margin: 1.5rem 0 .4rem; overflow-wrap: anywhere }
        .grade { float: left; font-size: 3rem; line-height: 1; margin: 0 1rem 0 0; padding: .3rem .8rem; color: #fff; background: #b3261e }
        .grade.a { background: #1b7f3b } .grade.b { background: #4b7f1b } .grade.c { background: #8a6100 } .grade.d { background: #a34700 }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; clear: left; overflow-wrap: anywhere } dd { margin: 0 }
        table { border-collapse: collapse; width: 100% } td, th { text-align: left; vertical-align: top; padding: .15rem .5rem .15rem 0; border-bottom: 1px solid #ddd; overflow-wrap: anywhere }
        tr.error td:first-child { color: #b3261e; font-weight: 600 } tr.warning td:first-child { color: #8a6100; font-weight: 600 }
        pre { white-space: pre-wrap; overflow-wrap: anywhere } blockquote { margin: .2rem 0 .6rem 1rem } ul { padding-left: 1.2rem; margin: .3rem 0 }
        @media (prefers-color-scheme: dark) { body { color: #eee; background: #161618 } td, th { border-color: #444 } }
        @media print { body { font-size: 9px; margin: 0; max-width: none; color: #000; background: #fff } section { break-inside: auto } tr { break-inside: avoid } }

        """
}
