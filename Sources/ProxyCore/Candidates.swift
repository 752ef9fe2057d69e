import ATSPolicy
import Records

/// Another dictionary under which loads are judged beside the one that is enforced.
final class Candidate: Sendable {
    /// Its file.
    let source: String
    let replay: LoadReplay

    init(_ declaration: Declaration, like judge: Judge, appTrust: AppTrust) {
        source = declaration.source ?? ""
        replay = LoadReplay(
            judge: Judge(declaration: declaration, profile: judge.system, switches: judge.switches), appTrust: appTrust)
    }
}

/// What the candidates say of loads: asked once for those that are alike, so that each of the others costs a look-up.
/// Belongs to one loop; forgets what it knows when it knows too much.
struct CandidateMemory {
    private var known: [Question: Answer] = [:]
    /// The load before: most are like it.
    private var last: (question: Question, verdicts: [CandidateVerdict])?

    /// All that candidates look at but the time, which counts when the first of several loads is judged.
    private struct Question: Hashable {
        let system: ObjectIdentifier
        let card: ObjectIdentifier?
        let target: LoadTarget
        let loader: Loader
        let verdict: Verdict
        let rule: RuleID?
    }

    private struct Answer {
        let verdicts: [CandidateVerdict]
        /// Held, so that no other ones can get their identity meanwhile.
        let system: SystemPolicy
        let card: OriginCard?
    }

    mutating func verdicts(on record: LoadRecord, under system: SystemPolicy) -> [CandidateVerdict] {
        let question = Question(
            system: ObjectIdentifier(system), card: record.origin.map { ObjectIdentifier($0) },
            target: record.load.target, loader: record.client.loader, verdict: record.verdict,
            rule: record.diagnosis?.findings.first?.rule)
        if let last, last.question == question { return last.verdicts }
        let answer = known[question] ?? learn(question, of: record, under: system)
        last = (question, answer.verdicts)
        return answer.verdicts
    }

    private mutating func learn(
        _ question: Question, of record: LoadRecord, under system: SystemPolicy
    ) -> Answer {
        let evidence = LoadEvidence(record)
        let verdicts = system.candidates.map { candidate in
            let load = candidate.replay.replay(evidence)
            return CandidateVerdict(source: candidate.source, verdict: load.verdict, rule: load.rule)
        }
        let answer = Answer(verdicts: verdicts, system: system, card: record.origin)
        if known.count >= Self.limit { known.removeAll(keepingCapacity: true) }
        known[question] = answer
        return answer
    }

    /// With a card of some kilobytes each, a few megabytes.
    private static let limit = 1_024
}
