import Diagnosis
import ProxyServer
import Reporting

/// Counts the loads of a gate, and derives the exit code from them.
struct RunJudge {
    let rules: JudgementRules
    /// nil unless the gate is in witness mode.
    let witness: WitnessSink?
    private let baseline: BaselineOptions
    private let outcomes = HostOutcomeSink()

    init(_ baseline: BaselineOptions, by rules: JudgementRules, of settings: GateSettings) {
        self.baseline = baseline
        self.rules = rules
        witness = settings.witnessSink
    }

    /// The sinks that count loads.
    var sinks: [any RecordSink] { [outcomes] + (witness.map { [$0] } ?? []) }

    /// The judgement of all loads so far.
    var judgement: RunJudgement { RunJudgement(outcomes.outcomes, by: rules) }

    /// Compares with the baseline, or writes it, if requested.
    ///
    /// - Throws: ``CommandFailure`` with 65 or 74.
    func settleBaseline() throws { try baseline.settle(outcomes.outcomes, by: rules) }

    /// The verdict that decides the command's exit code.
    ///
    /// - Parameters:
    ///   - child: the status of the command that ran with the gate.
    ///   - isComplete: true if every record was kept, and every report written.
    func verdict(child: Int32 = 0, isComplete: Bool) -> RunVerdict {
        RunVerdict(
            child: child, isComplete: isComplete, judgement: judgement,
            differs: witness?.differs(by: rules) ?? false)
    }

    /// Prints the part of the end that `--quiet` keeps if a run failed.
    func printBriefSummary(_ summary: ArchiveSummary) {
        if judgement.nothingJudged == nil {
            StandardError.write(summary.notice(storePath: nil, failedOnDevice: judgement.failedOnDevice))
        }
        StandardError.write(witness?.headline ?? "")
    }
}
