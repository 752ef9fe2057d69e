import ArgumentParser
import Diagnosis
import Foundation
import Records
import Reporting
import Text

/// The end of a run, after its gate is closed: prints and writes the reports, ships the records, and decides the exit
/// code. A step that fails does not prevent the next ones.
final class RunEnd {
    private let run: GateRun
    private let summary: ArchiveSummary
    /// The loads of the run, in all its recordings.
    private let loads: RecordFilter
    /// The loads, read back once; nil if that failed.
    private var report: GroupedReport?
    private var judged: JudgedRun?
    /// The first error.
    private var failure: CommandFailure?

    init(_ run: GateRun, _ summary: ArchiveSummary) {
        (self.run, self.summary) = (run, summary)
        loads = run.open.records.loads(in: summary)
    }

    /// Reports and judges. Call once.
    ///
    /// - Throws: `ExitCode` if it is not 0.
    func finish(after work: RunWork) throws {
        let records = run.open.records
        report = attempt { try records.reader().grouped(loads, records.context(run.judging.rules)) }
        judged = report.map { JudgedRun($0, run.judging, isWitness: run.settings.isWitness) }
        if !run.choices.isQuiet { printEnd() }
        let areWritten = [records.writeReports(report, of: summary, by: run.judging.rules), writeJob()]
        StandardError.write(
            run.signals.pass(to: { Self.ending.contains($0) ? records.shared?.stop() : () }) {
                records.shared?.finish() ?? ""
            })
        attempt { try judged?.settleBaseline() }
        let own = exitCode(isComplete: summary.isComplete && !areWritten.contains(false))
        let status = work.status == 0 ? own : work.status
        printReasons(for: status, of: work, own: own)
        if status != 0 { throw ExitCode(status) }
    }

    /// - Returns: nil if `step` fails; the first failure is kept.
    @discardableResult
    private func attempt<Value>(_ step: () throws -> Value) -> Value? {
        do {
            return try step()
        } catch {
            let reason = error as? CommandFailure ?? .output("the records cannot be read back: \(error)".printable)
            failure = failure ?? reason
            return nil
        }
    }

    /// atsgate's own exit code; docs/exit-codes.md.
    private func exitCode(isComplete: Bool) -> Int32 {
        if let failure { return failure.exitCode }
        guard isComplete else { return CommandFailure.outputExitCode }
        return run.judging.isBinding ? judged?.exitCode ?? 0 : 0
    }

    /// Prints the result, in the form of the command.
    private func printEnd() {
        var notes: [String] = []
        var isReported = false
        switch (run.kind, report) {
        case (.served, let report?): notes = report.clientNotes
        case (.command, let report?) where summary.filed > 0:
            var context = ReportContext(isColoured: wantsColour(on: STDERR_FILENO))
            context.rules = run.judging.rules
            StandardError.write("\n" + (report.with(context).text(as: .text) ?? ""))
            isReported = true
        case (.served, nil), (.command, _): break
        }
        StandardError.write(
            summary.notice(storePath: run.open.records.storeName, failedOnDevice: failedOnDevice)
                + notes.map { "atsgate: note: \($0.printable)\n" }.joined()
                + (judged?.agreementLines(isReported: isReported).joined() ?? ""))
    }

    /// - Returns: False if a file of the CI system could not be written.
    private func writeJob() -> Bool {
        guard let job = run.judging.job, let report, let judged else { return true }
        return job.tell(report, judged.judgement, summary.verdicts)
    }

    /// Prints the reasons for the exit code. The last line names the party that chose it.
    private func printReasons(for status: Int32, of work: RunWork, own: Int32) {
        let nothing = run.judging.isBinding ? judged?.judgement.nothingJudged : nil
        if run.choices.isQuiet, own != 0 {
            if nothing == nil || !summary.isComplete {
                StandardError.write(summary.notice(storePath: nil, failedOnDevice: failedOnDevice))
            }
            StandardError.write(judged?.agreementLines().first ?? "")
        }
        switch (nothing, run.kind) {
        case (let nothing?, .served): StandardError.printError(nothing.sentence)
        case (let nothing?, .command(let isCaptured)) where work.status == 0:
            StandardError.printError(nothing.advice(isCaptured: isCaptured))
        case (_?, .command), (nil, _): break
        }
        if let failure { StandardError.printError(failure.sentence) }
        let isAccepting = own == 0 && run.judging.baseline?.isGiven == true && summary.verdicts[.blocked] ?? 0 > 0
        if let notice = work.notice(own: own, isAccepting: isAccepting) { StandardError.writeLine(notice) }
    }

    private var failedOnDevice: Int { judged?.judgement.failedOnDevice ?? 0 }

    /// The signals by which a user or a service manager ends a process.
    private static let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]
}

/// The work that a run did with its gate: the command that ended, or none.
struct RunWork {
    /// The exit code of the work, as a shell reports it; 0 without a command.
    var status: Int32 = 0
    /// The command; nil without one.
    var command: String?
    /// False if the command's process could not be started.
    var isStarted = true

    /// The last line of a run whose command failed. `make` ends with 2 and curl with 1 to 101, which are also codes of
    /// atsgate.
    ///
    /// - Parameters:
    ///   - own: the exit code of atsgate if the command had ended with 0.
    ///   - isAccepting: true if a baseline accepts loads that the gate blocked.
    /// - Returns: nil without a command.
    func notice(own: Int32, isAccepting: Bool) -> String? {
        guard let command, status != 0 else { return nil }
        let name = URL(fileURLWithPath: command).lastPathComponent
        guard isStarted else { return "atsgate: exit code \(status): \(name) was not started" }
        return "atsgate: exit code \(status) is from \(name)" + (own == 0 ? "" : "; from atsgate it would be \(own)")
            + (isAccepting ? "; the gate blocked loads: --mode audit lets those of a baseline pass" : "")
    }
}

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

/// The judgement on the loads of a gate that has ended.
struct JudgedRun {
    let judgement: RunJudgement
    /// The outcomes on devices; nil unless the gate was in witness mode.
    private let agreement: DeviceAgreement?
    /// The hellos of devices, compared with the rules.
    private let hellos: HelloAgreement
    private let outcomes: [HostOutcome]
    private let judging: RunJudging

    init(_ report: GroupedReport, _ judging: RunJudging, isWitness: Bool) {
        self.judging = judging
        outcomes = report.outcomes
        judgement = RunJudgement(outcomes, by: judging.rules)
        agreement = isWitness ? report.agreement : nil
        hellos = report.hellos
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
