import ATSPolicy
import Diagnosis
import Dialing

/// Finds the smallest exception that allows a target, by trial: rules with the exception in the dictionary, and probes
/// the origin again.
struct ExceptionSearch {
    private let prober: Prober
    private let target: LoadTarget
    private let judge: Judge
    private let loader: Loader
    private let plan: DialPlan?

    /// - Parameter plan: the plan of the dial that failed; nil for a cleartext load.
    init(_ prober: Prober, _ target: LoadTarget, _ judge: Judge, loader: Loader, over plan: DialPlan?) {
        self.prober = prober
        self.target = target
        self.judge = judge
        self.loader = loader
        self.plan = plan
    }

    /// - Parameter fix: the proposal after the first handshake. A second handshake may need more settings, which are
    ///   added; settings that prove needless are removed.
    func smallest(from fix: ExceptionFix) async -> (ExceptionFix?, proof: String?) {
        for near in judge.declaration.nearMisses(for: target.host) {
            if case .passes = await trial(of: near) { return (near, proof) }
        }
        // An entry of the host's own, because a change of a parent's entry would relax its other subdomains.
        var needed = fix.settings
        var fix = own(needed)
        for _ in 0..<Self.rounds {
            switch await trial(of: fix) {
            case .passes: return (own(await withoutNeedless(needed)), proof)
            case .fails(let more):
                let new = (more?.settings ?? []).filter { !fix.settings.contains($0) }
                guard let more, more.domain == fix.domain, !new.isEmpty else {
                    return (nil, "\(fix.sentence) was tried, but the load still fails")
                }
                needed = needed.filter { setting in !new.contains { $0.key == setting.key } } + new
                fix = own(needed)
            }
        }
        return (nil, "\(fix.sentence) was tried, but the load still fails")
    }

    private func own(_ settings: [ExceptionFix.Setting]) -> ExceptionFix {
        ExceptionOption.own(for: target, settings: settings, judge: judge, loader: loader)
    }

    private var proof: String {
        plan == nil ? "the ruling with it allows the load" : "a second handshake with it succeeds"
    }

    private enum Trial {
        case passes
        /// With the next proposal.
        case fails(ExceptionFix?)
    }

    private func trial(of fix: ExceptionFix) async -> Trial {
        let changed = judge.under(judge.declaration.adding(fix))
        guard case .permit(let permit) = changed.rule(on: target, loader: loader) else { return .fails(nil) }
        guard let plan else { return .passes }
        let answer = await prober.answer(to: ProbeOrder(permit: permit, profile: changed.profile, plan: plan))
        return answer.isPassed ? .passes : .fails(answer.verdict.remedy?.exception)
    }

    private func withoutNeedless(_ settings: [ExceptionFix.Setting]) async -> [ExceptionFix.Setting] {
        var needed = settings
        for setting in settings where needed.count > 1 {
            let less = needed.filter { $0 != setting }
            if case .passes = await trial(of: own(less)) { needed = less }
        }
        return needed
    }

    private static let rounds = 3
}

extension Judge {
    /// A judge with the same options for another dictionary.
    func under(_ declaration: Declaration) -> Judge {
        Judge(declaration: declaration, profile: system, switches: switches)
    }
}
