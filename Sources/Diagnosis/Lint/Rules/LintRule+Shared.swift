import ATSPolicy

extension LintRule {
    /// Anyone who rents a host under such a domain benefits from the entry.
    static let sharedParent = LintRule(
        "lint.shared-parent", .warning, title: "An exception covers a whole domain whose hosts belong to many owners",
        source: "Apple, NSIncludesSubdomains; docs/law/domains.md#shared-domains", .inferred,
        example: LintExample(
            found: example("amazonaws.com", #", "NSIncludesSubdomains": true"#), silent: example("a.example.com"))
    ) { subject in
        guard !subject.isOffByDefault else { return [] }
        return subject.entries.filter {
            $0.includesSubdomains && ($0.loosens || $0.hasUnreadMembers)
                && (SharedDomains.hosters.contains($0.key) || SharedDomains.tunnels.contains($0.key[...]))
        }.map {
            LintMark(
                $0.place,
                "anyone can rent a host under \($0.key), and this entry loosens ATS for all of them: name your own")
        }
    }

    /// Such hosts are short-lived.
    static let tunnelHost = LintRule(
        "lint.tunnel-host", .warning, title: "An entry is for a host of a developer tunnel",
        source: "Apple, NSExceptionDomains; docs/law/domains.md#shared-domains", .inferred,
        example: LintExample(found: example("d3adb33f.ngrok.io"), silent: example("ngrok.example.com"))
    ) { subject in
        subject.entries.filter { entry in
            guard SharedDomains.isTunnel(entry.key) else { return false }
            return !entry.includesSubdomains || !SharedDomains.tunnels.contains(entry.key[...])
        }.map {
            LintMark(
                $0.place,
                "\($0.key) is a host of a developer tunnel and may now belong to someone else: use a host of your own")
        }
    }

    private static func example(_ key: String, _ more: String = "") -> String {
        #"{"NSExceptionDomains": {"\#(key)": {"NSExceptionAllowsInsecureHTTPLoads": true\#(more)}}}"#
    }
}
