public import ATSPolicy
import Diagnosis
import Dialing
import Foundation
import OriginHandshake
import Records

extension Prober {
    /// Rules on a target, and probes its origin if the ruling allows an https load.
    ///
    /// - Parameters:
    ///   - seeksException: searches for the smallest exception if the load fails, and tries it.
    ///   - asksNameless: also probes without SNI, at the address that decided.
    ///   - end: the end of all steps together, in addition to their time limits; nil for none.
    public func probe(
        _ target: ProbeTarget, by judge: Judge, loader: Loader = .app, seeksException: Bool = true,
        asksNameless: Bool = false, until end: ContinuousClock.Instant? = nil
    ) async -> ProbeResult {
        let ruling = judge.rule(on: target.target, loader: loader)
        switch ruling {
        case .denial(let denial):
            let verdict = RuleBook.standard.judge(denial, profile: judge.profile)
            return await result(
                target, judge, ruling, [], verdict, loader: loader, seeksException: seeksException, over: nil)
        case .permit(let permit) where permit.target.scheme == .http:
            return await result(target, judge, ruling, [], nil, loader: loader, seeksException: false, over: nil)
        case .permit(let permit):
            var plans: [DialPlan] = []
            var answers: [ProbeAnswer] = []
            for plan in await ways(to: target.target) {
                plans.append(plan)
                let order = ProbeOrder(permit: permit, profile: judge.profile, plan: plan, end: end)
                answers.append(await answer(to: order))
            }
            let index = answers.firstIndex { !$0.isPassed && !$0.isError } ?? answers.firstIndex(where: \.isPassed) ?? 0
            var result = await result(
                target, judge, ruling, answers, answers[index].verdict, loader: loader,
                seeksException: seeksException, over: plans[index])
            if asksNameless, let facts = answers[index].facts, target.target.address == nil {
                var order = ProbeOrder(permit: permit, profile: judge.profile, plan: plans[index])
                order.namesHost = false
                result.nameless = NamelessAnswer(await answer(to: order), besides: facts)
            }
            return result
        }
    }

    private func result(
        _ target: ProbeTarget, _ judge: Judge, _ ruling: Ruling, _ answers: [ProbeAnswer], _ verdict: HandshakeVerdict?,
        loader: Loader, seeksException: Bool, over plan: DialPlan?
    ) async -> ProbeResult {
        let decisive = ProbeResult.decisive(of: answers)
        let outcome: ProbeResult.Verdict =
            switch ruling {
            case .denial: .fail
            case .permit: decisive.map { $0.isPassed ? .pass : $0.isError ? .error : .fail } ?? .pass
            }
        let diagnosis = verdict.flatMap { verdict in
            verdict.findings.isEmpty && verdict.failure == nil
                ? nil
                : RecordedDiagnosis(
                    verdict, target: target.target, path: target.path, facts: decisive?.facts, judge: judge,
                    identifiers: Self.identifiers)
        }
        var found: (fix: ExceptionFix?, proof: String?) = (nil, nil)
        if seeksException, outcome == .fail, let fix = verdict?.remedy?.exception {
            let search = ExceptionSearch(self, target.target, judge, loader: loader, over: plan)
            found = await search.smallest(from: fix)
        }
        return ProbeResult(
            target: target, system: judge.system, ruling: ruling, verdict: outcome, answers: answers,
            diagnosis: diagnosis, exception: found.fix,
            toPaste: found.fix.map { EntryToPaste($0, in: judge.declaration) }, proof: found.proof, nameless: nil)
    }

    static func identifiers() -> LogIdentifiers {
        LogIdentifiers(task: UUID().uuidString, taskIndex: 1, connection: 1)
    }
}

extension NamelessAnswer {
    fileprivate init(_ answer: ProbeAnswer, besides facts: HandshakeFacts) {
        guard let leaf = answer.facts?.served.first else {
            self = .refuses
            return
        }
        self = leaf.sha256 == facts.served.first?.sha256 ? .sameCertificate : .otherCertificate(leaf.subject)
    }
}
