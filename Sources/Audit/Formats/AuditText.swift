import Diagnosis
import Text

/// An audit as text for a terminal.
struct AuditText {
    let page: AuditPage

    private var report: AuditReport { page.report }

    var text: String {
        let blocks = [head] + report.executables.map(program) + [hosts, coverage, kept, origins] + comparison
        return blocks.filter { !$0.isEmpty }.map { $0.map { $0.printable + "\n" }.joined() }.joined(separator: "\n")
    }

    private var head: [String] {
        ["grade \(report.grade.rawValue)  \(report.headline)"]
            + page.facts.map { "  \($0.name.padded(to: 12))  \($0.value)" }
    }

    private func program(_ executable: AuditedExecutable) -> [String] {
        let id = executable.bundleID.map { " (\($0))" } ?? ""
        var lines = [
            "\(executable.kind.words) \(executable.path)\(id): grade \(executable.grade.rawValue), \(executable.gradeReason)"
        ]
        lines += executable.dictionary.dropFirst(executable.path == report.executables.first?.path ? 1 : 0).map {
            "  " + $0
        }
        lines += page.systemWords(executable).map { "  " + $0 }
        lines += executable.pins.map {
            "  pin \($0.name): \($0.words)\($0.date.map { ", until \($0)" } ?? ""), in \($0.place)"
        }
        lines += executable.findings.prefix(Self.mostFindings).map { finding in
            "  \(finding.severity.rawValue): \(finding.sentence) [\(finding.rule)]"
        }
        let more = executable.findings.count - Self.mostFindings
        if more > 0 { lines.append("  and \(more) more findings: --format json lists all") }
        for question in executable.questions {
            let hosts = question.hosts.isEmpty ? "" : " (\(question.hosts.joined(separator: ", ")))"
            lines.append("  App Store review asks about \(question.key)\(hosts). A draft of an answer:")
            lines.append("    " + question.sample)
        }
        return lines
    }

    private var hosts: [String] {
        guard !report.hosts.isEmpty else { return ["no hosts in the app's files"] }
        let rows = [page.columns] + report.hosts.map(page.cells)
        let widths = page.columns.indices.map { column in
            min(rows.map { $0[column].count }.max() ?? 0, Self.widest)
        }
        return [DictionaryWords.count(report.hosts.count, "host", "hosts") + " in the app's files"]
            + rows.map { row in
                let cells = row.enumerated().map { column, cell in
                    column == row.count - 1 ? cell : Self.cut(cell).padded(to: widths[column])
                }
                return "  " + cells.joined(separator: "  ")
            }
    }

    private var coverage: [String] {
        guard let coverage = report.coverage else { return [] }
        return ["recording \(coverage.recording): \(coverage.sentence)"]
            + coverage.neverLoaded.prefix(Self.mostFindings).map { "  http URL that was never loaded: \($0)" }
            + coverage.notInApp.prefix(Self.mostFindings).map {
                "  not in the app's files: \($0.host), \(DictionaryWords.count($0.loads, "load", "loads"))"
            }
    }

    private var kept: [String] {
        let noise = page.noiseCounts.map { kind, hosts in
            let names = hosts.prefix(Self.mostNames).joined(separator: ", ")
            return "  \(kind.words): \(names)"
                + (hosts.count > Self.mostNames ? " and \(hosts.count - Self.mostNames) more" : "")
        }
        let templates = report.templates.prefix(Self.mostFindings).map {
            "  \($0.name), in \($0.found.first?.words ?? "")"
        }
        return (noise.isEmpty ? [] : ["URLs that are not loads"] + noise)
            + (templates.isEmpty ? [] : ["URLs whose host the program inserts when it runs"] + templates)
    }

    private var origins: [String] {
        guard let origins = report.keyOrigins else { return [] }
        return ["keys, with the templates and SDKs that write them (inferred)"]
            + (origins.isEmpty ? ["  no key"] : [])
            + origins.map { "  " + (report.executables.count > 1 ? "\($0.executable): " : "") + $0.words }
    }

    private var comparison: [[String]] {
        page.diffSections.map { section in [section.title] + section.lines.map { "  " + $0 } }
            + (page.diff?.dictionaries ?? []).map { name, text in
                ["dictionary of \(name)"]
                    + text.split(separator: "\n").map { "  " + $0 }
            }
    }

    private static func cut(_ text: String) -> String {
        text.count > widest ? text.prefix(widest - 1) + "…" : text
    }

    private static let widest = 60
    private static let mostFindings = 30
    private static let mostNames = 8
}
