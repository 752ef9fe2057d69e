public import ATSPolicy

/// Checks dictionaries by the rules of the ``LintBook``.
public struct Linter: Sendable {
    private let systems: SystemRange?
    private let deployment: OSProfile?
    private let showsJustifications: Bool

    /// - Parameters:
    ///   - systems: nil for the releases that each dictionary names, see ``SystemRange/init(of:deployment:)``.
    ///   - deployment: the oldest release of dictionaries that name none.
    ///   - showsJustifications: proposes answers for App Store review.
    public init(systems: SystemRange? = nil, deployment: OSProfile? = nil, showsJustifications: Bool = false) {
        self.systems = systems
        self.deployment = deployment
        self.showsJustifications = showsJustifications
    }

    /// Returns the findings, in the order of the file.
    ///
    /// - Parameter bundle: file name of the enclosing bundle.
    public func lint(_ declaration: Declaration, bundle: String? = nil) -> LintedFile {
        let systems = systems ?? SystemRange(of: declaration, deployment: deployment)
        let subject = LintSubject(declaration, systems: systems, showsJustifications: showsJustifications)
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
