import ATSPolicy
import Text

extension LintRule {
    /// Local hosts are allowed without an entry, and the App Store asks about each entry that allows cleartext.
    static let needlessLocalEntry = LintRule(
        "lint.local-exception", .note, title: "A local host needs no entry",
        source: "Apple, NSAllowsLocalNetworking; docs/law/addresses.md#by-release", .documented,
        example: LintExample(found: example("localhost"), silent: example("a.example.com"))
    ) { subject in
        let entries = subject.needlessLocalEntries
        guard let first = entries.first else { return [] }
        let hosts = entries.map(\.key).listed
        let (need, them) = entries.count == 1 ? ("needs no entry", "it") : ("need no entries", "them")
        let why: String
        if subject.isOffByDefault {
            why = "NSAllowsArbitraryLoads already allows \(them)"
        } else if subject.flag(ATSKey.localNetworking) == true {
            why = "NSAllowsLocalNetworking already allows \(them)"
        } else if entries.contains(where: \.isAddress) {
            why = "local names are allowed from iOS 10 on, and NSAllowsLocalNetworking = true allows local addresses"
        } else {
            why = "local names are allowed from iOS 10 on, and NSAllowsLocalNetworking = true makes sure of it (C16)"
        }
        return [LintMark(first.place, "\(hosts) \(need): \(why); delete \(them)")]
    }

    /// An address has no subdomains.
    static let addressSubdomains = LintRule(
        "lint.subdomains-of-address", .note, title: "An address has no subdomains",
        source: "Apple, NSIncludesSubdomains; docs/law/addresses.md#address-keys", .documented,
        example: LintExample(
            found: example("203.0.113.7", more: #", "NSIncludesSubdomains": true"#), silent: example("203.0.113.7"))
    ) { subject in
        let needless = Set(subject.needlessLocalEntries.map(\.key))
        return subject.entries.filter { $0.isAddress && $0.includesSubdomains && !needless.contains($0.key) }.map {
            LintMark(
                $0.place(of: ATSKey.includesSubdomains),
                "\($0.key) is an address, which has no subdomains: the key"
                    + " \(ATSKey.includesSubdomains) has no effect here")
        }
    }

    private static func example(_ key: String, more: String = "") -> String {
        #"{"NSExceptionDomains": {"\#(key)": {"NSExceptionAllowsInsecureHTTPLoads": true\#(more)}}}"#
    }
}

extension LintEntry {
    /// True for a name or an address that the rules treat as local (docs/law/addresses.md#direct).
    var isLocal: Bool {
        guard isAddress else {
            // Hosts under a single label are not local, except under these two.
            let isPlain = !key.contains(".") && (!includesSubdomains || ["localhost", "local"].contains(key))
            return isPlain || key.hasSuffix(".local")
        }
        guard let network = AddressBlock(exceptionKey: key)?.network ?? IPAddress(key) else { return false }
        return JudgeSwitches.defaultLocalNetworks.contains { $0.contains(network) }
    }

    /// True if it allows cleartext, in the current or the old spelling.
    var meansInsecure: Bool {
        (values ?? []).contains {
            ($0.key == ATSKey.insecureHTTP || ATSKey.current(forLegacy: $0.key) == ATSKey.insecureHTTP)
                && [$0].flag($0.key) == true
        }
    }
}

extension LintSubject {
    /// Entries that allow cleartext to local hosts, which are allowed anyway. iOS 9 has no local rule, so the entries
    /// are needed if the range names it.
    var needlessLocalEntries: [LintEntry] {
        let isForOld = !systems.isAssumed && systems.has { $0.localRule == .none }
        guard flag(ATSKey.localNetworking) != false, !isForOld else { return [] }
        return entries.filter { $0.isLocal && $0.meansInsecure && $0.fault == nil }
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
