import ATSPolicy
import Records

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
