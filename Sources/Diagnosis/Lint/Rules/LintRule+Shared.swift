import ATSPolicy
import Text

extension LintRule {
    /// Whoever rents a host below such a name gets what the entry allows.
    static let sharedParent = LintRule(
        "lint.shared-parent", .warning, title: "A domain whose hosts belong to many is loosened as a whole",
        source: "Apple, NSIncludesSubdomains; docs/law/domains.md#shared-domains", .inferred,
        example: LintExample(
            found: example("amazonaws.com", #", "NSIncludesSubdomains": true"#), silent: example("a.example.com"))
    ) { subject in
        guard !subject.isOffByDefault else { return [] }
        return subject.entries.filter {
            $0.includesSubdomains && ($0.loosens || $0.hasUnreadMembers)
                && (SharedDomains.hosters.contains($0.key) || SharedDomains.tunnels.contains($0.key))
        }.map {
            LintMark(
                $0.place, "everybody can have a host below \($0.key), and all of them are loosened here: name your own")
        }
    }

    /// It worked on one afternoon.
    static let tunnelHost = LintRule(
        "lint.tunnel-host", .warning, title: "An entry is for a host of a developer's tunnel",
        source: "Apple, NSExceptionDomains; docs/law/domains.md#shared-domains", .inferred,
        example: LintExample(found: example("d3adb33f.ngrok.io"), silent: example("ngrok.example.com"))
    ) { subject in
        subject.entries.filter { entry in
            let isShared = entry.includesSubdomains && SharedDomains.tunnels.contains(entry.key)
            return !isShared && SharedDomains.tunnels.contains { HostGrammar.isHost(entry.key, atOrBelow: $0) }
        }.map {
            LintMark(
                $0.place,
                "\($0.key) is a host of a tunnel to somebody's machine, which may be another's by now: delete it")
        }
    }

    private static func example(_ key: String, _ more: String = "") -> String {
        #"{"NSExceptionDomains": {"\#(key)": {"NSExceptionAllowsInsecureHTTPLoads": true\#(more)}}}"#
    }
}
