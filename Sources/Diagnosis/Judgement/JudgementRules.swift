public import Records
public import Text

/// What of refused and broken loads counts, and what of that is known. The exit code of a command and every form of its
/// report ask this, and nothing else, so that they cannot differ.
public struct JudgementRules: Sendable, Hashable {
    /// What is known and passes.
    public enum KnownFindings: Sendable, Hashable {
        case nothing
        case listed(Baseline, file: String)
        /// Whatever is found: it is being written to this file.
        case everything(file: String)
    }

    public var failOn: FailOn
    public var known: KnownFindings
    /// Where no load was judged at all, that is an error of its own.
    public var needsLoads: Bool

    public init(failOn: FailOn = .blocked, known: KnownFindings = .nothing, needsLoads: Bool = true) {
        self.failOn = failOn
        self.known = known
        self.needsLoads = needsLoads
    }

    /// The judgement on loads of one host that one rule decided over.
    ///
    /// - Parameter verdicts: how they ended.
    public func judgement(host: String, rule: String?, _ verdicts: some Collection<Verdict>) -> Judgement {
        if verdicts.contains(where: compared.counts), knows(host: host, rule: rule) { return .known }
        if verdicts.contains(where: failOn.counts) { return .fails }
        if verdicts.contains(where: FailOn.failed.counts) { return .uncounted }
        return verdicts.contains(.allowed) ? .passes : .outside
    }

    /// What a baseline is compared with: also where nothing counts.
    public var compared: FailOn { failOn == .none ? .blocked : failOn }

    /// The file of what is known; nil without one.
    public var baselineFile: String? {
        switch known {
        case .nothing: nil
        case .listed(_, let file), .everything(let file): file
        }
    }

    /// Whether a baseline has this host and rule.
    public func knows(host: String, rule: String?) -> Bool {
        switch known {
        case .nothing: false
        case .listed(let baseline, _): baseline.entries.contains(Baseline.Entry(host: host, rule: rule))
        case .everything: true
        }
    }
}

extension JudgementRules {
    /// The same for loads whose hosts have other names.
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
