import ATSPolicy

/// Tests which hosts need NSAllowsArbitraryLoads: hosts without an entry whose loads fail without it.
struct ArbitraryLoadsTrial {
    private let prober: Prober
    private let judge: Judge
    private let rest: Judge
    private let loader: Loader

    /// - Returns: nil if the key is not in force.
    init?(_ prober: Prober, _ judge: Judge, loader: Loader) {
        guard Self.decides(Self.other, judge, loader) else { return nil }
        self.prober = prober
        self.judge = judge
        self.loader = loader
        rest = judge.under(judge.declaration.withoutArbitraryLoads)
    }

    /// - Parameter known: loads of the app.
    func need(of known: [LoadTarget]) async -> ExceptionNeed {
        let loads = known.filter { Self.decides($0, judge, loader) }
        guard !loads.isEmpty else {
            return ExceptionNeed(
                ATSKey.arbitraryLoads, .unknown,
                "no host without an entry is known; name the hosts that the app loads from")
        }
        var (needing, unreached): ([String], [String]) = ([], [])
        for load in loads {
            switch await prober.probe(ProbeTarget(load), by: rest, loader: loader, seeksException: false).verdict {
            case .pass: break
            case .error: unreached.append(load.origin)
            case .fail:
                let now = await prober.probe(ProbeTarget(load), by: judge, loader: loader, seeksException: false)
                if now.verdict == .pass { needing.append(load.origin) }
            }
        }
        if !needing.isEmpty {
            return ExceptionNeed(ATSKey.arbitraryLoads, .yes, "needed by: \(needing.joined(separator: ", "))")
        }
        guard unreached.isEmpty else {
            let hosts = unreached.joined(separator: ", ")
            return ExceptionNeed(ATSKey.arbitraryLoads, .unknown, "not reached: \(hosts)")
        }
        let hosts = loads.map(\.origin).joined(separator: ", ")
        return ExceptionNeed(
            ATSKey.arbitraryLoads, .no, "not needed by: \(hosts)", needless: [ATSKey.arbitraryLoads])
    }

    private static func decides(_ load: LoadTarget, _ judge: Judge, _ loader: Loader) -> Bool {
        judge.rule(on: load, loader: loader).basis.step == .arbitraryLoads
    }

    /// A host without an entry: RFC 6761 reserves the name.
    private static let other = LoadTarget(scheme: .http, host: "host.invalid", port: 80)
}
