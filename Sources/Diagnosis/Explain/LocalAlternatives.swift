import ATSPolicy

/// Other forms of a host of the user's own network that would be local, for a host that is not.
enum LocalAlternatives {
    /// One sentence, or none if the host is not of a local network, or if no other form helps on that release.
    static func notes(for target: LoadTarget, ruling: Ruling, judge: Judge, loader: Loader) -> [String] {
        guard target.address == nil, !ruling.basis.isLocal, ruling.basis.entry == nil, isLocalNetworkName(target.host)
        else { return [] }
        switch ruling {
        case .denial: break
        case .permit(let permit):
            guard target.scheme == .https, permit.demands?.strictTrust == true else { return [] }
        }
        // Entries for the other forms are left out: an explanation does not depend on entries for other hosts.
        let globals = judge.declaration.members.filter {
            $0.key != ATSKey.exceptionDomains && $0.key != ATSKey.pinnedDomains
        }
        let judge = Judge(
            declaration: judge.declaration.with(globals), profile: judge.system, switches: judge.switches)
        let forms = alternatives(to: target.host).filter { form in
            let other = LoadTarget(scheme: target.scheme, host: form.host, port: target.port)
            guard case .permit(let permit) = judge.rule(on: other, loader: loader) else { return false }
            return target.scheme == .http || permit.demands?.strictTrust != true
        }
        guard let last = forms.last?.words else { return [] }
        let list = forms.dropLast().map(\.words).joined(separator: ", ")
        return [
            "\(target.host) does not count as local, even if it resolves to a local address. Local here: "
                + (list.isEmpty ? last : "\(list) and \(last)") + " (docs/questions/local-names.md#by-host)."
        ]
    }

    private static func alternatives(to host: String) -> [(host: String, words: String)] {
        let label = host.split(separator: ".").first.map(String.init) ?? host
        let isOwnMachine = host == "localhost" || host.hasSuffix(".localhost")
        let address = isOwnMachine ? "127.0.0.1" : "192.168.1.20"
        return [
            (address, isOwnMachine ? "127.0.0.1" : "the server's address, such as 192.168.1.20"),
            (isOwnMachine ? "computer" : label, isOwnMachine ? "the computer's name without a dot" : "\(label)"),
            ("\(isOwnMachine ? "computer" : label).local", isOwnMachine ? "its .local name" : "\(label).local"),
        ]
    }

    /// True for `localhost`, and for a name under a domain that home and company networks use. Source: RFC 6761 section
    /// 6.3; RFC 6762 appendix G; RFC 8375; fritz.box and myhome: public reports in docs/questions/local-names.md.
    private static func isLocalNetworkName(_ host: String) -> Bool {
        let labels = host.split(separator: ".")
        guard labels.count > 1, let last = labels.last else { return host == "localhost" }
        if host.hasSuffix(".home.arpa") { return true }
        return domains.contains(String(last))
    }

    private static let domains: Set = [
        "localhost", "lan", "home", "internal", "intranet", "private", "corp", "box", "localdomain", "myhome",
    ]
}
