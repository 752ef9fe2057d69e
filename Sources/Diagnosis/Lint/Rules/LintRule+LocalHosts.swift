import ATSPolicy
import Text

extension LintRule {
    /// Local hosts are allowed without an entry on newer releases, and the App Store asks about each entry that allows
    /// cleartext. To delete one would loosen https to its host, so the sentence does not propose that.
    static let needlessLocalEntry = LintRule(
        "lint.local-exception", .note, title: "http to a local host needs no entry",
        source: "Apple, NSAllowsLocalNetworking; docs/law/addresses.md#by-release", .documented,
        example: LintExample(found: example("localhost"), silent: example("a.example.com"))
    ) { subject in
        let needless = subject.needlessLocalEntries
        guard let first = needless.first else { return [] }
        let groups = subject.systems.releases.compactMap { system -> String? in
            let hosts = needless.filter { $0.since == system }.map(\.entry.key)
            guard !hosts.isEmpty else { return nil }
            let place = system == subject.systems.oldest ? "" : " on \(system.release.title) and later"
            return "http to \(hosts.listed) needs no entry\(place)"
        }
        let entries = needless.count == 1 ? "the entry affects" : "the entries affect"
        return [
            LintMark(
                first.entry.place,
                groups.joined(separator: ", ") + "; there \(entries) only https, which is subject to ATS with an entry")
        ]
    }

    /// An address has no subdomains.
    static let addressSubdomains = LintRule(
        "lint.subdomains-of-address", .note, title: "An address has no subdomains",
        source: "Apple, NSIncludesSubdomains; docs/law/addresses.md#address-keys", .documented,
        example: LintExample(
            found: example("203.0.113.7", more: #", "NSIncludesSubdomains": true"#), silent: example("203.0.113.7"))
    ) { subject in
        subject.entries.filter { $0.isAddress && $0.includesSubdomains }.map {
            LintMark(
                $0.place(of: ATSKey.includesSubdomains),
                "\($0.key) is an address, which has no subdomains: the key"
                    + " \(ATSKey.includesSubdomains) has no effect here; delete it",
                removal: LintRemoval([.key(ATSKey.includesSubdomains, entry: $0.key)]))
        }
    }

    private static func example(_ key: String, more: String = "") -> String {
        #"{"NSExceptionDomains": {"\#(key)": {"NSExceptionAllowsInsecureHTTPLoads": true\#(more)}}}"#
    }
}

extension LintEntry {
    var isSingleLabel: Bool { !key.utf8.contains(UInt8(ascii: ".")) }

    /// True for a name or an address that the rules treat as local (docs/law/addresses.md#direct).
    var isLocal: Bool {
        guard isAddress else {
            // Hosts under a single label are not local, except under these two.
            let isPlain = isSingleLabel && (!includesSubdomains || ["localhost", "local"].contains(key))
            return isPlain || HostGrammar.isHost(key, below: "local")
        }
        guard let network else { return false }
        return JudgeSwitches.defaultLocalNetworks.contains { $0.contains(network) }
    }

    /// Loads of http that the entry applies to.
    fileprivate var sampleLoads: [LoadTarget] {
        let hosts = includesSubdomains ? Declaration.sampleHosts(ofEntry: key) : [key]
        return (isAddress ? Declaration.sampleHosts(ofEntry: key) : hosts).map {
            LoadTarget(scheme: .http, host: $0, port: LoadTarget.Scheme.http.defaultPort)
        }
    }
}

extension LintSubject {
    /// Entries that allow cleartext to local hosts, with the oldest release from which on it is allowed without them.
    fileprivate var needlessLocalEntries: [(entry: LintEntry, since: OSProfile)] {
        let local = entries.filter { $0.allowsInsecure && $0.fault == nil && $0.isLocal }
        guard !local.isEmpty else { return [] }
        let rest = declaration.without(entries: Set(local.map(\.key)))
        var open = local.map { (entry: $0, since: OSProfile?.none) }
        // From the newest release back to the first that blocks a load.
        var isOpen = local.map { _ in true }
        for system in systems.releases.reversed() {
            let judge = Judge(declaration: rest, profile: system)
            for place in open.indices where isOpen[place] {
                isOpen[place] = open[place].entry.sampleLoads.allSatisfy {
                    if case .permit = judge.rule(on: $0, loader: .app) { true } else { false }
                }
                if isOpen[place] { open[place].since = system }
            }
        }
        return open.compactMap { entry, since in since.map { (entry, $0) } }
    }
}

extension Declaration {
    fileprivate func without(entries keys: Set<String>) -> Declaration {
        with(
            members.map { member in
                guard member.key == ATSKey.exceptionDomains, case .dictionary(let entries) = member.node.value else {
                    return member
                }
                let rest = PropertyNode(.dictionary(entries.filter { !keys.contains($0.key) }), line: member.node.line)
                return PropertyMember(key: member.key, node: rest)
            })
    }
}

extension [String] {
    /// Up to five names as text, then the number of the others.
    var listed: String {
        let most = 5
        guard count > most else { return joined(separator: ", ") }
        return prefix(most).joined(separator: ", ") + " and \(count - most) more"
    }
}
