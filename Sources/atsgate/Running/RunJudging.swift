import Diagnosis
import Reporting
import Text

/// How a run's loads decide its exit code, from the options of its command.
struct RunJudging {
    var rules = JudgementRules()
    var baseline: BaselineOptions?
    /// True if the exit code depends on the loads. Reports are judged in any case.
    var isBinding = false
    /// True if a hello that differs from the rules decides the exit code.
    var failsOnDifference = false
    /// nil outside a job of GitHub Actions.
    var job: GitHubJob?
}

/// The judgement on the loads of a gate that has ended, from its store.
struct JudgedRun {
    let judgement: RunJudgement
    /// The outcomes on devices; nil unless the gate was in witness mode.
    private let agreement: DeviceAgreement?
    /// The hellos of devices, compared with the rules.
    private let hellos: HelloAgreement
    private let outcomes: [HostOutcome]
    private let judging: RunJudging

    /// - Parameter filter: the loads of the gate.
    /// - Throws: ``StoreError``.
    init(_ filter: RecordFilter, in reader: StoreReader, _ judging: RunJudging, isWitness: Bool) throws {
        self.judging = judging
        outcomes = try reader.hosts(matching: filter)
        judgement = RunJudgement(outcomes, by: judging.rules)
        agreement = isWitness ? try reader.agreement(of: filter) : nil
        hellos = try reader.hellos(of: filter)
    }

    /// Compares with the baseline, or writes it, if requested.
    ///
    /// - Throws: ``CommandFailure`` with 65 or 74.
    func settleBaseline() throws { try judging.baseline?.settle(outcomes, by: judging.rules) }

    /// The exit code of the loads; docs/exit-codes.md. A gate that is wrong about a device (4) judges the app wrongly,
    /// so 4 takes precedence over 1 and 3.
    var exitCode: Int32 {
        let differs =
            judging.rules.failOn != .none && agreement?.differs == true || judging.failsOnDifference && hellos.differs
        return differs ? 4 : judgement.exitStatus
    }

    /// The agreement with devices and every difference, one per line: their outcomes in witness mode, and their hellos.
    ///
    /// - Parameter isReported: true after a report, which contains the lines about hellos.
    func agreementLines(isReported: Bool = false) -> [String] {
        ((agreement?.lines ?? []) + (isReported ? [] : hellos.lines)).map { "atsgate: \($0.printable)\n" }
    }
}
