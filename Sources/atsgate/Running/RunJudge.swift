import Diagnosis
import ProxyServer
import Reporting

/// Counts the loads of a gate, and says at its end how they fared.
struct RunJudge {
    let rules: JudgementRules
    /// nil where the gate does more than watch.
    let witness: WitnessSink?
    private let baseline: BaselineOptions
    private let outcomes = HostOutcomeSink()

    init(_ baseline: BaselineOptions, by rules: JudgementRules, of settings: GateSettings) {
        self.baseline = baseline
        self.rules = rules
        witness = settings.witnessSink
    }

    /// What counts.
    var sinks: [any RecordSink] { [outcomes] + (witness.map { [$0] } ?? []) }

    /// Of all loads so far.
    var judgement: RunJudgement { RunJudgement(outcomes.outcomes, by: rules) }

    /// Compares with the baseline, or writes it, where one was asked for.
    ///
    /// - Throws: ``CommandFailure`` with 65 or 74.
    func settleBaseline() throws { try baseline.settle(outcomes.outcomes, by: rules) }

    /// How the command ends.
    ///
    /// - Parameters:
    ///   - child: the status of the command that ran behind the gate.
    ///   - isComplete: every record is kept, and every report written.
    func verdict(child: Int32 = 0, isComplete: Bool) -> RunVerdict {
        RunVerdict(
            child: child, isComplete: isComplete, judgement: judgement,
            differs: witness?.differs(by: rules) ?? false)
    }

    /// What `--quiet` leaves of the end of a run that failed.
    func tellBriefly(_ summary: ArchiveSummary) {
        if judgement.nothingJudged == nil {
            StandardError.write(summary.notice(storePath: nil, failedOnDevice: judgement.failedOnDevice))
        }
        StandardError.write(witness?.headline ?? "")
    }
}
