import ATSPolicy
import Dialing

/// Finds the smallest exception under which a target passes, by trying: the dictionary with the exception is ruled by,
/// and the origin is asked again under it.
struct ExceptionSearch {
    private let prober: Prober
    private let target: LoadTarget
    private let judge: Judge
    private let loader: Loader
    private let plan: DialPlan?

    /// - Parameter plan: the way on which the load failed; nil for a cleartext one.
    init(_ prober: Prober, _ target: LoadTarget, _ judge: Judge, loader: Loader, over plan: DialPlan?) {
        self.prober = prober
        self.target = target
        self.judge = judge
        self.loader = loader
        self.plan = plan
    }

    /// - Parameter fix: what the law proposes after the first look. A second look may show more: what that asks for is
    ///   added, and what turns out needless is left out.
    func smallest(from fix: ExceptionFix) async -> (ExceptionFix?, proof: String?) {
        var fix = fix
        for _ in 0..<Self.rounds {
            switch await trial(of: fix) {
            case .passes:
                fix = await withoutNeedless(fix)
                return (fix, plan == nil ? "the ruling with it permits the load" : "a second handshake with it passes")
            case .fails(let more):
                let new = (more?.settings ?? []).filter { !fix.settings.contains($0) }
                guard let more, more.domain == fix.domain, !new.isEmpty else {
                    return (nil, "\(fix.sentence) was tried, and the load fails all the same")
                }
                fix.settings += new
            }
        }
        return (nil, "\(fix.sentence) was tried, and the load fails all the same")
    }

    private enum Trial {
        case passes
        /// With what the law proposes next.
        case fails(ExceptionFix?)
    }

    private func trial(of fix: ExceptionFix) async -> Trial {
        let changed = judge.under(judge.declaration.adding(fix))
        guard case .permit(let permit) = changed.rule(on: target, loader: loader) else { return .fails(nil) }
        guard let plan else { return .passes }
        let answer = await prober.answer(to: ProbeOrder(permit: permit, profile: changed.profile, plan: plan))
        return answer.isPassed ? .passes : .fails(answer.verdict.remedy?.exception)
    }

    private func withoutNeedless(_ fix: ExceptionFix) async -> ExceptionFix {
        guard fix.settings.count > 1 else { return fix }
        var fix = fix
        for setting in fix.settings where fix.settings.count > 1 {
            let less = ExceptionFix(domain: fix.domain, settings: fix.settings.filter { $0 != setting })
            if case .passes = await trial(of: less) { fix = less }
        }
        return fix
    }

    private static let rounds = 3
}

extension Judge {
    /// The same law over another dictionary.
    func under(_ declaration: Declaration) -> Judge {
        Judge(declaration: declaration, profile: system, switches: switches)
    }
}
