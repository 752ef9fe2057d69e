import ATSPolicy
import Diagnosis
import Records
import Text

extension [ProbeResult] {
    /// The report for CI systems: a suite for each release, a test for each target. An unreachable target could not be
    /// checked, which is not a failure.
    ///
    /// - Parameter declaration: the dictionary of the rulings; if it is a file, findings point to it.
    func ci(under declaration: Declaration, by rules: JudgementRules, toolVersion: String) -> CIReport {
        let systems = reduce(into: [OSProfile]()) { if !$0.contains($1.system) { $0.append($1.system) } }
        let suites = systems.map { system in
            CIReport.Suite(
                system.name,
                filter { $0.system == system }.map { result in
                    CIReport.Test(result.target.url, result.ci(under: declaration, by: rules))
                })
        }
        return CIReport("atsgate probe", toolVersion: toolVersion, suites)
    }
}

extension ProbeResult {
    /// Empty for a pass.
    fileprivate func ci(under declaration: Declaration, by rules: JudgementRules) -> [CIFinding] {
        guard let headline, let sentence else { return [] }
        let (host, rule) = (target.target.host, rule?.rawValue ?? "")
        let effect: CIFinding.Effect =
            isKnown(by: rules)
            ? .known(file: rules.baselineFile ?? "") : verdict == .fail ? .fails : .unchecked
        let identity = [host, rule, system.name].joined(separator: " ")
        return [
            CIFinding(
                diagnosis?.findings.first.map { CIFinding.Rule($0) }
                    ?? CIFinding.Rule(rule, title: rule, source: "docs/verdicts.md", .observed),
                verdict == .fail ? .error : .warning, effect,
                CIFinding.Words(title: headline, message: "\(sentence) On \(system.title)."),
                identity: CIFinding.Identity(of: host, method: "atsgateHostAndRule/v1", fingerprint: identity),
                at: place(in: declaration),
                isInBaseline: rules.baselineFile.map { _ in rules.knows(host: host, rule: rule) })
        ]
    }

    /// The entry for the host, or the dictionary; without a file, the URL.
    private func place(in declaration: Declaration) -> CIFinding.Location {
        guard let source = declaration.source, source != "-" else { return .address(target.url) }
        let entry = ruling.basis.entry.flatMap { declaration.entries.last($0) }
        return .file(source, line: entry?.keyLine ?? declaration.line)
    }
}
