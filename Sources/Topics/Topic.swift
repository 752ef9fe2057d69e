/// A page of `docs`, or one part of it, out of the program itself.
public struct Topic: Sendable, Hashable {
    /// As in `docs`, without its ending: `law/tls`. The list of all pages is `topics`.
    public let page: String
    /// Of a heading, as links have it; nil for the whole page.
    public let anchor: String?
    /// In Markdown, up to the next heading of the same rank.
    public let text: String

    /// - Parameter name: `law/tls`, `law/tls#versions`, `docs/law/tls.md#versions`; `law/` may be left out.
    /// - Returns: nil where there is no such page, or no such heading on it.
    public init?(_ name: String) {
        let parts = name.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        var page = parts[0]
        if page.hasPrefix("docs/") { page.removeFirst("docs/".count) }
        if page.hasSuffix(".md") { page.removeLast(".md".count) }
        guard let found = Self.pages.first(where: { $0.name == page || $0.name == "law/" + page }) else { return nil }
        let whole = String(decoding: found.bytes, as: UTF8.self)
        anchor = parts.count > 1 ? parts[1] : nil
        guard let text = anchor.map({ Self.part($0, of: whole) }) ?? whole else { return nil }
        self.page = found.name
        self.text = text
    }

    /// Every page.
    public static var names: [String] { pages.map(\.name) }

    private static func part(_ anchor: String, of page: String) -> String? {
        var rank: Int?
        var lines: [Substring] = []
        var isCode = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") { isCode.toggle() }
            let marks = isCode ? 0 : line.prefix { $0 == "#" }.count
            if let own = rank, marks > 0, marks <= own { break }
            if rank == nil, marks > 0, Self.anchor(of: line.dropFirst(marks)) == anchor { rank = marks }
            if rank != nil { lines.append(line) }
        }
        guard rank != nil else { return nil }
        while lines.last == "" { lines.removeLast() }
        return lines.joined(separator: "\n") + "\n"
    }

    /// As GitHub makes them: lower case, blanks become hyphens, other punctuation goes.
    private static func anchor(of heading: Substring) -> String {
        let text = heading.drop { $0 == " " }.lowercased()
        return String(text.compactMap { $0 == " " ? "-" : $0.isLetter || $0.isNumber || "-_".contains($0) ? $0 : nil })
    }

    private static var pages: [(name: String, bytes: [UInt8])] {
        [
            ("topics", PackageResources.topics_md),
            ("agreement", PackageResources.agreement_md), ("api", PackageResources.api_md),
            ("architecture", PackageResources.architecture_md), ("console", PackageResources.console_md),
            ("console-lines", PackageResources.console_lines_md),
            ("contradictions", PackageResources.contradictions_md),
            ("device-evidence", PackageResources.device_evidence_md),
            ("evidence", PackageResources.evidence_md),
            ("exit-codes", PackageResources.exit_codes_md),
            ("lint", PackageResources.lint_md),
            ("macos", PackageResources.macos_md),
            ("options", PackageResources.options_md),
            ("page", PackageResources.page_md),
            ("probe", PackageResources.probe_md),
            ("record", PackageResources.record_md),
            ("recordings", PackageResources.recordings_md),
            ("replay", PackageResources.replay_md),
            ("report", PackageResources.report_md),
            ("setup", PackageResources.setup_md),
            ("sources", PackageResources.sources_md),
            ("threat-model", PackageResources.threat_model_md),
            ("traffic", PackageResources.traffic_md),
            ("coming-from", PackageResources.coming_from_md),
            ("install", PackageResources.install_md),
            ("verdicts", PackageResources.verdicts_md),
            ("witness", PackageResources.witness_md),
            ("law/addresses", PackageResources.addresses_md),
            ("law/domains", PackageResources.domains_md),
            ("law/errors", PackageResources.errors_md),
            ("law/keys", PackageResources.keys_md),
            ("law/loaders", PackageResources.loaders_md),
            ("law/niap", PackageResources.niap_md),
            ("law/nscurl", PackageResources.nscurl_md),
            ("law/pinning", PackageResources.pinning_md),
            ("law/profiles", PackageResources.profiles_md),
            ("law/refusals", PackageResources.refusals_md),
            ("law/rulings", PackageResources.rulings_md),
            ("law/tls", PackageResources.tls_md),
            ("law/transparency", PackageResources.transparency_md),
            ("law/trust", PackageResources.trust_md),
        ]
    }
}
