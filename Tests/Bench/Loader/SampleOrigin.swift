import ATSPolicy
import Records

/// A host of a generated recording, with the facts of its handshake and its ruling.
struct SampleOrigin {
    let target: LoadTarget
    let facts: HandshakeFacts?
    let basis: RulingBasis
    let verdict: HandshakeVerdict

    /// - Parameter refused: the loads of one in so many hosts are blocked.
    init(_ number: Int, oneIn refused: Int, judge: Judge) {
        let kinds = number % refused == refused - 1 ? LawMix.refusedNames : LawMix.passingNames
        let load = kinds[number / refused % kinds.count]
        target = LoadTarget(scheme: load.target.scheme, host: "h\(number).\(load.target.host)", port: load.target.port)
        let ruling = judge.rule(on: target, loader: .app)
        basis = ruling.basis
        switch ruling {
        case .denial(let denial):
            facts = nil
            verdict = RuleBook.standard.judge(denial, profile: judge.profile)
        case .permit(let permit):
            guard permit.offer != nil else {
                facts = nil
                verdict = HandshakeVerdict(findings: [], failure: nil, remedy: nil)
                return
            }
            let shown = load.facts.showing(target.host)
            facts = shown
            verdict = RuleBook.standard.judge(
                HandshakeCase(
                    facts: shown, host: target.host, demands: permit.demands, profile: judge.profile, now: LawMix.now,
                    basis: permit.basis))
        }
    }

    /// The error that a device would report for a load of it. As in a gate, its task and connection have one number.
    func apple(_ path: String, _ number: Int, _ judge: Judge) -> AppleError? {
        let identifiers = LogIdentifiers(
            task: "0C1D9E3A-5B7F-4E21-9D44-0000\(10_000_000 + number % 90_000_000)", taskIndex: number,
            connection: number)
        return verdict.failure.map {
            AppleErrorTable.error(
                for: $0, target: target, urlText: target.origin + path, profile: judge.profile, facts: facts,
                identifiers: identifiers)
        }
    }
}

extension HandshakeFacts {
    /// The same facts with a first certificate for `host`.
    fileprivate func showing(_ host: String) -> HandshakeFacts {
        var facts = self
        for index in facts.path.indices.prefix(1) {
            facts.path[index].dnsNames = [host]
            facts.path[index].serial = String(host.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) }, radix: 16)
            facts.served[index] = facts.path[index]
        }
        return facts
    }
}
