import ATSPolicy

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
                && (sharedDomains + tunnelDomains).contains($0.key)
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
            let isShared = entry.includesSubdomains && tunnelDomains.contains(entry.key)
            return !isShared && tunnelDomains.contains { entry.key == $0 || entry.key.hasSuffix("." + $0) }
        }.map {
            LintMark(
                $0.place,
                "\($0.key) is a host of a tunnel to somebody's machine, which may be another's by now: delete it")
        }
    }

    private static func example(_ key: String, _ more: String = "") -> String {
        #"{"NSExceptionDomains": {"\#(key)": {"NSExceptionAllowsInsecureHTTPLoads": true\#(more)}}}"#
    }

    /// Of hosters and networks that give names below their own to customers. A sample, not a list of all.
    private static let sharedDomains = [
        "akamaihd.net", "akamaized.net", "amazonaws.com", "amazonaws.com.cn", "appspot.com", "azurefd.net",
        "azurewebsites.net", "cloudapp.net", "cloudflarestorage.com", "cloudfront.net", "duckdns.org", "edgekey.net",
        "fastly.net", "firebaseapp.com", "fly.dev", "github.io", "herokuapp.com", "netlify.app", "onrender.com",
        "pages.dev", "r2.dev", "tailscale.net", "ts.net", "vercel.app", "web.app", "windows.net", "workers.dev",
    ]
    /// Of services that lead a public name to a machine without one.
    private static let tunnelDomains = [
        "devtunnels.ms", "exp.direct", "lhr.life", "loca.lt", "localhost.run", "localtunnel.me", "ngrok-free.app",
        "ngrok-free.dev", "ngrok.app", "ngrok.dev", "ngrok.io", "serveo.net", "trycloudflare.com",
    ]
}
