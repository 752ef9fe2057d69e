public import Records
public import Text

/// Decides which blocked and failed loads count, and which of those are known. The exit code of a command and every
/// report format use it, so that they cannot differ.
public struct JudgementRules: Sendable, Hashable {
    /// The findings that are known and do not count.
    public enum KnownFindings: Sendable, Hashable {
        case nothing
        case listed(Baseline, file: String)
        /// Every finding: the baseline is being written to this file.
        case everything(file: String)
    }

    public var failOn: FailOn
    public var known: KnownFindings
    /// True if it is an error that no load was judged.
    public var needsLoads: Bool

    public init(failOn: FailOn = .refused, known: KnownFindings = .nothing, needsLoads: Bool = true) {
        self.failOn = failOn
        self.known = known
        self.needsLoads = needsLoads
    }

    /// The judgement on loads of one host that one rule decided.
    ///
    /// - Parameter verdicts: the verdicts of the loads.
    public func judgement(host: String, rule: String?, _ verdicts: some Collection<Verdict>) -> Judgement {
        func contains(_ loads: FailOn) -> Bool { verdicts.contains { loads.counts($0, rule: rule) } }
        if contains(compared), knows(host: host, rule: rule) { return .known }
        if contains(failOn) { return .fails }
        if contains(.any) { return .uncounted }
        return verdicts.contains(.allowed) ? .passes : .outside
    }

    /// The loads that are compared with a baseline; not empty even if none count.
    public var compared: FailOn { failOn == .none ? .refused : failOn }

    /// The file of the baseline; nil without one.
    public var baselineFile: String? {
        switch known {
        case .nothing: nil
        case .listed(_, let file), .everything(let file): file
        }
    }

    /// True if the baseline contains this host and rule.
    public func knows(host: String, rule: String?) -> Bool {
        switch known {
        case .nothing: false
        case .listed(let baseline, _): baseline.entries.contains(Baseline.Entry(host: host, rule: rule))
        case .everything: true
        }
    }
}

extension JudgementRules {
    /// The rules for loads whose hosts and files were renamed.
    public func renamed(_ host: (String) -> String, file rename: (String) -> String) -> JudgementRules {
        var rules = self
        switch known {
        case .nothing: break
        case .everything(let file): rules.known = .everything(file: rename(file))
        case .listed(let baseline, let file):
            let entries = baseline.entries.map { entry in
                Baseline.Entry(host: host(entry.words[0]), rule: entry.words[1])
            }
            rules.known = .listed(Baseline(entries), file: rename(file))
        }
        return rules
    }
}
