public import ATSPolicy

/// Reads declarations by the rules of the ``LintBook``.
public struct Linter: Sendable {
    private let systems: SystemRange?

    /// - Parameter systems: nil for those that each declaration names itself, see ``SystemRange/init(of:)``.
    public init(systems: SystemRange? = nil) {
        self.systems = systems
    }

    /// What the rules find, in the order of the file.
    ///
    /// - Parameter bundle: file name of the bundle around it.
    public func lint(_ declaration: Declaration, bundle: String? = nil) -> LintedFile {
        let systems = systems ?? SystemRange(of: declaration)
        let subject = LintSubject(declaration, systems: systems)
        var findings: [LintFinding] = []
        for rule in LintBook.rules {
            findings += rule.check(subject).map { LintFinding($0, by: rule) }
        }
        let order = findings.enumerated().sorted {
            ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset)
        }
        return LintedFile(
            path: declaration.source ?? "-", bundle: bundle, bundleID: declaration.bundleID, systems: systems.name,
            findings: order.map(\.element))
    }
}
