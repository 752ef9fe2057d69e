import Diagnosis
import ProxyServer
import Reporting
import Text

/// The judgement on the loads of a gate that has ended, from its store.
struct RunJudge {
    let rules: JudgementRules
    let judgement: RunJudgement
    /// The outcomes on devices; nil unless the gate was in witness mode.
    private let agreement: DeviceAgreement?
    /// The hellos of devices, compared with the rules.
    private let hellos: HelloAgreement
    /// True if a hello that differs counts as a difference.
    private let failsOnDifference: Bool
    private let baseline: BaselineOptions
    private let outcomes: [HostOutcome]

    /// - Parameters:
    ///   - filter: the loads of the gate.
    ///   - failsOnDifference: true if a hello that differs from the rules decides the exit code.
    /// - Throws: ``StoreError``.
    init(
        _ filter: RecordFilter, in reader: StoreReader, _ baseline: BaselineOptions, by rules: JudgementRules,
        of settings: GateSettings, failsOnDifference: Bool = false
    ) throws {
        self.failsOnDifference = failsOnDifference
        self.baseline = baseline
        self.rules = rules
        outcomes = try reader.hosts(matching: filter)
        judgement = RunJudgement(outcomes, by: rules)
        agreement = settings.isWitness ? try reader.agreement(of: filter) : nil
        hellos = try reader.hellos(of: filter)
    }

    /// Compares with the baseline, or writes it, if requested.
    ///
    /// - Throws: ``CommandFailure`` with 65 or 74.
    func settleBaseline() throws { try baseline.settle(outcomes, by: rules) }

    /// The verdict that decides the command's exit code.
    ///
    /// - Parameters:
    ///   - child: the status of the command that ran with the gate.
    ///   - isComplete: true if every record was kept, and every report written.
    func verdict(child: Int32 = 0, isComplete: Bool) -> RunVerdict {
        RunVerdict(
            child: child, isComplete: isComplete, judgement: judgement,
            differs: rules.failOn != .none && agreement?.differs == true || failsOnDifference && hellos.differs)
    }

    /// The agreement with devices and every difference, one per line: their outcomes in witness mode, and their hellos.
    var agreementNotice: String { agreementLines.joined() }

    private var agreementLines: [String] {
        ((agreement?.lines ?? []) + hellos.lines).map { "atsgate: \($0.printable)\n" }
    }

    /// Prints the part of the end that `--quiet` keeps if a run failed.
    func printBriefSummary(_ summary: ArchiveSummary) {
        if judgement.nothingJudged == nil {
            StandardError.write(summary.notice(storePath: nil, failedOnDevice: judgement.failedOnDevice))
        }
        StandardError.write(agreementLines.first ?? "")
    }
}
