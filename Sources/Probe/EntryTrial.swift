import ATSPolicy

/// One entry before the question whether its hosts pass without it.
struct EntryTrial {
    private let prober: Prober
    private let entry: PropertyMember
    private let keys: [PropertyMember]?
    private let judge: Judge
    private let loader: Loader
    /// Those that the entry serves, as https.
    private let hosts: [LoadTarget]

    init(
        _ prober: Prober, _ entry: PropertyMember, among hosts: [LoadTarget], _ judge: Judge, loader: Loader
    ) {
        self.prober = prober
        self.entry = entry
        // ATS is on where an entry serves a host, whatever the global keys say: they would hide what it is for.
        self.judge = judge.under(judge.declaration.withoutArbitraryLoads)
        self.loader = loader
        if case .dictionary(let keys) = entry.node.value { self.keys = keys } else { keys = nil }
        var seen = Set<LoadTarget>()
        self.hosts = hosts.map(\.secure).filter {
            judge.rule(on: $0, loader: loader).basis.entry == entry.key && seen.insert($0).inserted
        }
    }

    func need() async -> ExceptionNeed {
        guard let keys else {
            return ExceptionNeed(entry.key, .no, "its value is no dictionary, so the system does not look at it")
        }
        guard !hosts.isEmpty else {
            return ExceptionNeed(
                entry.key, .unknown, "no host is known that it serves; name those that the app loads from")
        }
        guard Self.isLoosening(keys) else {
            return ExceptionNeed(entry.key, .yes, "it frees nothing: its hosts are held to ATS because of it")
        }
        var findings: [HostNeed] = []
        for host in hosts { findings.append(await need(of: host, keys)) }
        return summary(findings, keys)
    }

    /// What one host says.
    private struct HostNeed {
        var needed: ExceptionNeed.Need
        var why: String
        /// Keys that it needs.
        var keys: Set<String> = []
    }

    private func need(of host: LoadTarget, _ keys: [PropertyMember]) async -> HostNeed {
        let name = host.host
        let without = await result(host, judge.declaration.removing(entry: entry.key))
        let mayBeClear = keys.isOn(ATSKey.insecureHTTP)
        if without.verdict == .pass {
            let other = without.ruling.basis.entry.map { ", by the entry \($0)" } ?? ""
            return HostNeed(
                needed: .no,
                why: "\(name) passes by https without it" + other + (mayBeClear ? "; load it by https" : ""))
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
                needed: .yes, why: "\(name) answers by http, and not by https as ATS wants it: \(reason)",
                keys: [ATSKey.insecureHTTP])
        }
        guard without.verdict == .fail else {
            return HostNeed(needed: .unknown, why: "\(name) was not reached: \(reason)")
        }
        return HostNeed(needed: .no, why: "\(name) fails with it as it does without it: \(reason)")
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
            // Which key it is can not be told where several do the same.
            guard !needless.isEmpty, !needed.isEmpty, !findings.contains(where: { $0.needed == .unknown }) else {
                return ExceptionNeed(entry.key, .yes, why)
            }
            return ExceptionNeed(
                entry.key, .partly, why + "; nothing needs \(needless.joined(separator: ", "))", needless: needless)
        }
        let why = findings.map(\.why).joined(separator: "; ")
        if findings.contains(where: { $0.needed == .unknown }) { return ExceptionNeed(entry.key, .unknown, why) }
        if keys.isOn(ATSKey.includesSubdomains), hosts.allSatisfy({ $0.host == entry.key }) {
            return ExceptionNeed(
                entry.key, .unknown, why + "; its subdomains were not tried: name those that the app loads from")
        }
        return ExceptionNeed(entry.key, .no, why, needless: keys.map(\.key))
    }

    /// Something in it asks for less than ATS does.
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
    fileprivate var withoutArbitraryLoads: Declaration { with(members.filter { $0.key != ATSKey.arbitraryLoads }) }
}

extension LoadTarget {
    /// The same host by https; another port than http's own is kept.
    fileprivate var secure: LoadTarget {
        LoadTarget(scheme: .https, host: host, port: scheme == .http && port == 80 ? 443 : port)
    }
}
