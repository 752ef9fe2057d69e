import ArgumentParser
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
    /// nil if the loads cannot be read back.
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
        judged = attempt { try JudgedRun(loads, in: records.reader(), run.judging, isWitness: run.settings.isWitness) }
        if !run.choices.isQuiet { attempt { try printEnd() } }
        let areWritten = [records.writeReports(of: summary, by: run.judging.rules), writeJob()]
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
    private func printEnd() throws {
        let records = run.open.records
        var notes: [String] = []
        var isReported = false
        switch run.kind {
        case .served where judged != nil: notes = try records.reader().clientNotes(of: loads).sentences
        case .command where judged != nil && summary.filed > 0:
            try printReport()
            isReported = true
        case .served, .command: break
        }
        StandardError.write(
            summary.notice(storePath: records.storeName, failedOnDevice: failedOnDevice)
                + notes.map { "atsgate: note: \($0.printable)\n" }.joined()
                + (judged?.agreementLines(isReported: isReported).joined() ?? ""))
    }

    private func printReport() throws {
        var context = ReportContext(isColoured: wantsColour(on: STDERR_FILENO))
        context.rules = run.judging.rules
        StandardError.write("\n")
        try run.open.records.reader().report(as: .text, of: loads, context) {
            StandardError.write(String(decoding: $0, as: UTF8.self))
        }
    }

    /// - Returns: False if a file of the CI system could not be written.
    private func writeJob() -> Bool {
        guard let job = run.judging.job, let judged else { return true }
        let records = run.open.records
        return attempt {
            let report = try records.reader().grouped(loads, records.context(run.judging.rules))
            return job.tell(report, judged.judgement, summary.verdicts)
        } ?? false
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
        let isAccepting = run.judging.baseline?.isGiven == true && summary.verdicts[.blocked] ?? 0 > 0
        if let notice = work.notice(own: own, isAccepting: isAccepting) { StandardError.writeLine(notice) }
    }

    private var failedOnDevice: Int { judged?.judgement.failedOnDevice ?? 0 }

    /// The signals by which a user or a service manager ends a process.
    private static let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]
}
