public import ATSPolicy
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

/// The effect of one host's loads, by one rule, on the exit code. Raw values are shown in JSON and CSV.
public enum Judgement: String, Sendable, Hashable, CaseIterable {
    /// The loads count, and no baseline contains them: the exit code is 1.
    case fails
    /// The loads would count, but the baseline contains them.
    case known
    /// The loads were blocked or failed, but do not count.
    case uncounted
    case passes
    /// ATS does not apply to the loads.
    case outside
}

/// The loads that make a command exit with 1. Raw values are those of `--fail-on`.
public enum FailOn: String, Sendable, Hashable, CaseIterable {
    /// Loads that a device of the emulated release could not make because of ATS, trust or TLS, whether or not the gate
    /// let them pass.
    case refused
    /// Those that ATS or the system's trust rules block.
    case blocked
    /// Those that were refused, and loads that failed for another reason: the network, the server, the client.
    case any
    case none

    /// - Parameter rule: the rule that decided; nil if there is none.
    public func counts(_ verdict: Verdict, rule: String?) -> Bool {
        switch verdict {
        case .blocked, .wouldBlock: self != .none
        case .failed: self == .any || (self == .refused && Self.failsOnDevice(rule))
        case .allowed, .outside: false
        }
    }

    /// True if a load that failed by that rule did so in the TLS of its server: a device fails, too
    /// (docs/verdicts.md#verdicts). Only imported loads fail by a rule of trust.
    public static func failsOnDevice(_ rule: String?) -> Bool {
        let category = rule.flatMap(RuleCategory.init(ofRule:))
        return category == .tls || category == .trust
    }
}

extension [Verdict: Int] {
    /// The number of loads that a device blocks.
    public var blocked: Int { self[.blocked, default: 0] + self[.wouldBlock, default: 0] }
}

extension Finding {
    /// The cause in a few words, for a title after the host: `TLS 1.0, ATS needs TLS 1.2 or newer` for a rule of ATS,
    /// otherwise its title and what was seen, as in `Connection refused: port 443 of a.test is closed`.
    public var cause: String {
        if rule == .cleartextLoad { return "cleartext HTTP, ATS needs https" }
        if rule.category == .ats, !expected.isEmpty { return "\(observed), ATS needs \(expected)" }
        return title.isEmpty ? observed : "\(title): \(observed)"
    }
}

extension CIFinding.Rule {
    /// - Parameters:
    ///   - source: the public document first, then the topic that explains the rule.
    ///   - level: the default level of a rule that is listed with its source; nil for none.
    public init(_ id: String, title: String, source: String, _ confidence: Confidence, level: CIFinding.Level? = nil) {
        self.init(
            id: id, title: title,
            help: "\(title). Source: \(References.shown(source)) (\(confidence.rawValue)).",
            helpAddress: PublicDocument(citedFirstIn: source)?.address, level: level,
            properties: level == nil ? [] : [("source", source), ("confidence", confidence.rawValue)])
    }

    /// The rule of a finding on a load.
    public init(_ finding: Finding) {
        self.init(finding.rule.rawValue, title: finding.title, source: finding.source, finding.confidence)
    }
}

extension Baseline.Entry {
    /// Number of words in an entry about loads: host and rule.
    public static let wordsOfLoads = 2

    /// The entry for the loads of a host that one rule decided.
    ///
    /// - Parameters:
    ///   - host: as recorded, in any spelling.
    ///   - rule: nil if no rule is known.
    public init(host: String, rule: String?) {
        self.init([HostGrammar.normalized(host), rule ?? "-"])
    }

    /// Reads an entry as a file contains it.
    ///
    /// - Throws: ``WrittenHostFault`` for a pattern, or any other text that is not a host.
    public init(written words: [String]) throws(WrittenHostFault) {
        let host = try WrittenHost(words[0])
        guard !host.isPattern else { throw .isPattern(words[0]) }
        self.init(host: host.spelling, rule: words[1])
    }
}
