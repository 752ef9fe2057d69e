import ATSPolicy
import Bytes
import Records

/// Another dictionary that loads are judged under, in addition to the one that is enforced.
final class Candidate: Sendable {
    /// The path of its file.
    let source: String
    let replay: LoadReplay

    init(_ declaration: Declaration, like judge: Judge, appTrust: AppTrust) {
        source = declaration.source ?? ""
        replay = LoadReplay(
            judge: Judge(declaration: declaration, profile: judge.system, switches: judge.switches), appTrust: appTrust)
    }
}

/// The candidates' verdicts on loads. Equal loads are judged once; each further one costs only a lookup. Belongs to one
/// loop.
struct CandidateMemory {
    private var known = WeighedCache<Question, Answer>(.rulings, limit: 4 << 20, count: CandidateMemory.limit)
    /// The previous load: most loads are like it.
    private var last: (question: Question, verdicts: [CandidateVerdict])?

    /// Everything that a candidate's verdict depends on, except the time. Equal loads share the time of the first.
    private struct Question: Hashable {
        let system: ObjectIdentifier
        let origin: ObjectIdentifier?
        let target: LoadTarget
        let loader: Loader
        let verdict: Verdict
        let rule: RuleID?
    }

    private struct Answer {
        let verdicts: [CandidateVerdict]
        /// Kept alive, so that no other object can get the same identity.
        let system: SystemPolicy
        let origin: RecordedOrigin?
    }

    mutating func verdicts(on record: LoadRecord, under system: SystemPolicy) -> [CandidateVerdict] {
        let question = Question(
            system: ObjectIdentifier(system), origin: record.origin.map { ObjectIdentifier($0) },
            target: record.load.target, loader: record.client.loader, verdict: record.verdict,
            rule: record.diagnosis?.findings.first?.rule)
        if let last, last.question == question { return last.verdicts }
        let answer = known.value(for: question) ?? learn(question, of: record, under: system)
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
        let answer = Answer(verdicts: verdicts, system: system, origin: record.origin)
        known.keep(
            answer, for: question,
            bytes: record.load.target.host.utf8.count + (record.origin?.bytes ?? 0) + verdicts.count * Self.verdictBytes
        )
        return answer
    }

    private static let limit = 1_024
    private static let verdictBytes = 64
}
