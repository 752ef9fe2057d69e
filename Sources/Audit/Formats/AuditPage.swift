import ATSPolicy
import Diagnosis
import Text

/// The formats of an audit. Raw values are those of `--format`.
public enum AuditFormat: String, Sendable, CaseIterable {
    case text
    /// One page without scripts.
    case html
    case json
    /// SARIF 2.1.0, for code scanning.
    case sarif
    /// A comment for a pull request.
    case markdown
}

/// An audit with the facts that its page shows in addition.
public struct AuditPage: Sendable {
    let report: AuditReport
    let diff: AuditDiff?
    /// `2026-11-28`.
    let date: String
    let toolVersion: String

    /// - Parameters:
    ///   - diff: the comparison with an older build; nil if there is none.
    ///   - date: the day of the audit in UTC, as `2026-11-28`.
    public init(_ report: AuditReport, diff: AuditDiff? = nil, date: String, toolVersion: String) {
        self.report = report
        self.diff = diff
        self.date = date
        self.toolVersion = toolVersion
    }

    /// The page; ends with a line break.
    public func text(_ format: AuditFormat) -> String {
        switch format {
        case .text: AuditText(page: self).text
        case .html: AuditHTML(page: self).text
        case .json: AuditJSON(page: self).text
        case .sarif: ci.text(as: .sarif)
        case .markdown: AuditMarkdown(page: self).text
        }
    }

    /// `1 error, 2 warnings, 3 notes in 2 programs; 12 hosts, 2 of them cleartext`.
    public var summary: String {
        let findings = report.findings
        let counts = [LintRule.Severity.error, .warning, .note].map { severity in
            DictionaryWords.count(
                findings.count { $0.severity == severity }, severity.rawValue, severity.rawValue + "s")
        }
        let hosts = DictionaryWords.count(report.hosts.count, "host", "hosts")
        return "grade \(report.grade.rawValue); \(counts.joined(separator: ", ")) in "
            + "\(DictionaryWords.count(report.executables.count, "program", "programs")); \(hosts), "
            + "\(report.hosts.count(where: \.row.isCleartext)) of them cleartext"
            + (report.malformed.map { "; read as plain bytes: \($0)" } ?? "")
    }

    /// Name and value of each line of the page's head.
    var facts: [(name: String, value: String)] {
        [
            ("file", report.path), ("SHA-256", report.digest), ("date", date), ("judged as on", report.profile.title),
            ("tool", "atsgate \(toolVersion)"),
        ]
    }

    /// The sentences about a program's system.
    func systemWords(_ executable: AuditedExecutable) -> [String] {
        let system = executable.system
        let sdk = system.linkedSDK.map { "linked with the SDK of \($0.platform.title) \($0.version)" }
        let oldest = system.minimumOS.map { "runs on \($0) and later" }
        let code = system.architectures.isEmpty ? nil : system.architectures.joined(separator: ", ")
        let first = [oldest, sdk, code, system.isEncrypted ? "encrypted" : nil].compactMap(\.self).joined(
            separator: "; ")
        return (first.isEmpty ? [] : [first]) + system.consequences.map { References.shown($0) }
    }

    /// The columns of one host: name, ruling, loads, probe, place.
    func cells(_ host: AuditedHost) -> [String] {
        let more = host.row.found.count + host.row.morePlaces - 1
        let place = (host.row.found.first?.words ?? "") + (more > 0 ? " and \(more) more" : "")
        var cells = [host.row.name, host.ruling.words + (host.isLocal ? ", local" : "")]
        if report.coverage != nil { cells.append(host.loads.map(String.init) ?? "") }
        if hasProbes { cells.append(host.probe?.words ?? "") }
        return cells + [place]
    }

    var columns: [String] {
        ["host", "ruling"] + (report.coverage == nil ? [] : ["loads"]) + (hasProbes ? ["probe"] : []) + ["found in"]
    }

    private var hasProbes: Bool { report.hosts.contains { $0.probe != nil } }

    /// The number of URLs of each kind that are kept apart.
    var noiseCounts: [(kind: Noise.Kind, hosts: [String])] {
        Noise.Kind.allCases.compactMap { kind in
            let hosts = report.noise.filter { $0.kind == kind }.map(\.row.host)
            let distinct = Set(hosts).sorted()
            return distinct.isEmpty ? nil : (kind, distinct)
        }
    }

    /// Titles and lines of a comparison; empty without one.
    var diffSections: [(title: String, lines: [String])] {
        guard let diff else { return [] }
        guard !diff.isEmpty else { return [("compared with \(diff.old)", ["no difference"])] }
        return [
            ("compared with \(diff.old)", diff.posture), ("new hosts", diff.addedHosts),
            ("removed hosts", diff.removedHosts), ("hosts with another ruling or scheme", diff.changedHosts),
        ].filter { !$0.1.isEmpty }
    }
}

extension KeyOrigin {
    /// `NSAllowsLocalNetworking: React Native template (its code is in the app)`.
    var words: String {
        let names = writers.map { $0.name + ($0.isInApp ? " (its files are in the app)" : "") }
        return "\(keyPath): " + (names.isEmpty ? "no known template writes it" : names.joined(separator: "; "))
    }
}
