import ATSPolicy

/// Tests whether the hosts of one entry are allowed without it.
struct EntryTrial: Sendable {
    private let prober: Prober
    private let entry: PropertyMember
    private let keys: [PropertyMember]?
    private let judge: Judge
    private let loader: Loader
    /// The hosts that the entry applies to, as https.
    private let hosts: [LoadTarget]

    init(
        _ prober: Prober, _ entry: PropertyMember, among hosts: [LoadTarget], _ judge: Judge, loader: Loader
    ) {
        self.prober = prober
        self.entry = entry
        // ATS is on for hosts of an entry regardless of the global keys, which would hide the effect of the entry.
        self.judge = judge.under(judge.declaration.withoutArbitraryLoads)
        self.loader = loader
        if case .dictionary(let keys) = entry.node.value { self.keys = keys } else { keys = nil }
        var seen = Set<LoadTarget>()
        self.hosts = hosts.map(\.secure).filter {
            judge.rule(on: $0, loader: loader).basis.entry == entry.key && seen.insert($0).inserted
        }
    }

    /// The situation apart from the hosts themselves: for each host the entry that would apply instead.
    var alternativeEntries: [LoadTarget: PropertyMember?] {
        let rest = judge.under(judge.declaration.removing(entry: entry.key))
        return Dictionary(
            hosts.map { host in
                let other = rest.rule(on: host, loader: loader).basis.entry
                return (host, other.flatMap { rest.declaration.entries.last($0) })
            }
        ) { first, _ in first }
    }

    func need() async -> ExceptionNeed {
        guard let keys else {
            return ExceptionNeed(entry.key, .no, "its value is not a dictionary, so the system ignores it")
        }
        guard !hosts.isEmpty else {
            return ExceptionNeed(
                entry.key, .unknown, "no host is known that it applies to; name the hosts that the app loads from")
        }
        guard Self.isLoosening(keys) else {
            return ExceptionNeed(entry.key, .yes, "it loosens nothing: it keeps ATS on for its hosts")
        }
        var findings: [HostNeed] = []
        for host in hosts { findings.append(await need(of: host, keys)) }
        return summary(findings, keys)
    }

    /// The result for one host.
    private struct HostNeed {
        var needed: ExceptionNeed.Need
        var why: String
        /// Keys that the host needs.
        var keys: Set<String> = []
    }

    private func need(of host: LoadTarget, _ keys: [PropertyMember]) async -> HostNeed {
        let name = host.host
        let without = await result(host, judge.declaration.removing(entry: entry.key))
        let mayBeClear = keys.isOn(ATSKey.insecureHTTP)
        if without.verdict == .pass {
            let other = without.ruling.basis.entry.map { ", through the entry \($0)" } ?? ""
            return HostNeed(
                needed: .no,
                why: "\(name) is allowed over https without it" + other + (mayBeClear ? "; load it over https" : ""))
        }
        let reason = without.rule?.rawValue ?? ""
        if without.verdict == .fail, await result(host, judge.declaration).verdict == .pass {
            var needed = Set<String>()
            for key in keys.map(\.key) where key != ATSKey.includesSubdomains {
                let less = await result(host, judge.declaration.removing(key, ofEntry: entry.key))
                if less.verdict != .pass { needed.insert(key) }
            }
            return HostNeed(needed: .yes, why: "\(name) fails without it: \(reason)", keys: needed)
        }
        if mayBeClear, await answersHTTP(name) {
            return HostNeed(
                needed: .yes, why: "\(name) answers over http, but not over https as ATS requires: \(reason)",
                keys: [ATSKey.insecureHTTP])
        }
        guard without.verdict == .fail else {
            return HostNeed(needed: .unknown, why: "\(name) was not reached: \(reason)")
        }
        return HostNeed(needed: .no, why: "\(name) fails with and without it: \(reason)")
    }

    private func result(_ host: LoadTarget, _ declaration: Declaration) async -> ProbeResult {
        await prober.probe(
            ProbeTarget(host), by: judge.under(declaration), loader: loader, seeksException: false)
    }

    private func answersHTTP(_ host: String) async -> Bool {
        let target = LoadTarget(scheme: .http, host: host, port: LoadTarget.Scheme.http.defaultPort)
        guard case .permit(let permit) = judge.rule(on: target, loader: loader) else { return false }
        for plan in await prober.ways(to: target) {
            let answer = await prober.answer(to: ProbeOrder(permit: permit, profile: judge.profile, plan: plan))
            if answer.isPassed { return true }
        }
        return false
    }

    private func summary(_ findings: [HostNeed], _ keys: [PropertyMember]) -> ExceptionNeed {
        let needing = findings.filter { $0.needed == .yes }
        guard needing.isEmpty else {
            let needed = Set(needing.flatMap(\.keys))
            let needless = keys.map(\.key).filter { $0 != ATSKey.includesSubdomains && !needed.contains($0) }
            let why = needing.map(\.why).joined(separator: "; ")
            // If several keys have the same effect, the needed one cannot be determined.
            guard !needless.isEmpty, !needed.isEmpty, !findings.contains(where: { $0.needed == .unknown }) else {
                return ExceptionNeed(entry.key, .yes, why)
            }
            return ExceptionNeed(entry.key, .partly, why, needless: needless)
        }
        let why = findings.map(\.why).joined(separator: "; ")
        if findings.contains(where: { $0.needed == .unknown }) { return ExceptionNeed(entry.key, .unknown, why) }
        if keys.isOn(ATSKey.includesSubdomains), hosts.allSatisfy({ $0.host == entry.key }) {
            return ExceptionNeed(
                entry.key, .unknown, why + "; its subdomains were not tested: name those that the app loads from")
        }
        return ExceptionNeed(entry.key, .no, why, needless: keys.map(\.key))
    }

    /// True if a key requires less than ATS does.
    private static func isLoosening(_ keys: [PropertyMember]) -> Bool {
        keys.contains { member in
            switch (ATSKey.current(forLegacy: member.key) ?? member.key, member.node.value) {
            case (ATSKey.insecureHTTP, _): keys.isOn(member.key)
            case (ATSKey.forwardSecrecy, .boolean(let flag)): !flag
            case (ATSKey.minimumTLS, .string(let text)): ["TLSv1.0", "TLSv1.1"].contains(text)
            default: false
            }
        }
    }
}

extension [PropertyMember] {
    fileprivate func isOn(_ key: String) -> Bool {
        switch last(key)?.node.value {
        case .boolean(true), .integer(1): true
        default: false
        }
    }
}

extension Declaration {
    /// The dictionary without NSAllowsArbitraryLoads.
    var withoutArbitraryLoads: Declaration { with(members.filter { $0.key != ATSKey.arbitraryLoads }) }
}

extension LoadTarget {
    /// The same host over https; a port other than that of http is kept.
    fileprivate var secure: LoadTarget {
        LoadTarget(scheme: .https, host: host, port: scheme == .http && port == 80 ? 443 : port)
    }
}
