import ATSPolicy
import Diagnosis
import Records
import Text

extension ReportModel {
    /// The report for CI systems: a test for each host, with names that are stable from run to run, and a finding for
    /// each of its problems.
    func ci(_ context: ReportContext) -> CIReport {
        let properties = [
            ("recording", header.recordings.text), ("os", header.systems.text), ("policy", header.policies.text),
        ]
        // Readers match cases of two runs by suite, class and name. The class has no dot, because Jenkins reads the
        // part before the last dot as a package.
        let suite = CIReport.Suite(
            "App Transport Security", className: "atsgate", timestamp: header.first.map { String($0.prefix(19)) },
            properties: properties.filter { !$0.1.isEmpty }.map { (name: $0, value: $1) }, tests(context))
        return CIReport(
            "atsgate", toolVersion: context.toolVersion, [suite],
            nothing: judgement(by: context.rules).nothingJudged?.sentence)
    }

    private func tests(_ context: ReportContext) -> [CIReport.Test] {
        var hosts: [[ReportCase]] = []
        var places: [String: Int] = [:]
        for reported in cases(by: context.rules) {
            if let place = places[reported.key.host] {
                hosts[place].append(reported)
            } else {
                places[reported.key.host] = hosts.count
                hosts.append([reported])
            }
        }
        return hosts.map { cases in
            let spans = cases.flatMap(\.groups).map(\.span)
            let isJudged = cases.contains { $0.judgement == .passes }
            return CIReport.Test(
                cases.first?.key.host ?? "",
                // From the start of the first load to the start of the last.
                milliseconds: (spans.map(\.last).max() ?? 0) - (spans.map(\.first).min() ?? 0),
                cases.compactMap { $0.ci(context) },
                skipped: isJudged ? nil : "ATS does not govern the client")
        }
    }
}

extension ReportCase {
    /// nil if the loads were allowed, or ATS does not govern them.
    fileprivate func ci(_ context: ReportContext) -> CIFinding? {
        guard let effect = effect(context.rules), let worst = groups.first else { return nil }
        return CIFinding(
            worst.first.findings.first.map { CIFinding.Rule($0) } ?? Self.unreported,
            judgement == .uncounted ? .warning : .error, effect,
            CIFinding.Words(
                title: headline, message: sentence, details: groups.map(\.explanation).joined(separator: "\n\n")),
            identity: CIFinding.Identity(
                of: key.host, method: "atsgateHostAndRule/v1",
                fingerprint: Fingerprint.text([key.host, key.rule ?? ""].joined(separator: "\u{0}"))),
            at: ReportLocation(worst, context).map { .file($0.path, line: $0.line) } ?? .address(worst.url),
            isInBaseline: context.rules.baselineFile.map { _ in
                context.rules.knows(host: key.host, rule: key.rule)
            })
    }

    private func effect(_ rules: JudgementRules) -> CIFinding.Effect? {
        switch judgement {
        case .fails: return .fails
        case .known: return .known(file: rules.baselineFile ?? "")
        case .uncounted:
            let why = (groups.first?.deviceFailure ?? groups.first?.observed).map { ": \($0)" } ?? ""
            return .uncounted("\(verdict.words), not counted\(why)")
        case .passes, .outside: return nil
        }
    }

    /// A problem from a device's log without a cause counts as one of ATS.
    private static let unreported = CIFinding.Rule(
        "ats", title: "A load that a device blocked, or that failed there, without a cause in the device's log",
        source: "docs/evidence.md#import", .observed)
}

extension ReportRow {
    /// The loads, the problem and the possible fixes, a line each.
    fileprivate var explanation: String {
        let lines = [
            "\(loads) x \(url)\(otherURLs): \(key.verdict.words)", key.rule.map { "rule: \($0)" },
            deviceFailure.map { "on a device, too: \($0)" }, key.codes.map { "a device reports \($0)" },
            observed.map { "seen: \($0)\(doubt)" }, key.deciding.map { "decided by: \($0)" },
            serverFix.map { "server: \($0)" }, exceptionFix.map { "in Info.plist: \($0)" },
        ]
        return lines.compactMap { $0?.printable }.joined(separator: "\n")
    }
}

/// The line in a file where a fix for a load belongs: that of the deciding key, of the host's entry, or of the nearest
/// enclosing dictionary.
struct ReportLocation {
    let path: String
    /// Counted from 1; nil if unknown.
    let line: Int?

    /// - Returns: nil for loads under the secure defaults without a known file.
    init?(_ group: ReportRow, _ context: ReportContext) {
        let policy = group.first.policy
        guard let declaration = context.declaration, let source = declaration.source, source != "-" else {
            guard let source = policy.source, source != "-" else { return nil }
            path = source
            line = policy.line
            return
        }
        path = source
        let domains = "\(ATSKey.root).\(ATSKey.exceptionDomains)"
        let paths = [
            group.first.findings.first?.keyPath, policy.basis?.keyPath, policy.basis?.entry.map { "\(domains).\($0)" },
            domains,
        ]
        line = paths.lazy.compactMap(\.self).compactMap(declaration.line).first ?? declaration.line
    }
}
