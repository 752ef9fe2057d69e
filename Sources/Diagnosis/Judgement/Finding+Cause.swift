public import ATSPolicy
public import Text

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
