import ATSPolicy
import Records

/// Where in a file a load would have to be helped: the key that decided, the entry that serves the host, or the nearest
/// dictionary around where one would have to stand.
struct ReportPlace {
    let path: String
    /// Counted from 1; nil where nobody knows.
    let line: Int?

    /// - Returns: nil for loads under the secure defaults, of which no file is known.
    init?(_ group: LoadGroup, _ context: ReportContext) {
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
            group.first.findings.first?.keyPath, policy.key, policy.entry.map { "\(domains).\($0)" }, domains,
        ]
        line = paths.lazy.compactMap(\.self).compactMap(declaration.line).first ?? declaration.line
    }
}
