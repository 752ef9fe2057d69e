import ATSPolicy

extension LintRule {
    /// The system skips a parent entry without NSIncludesSubdomains and continues with the next wider one.
    static let unreachableParent = LintRule(
        "lint.unreachable-parent", .warning,
        title: "An entry does not cover its subdomains, and a wider entry covers them with other rules",
        source: "Security, SecProtocolConfigurationTest.m; docs/law/domains.md#matching", .source,
        example: LintExample(
            found: """
                {"NSExceptionDomains": {
                  "example.com": {"NSIncludesSubdomains": true, "NSExceptionAllowsInsecureHTTPLoads": true},
                  "pay.example.com": {"NSExceptionAllowsInsecureHTTPLoads": false}}}
                """,
            silent: """
                {"NSExceptionDomains": {
                  "example.com": {"NSIncludesSubdomains": true, "NSExceptionAllowsInsecureHTTPLoads": true},
                  "pay.example.com": {"NSIncludesSubdomains": true, "NSExceptionAllowsInsecureHTTPLoads": false}}}
                """)
    ) { subject in
        subject.shadows.compactMap { entry, wider in
            guard !entry.includesSubdomains, entry.law != wider.law else { return nil }
            return LintMark(
                entry.place,
                "\(entry.key) does not cover its subdomains: the entry \(wider.key) does,"
                    + " with other rules; set \(ATSKey.includesSubdomains) here")
        }
    }

    /// Settings are never merged across entries.
    static let notInherited = LintRule(
        "lint.not-inherited", .warning, title: "An entry does not inherit what a wider entry allows",
        source: "Security, SecProtocolConfiguration.m; docs/law/domains.md#merging", .source,
        example: LintExample(
            found: """
                {"NSExceptionDomains": {
                  "example.com": {"NSIncludesSubdomains": true, "NSExceptionAllowsInsecureHTTPLoads": true},
                  "old.example.com": {"NSIncludesSubdomains": true, "NSExceptionRequiresForwardSecrecy": false}}}
                """,
            silent: """
                {"NSExceptionDomains": {
                  "example.com": {"NSIncludesSubdomains": true, "NSExceptionAllowsInsecureHTTPLoads": true},
                  "old.example.com": {"NSIncludesSubdomains": true, "NSExceptionRequiresForwardSecrecy": false,
                                      "NSExceptionAllowsInsecureHTTPLoads": true}}}
                """)
    ) { subject in
        subject.shadows.compactMap { entry, wider in
            let lost = [
                wider.allowsInsecure ? ATSKey.insecureHTTP : nil,
                (wider.minimumTLS ?? .tls12) < .tls12 ? ATSKey.minimumTLS : nil,
                wider.requiresForwardSecrecy ? nil : ATSKey.forwardSecrecy,
            ].compactMap { $0 }.filter { entry.values?.last($0) == nil }
            // An entry that allows something is not meant to be stricter.
            guard !lost.isEmpty, entry.loosens else { return nil }
            return LintMark(
                entry.place,
                "\(entry.key) does not inherit \(lost.joined(separator: ", ")) from \(wider.key): a key that"
                    + " is absent here has its default")
        }
    }

    /// Apple's page promises one label; the source covers any number.
    static let deepSubdomain = LintRule(
        "lint.deep-subdomain", .note,
        title: "A host is covered only if NSIncludesSubdomains reaches more than one label deep",
        source: "Apple, NSIncludesSubdomains; docs/law/domains.md#subdomains", .source,
        example: LintExample(found: deep("a.b.example.com"), silent: deep("b.example.com"))
    ) { subject in
        subject.pins.compactMap { pin in
            let parents = Array(pin.parents)
            guard subject.table[pin.key[...]] == nil,
                let depth = parents.firstIndex(where: { subject.table[$0]?.includesSubdomains == true }), depth > 0,
                let parent = subject.table[parents[depth]], parent.loosens
            else { return nil }
            return LintMark(
                parent.place(of: ATSKey.includesSubdomains),
                "\(parent.key) covers \(pin.key), \(depth + 1) labels below it: the published source does that, but Apple's"
                    + " page promises one label; an entry for \(parents[0]) does not depend on it")
        }
    }

    private static func deep(_ host: String) -> String {
        """
        {"NSExceptionDomains": {
          "example.com": {"NSIncludesSubdomains": true, "NSExceptionRequiresForwardSecrecy": false}},
         "NSPinnedDomains": {"\(host)": {"NSPinnedLeafIdentities": [
          {"SPKI-SHA256-BASE64": "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="}]}}}
        """
    }
}

extension LintEntry {
    /// True if the entry allows something that the secure defaults block.
    var loosens: Bool { allowsInsecure || !requiresForwardSecrecy || (minimumTLS ?? .tls12) < .tls12 }
}

extension LintSubject {
    /// Entries with a wider entry above them that includes its subdomains, each with the nearest such one.
    fileprivate var shadows: [(entry: LintEntry, wider: LintEntry)] {
        entries.compactMap { entry in
            guard entry.values != nil, entry.fault == nil else { return nil }
            let wider = entry.parents.lazy.compactMap { table[$0] }.first(where: \.includesSubdomains)
            return wider.map { (entry, $0) }
        }
    }
}
