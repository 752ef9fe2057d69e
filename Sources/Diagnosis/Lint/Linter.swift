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

    /// Returns the findings, in the order of the file. That ATS is off comes first.
    ///
    /// - Parameters:
    ///   - bundle: file name of the enclosing bundle.
    ///   - app: the dictionary of the app, for that of an extension.
    public func lint(_ declaration: Declaration, bundle: String? = nil, within app: Declaration? = nil) -> LintedFile {
        let systems = systems ?? SystemRange(of: declaration, deployment: deployment)
        let subject = LintSubject(declaration, systems: systems, app: app, showsJustifications: showsJustifications)
        var findings: [LintFinding] = []
        for rule in LintBook.rules {
            findings += rule.check(subject).map { LintFinding($0, by: rule) }
        }
        return LintedFile(
            path: declaration.source ?? "-", bundle: bundle, bundleID: declaration.bundleID, systems: systems.name,
            findings: findings.ordered)
    }
}

extension [LintFinding] {
    /// By line and column; that ATS is off comes first.
    var ordered: [LintFinding] {
        enumerated().sorted {
            ($0.element.rank, $0.element.column, $0.offset) < ($1.element.rank, $1.element.column, $1.offset)
        }
        .map(\.element)
    }
}

extension LintFinding {
    fileprivate var rank: Int { rule == LintRule.arbitraryLoads.id ? 0 : line ?? 0 }
}
