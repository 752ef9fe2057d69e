import Diagnosis
import Records
import Reporting
import Synchronization

/// Builds the text report of a run from its records as they arrive, so that `run` can also print it without a store.
final class VerdictSink: RecordSink {
    let name = "verdict"
    private let report: Mutex<Report>

    private struct Report {
        var renderer: ReportRenderer
        var text: [UInt8] = []
    }

    init(isColoured: Bool, rules: JudgementRules) {
        var context = ReportContext(isColoured: isColoured)
        context.rules = rules
        report = Mutex(Report(renderer: ReportFormat.text.renderer(context)))
    }

    func write(_ records: [LoadRecord]) throws {
        try report.withLock { report in
            for record in records { try report.renderer.add(record, to: &report.text) }
        }
    }

    func close() {}

    /// The report of all records. Call once, after the archive is closed.
    func finished() -> [UInt8] {
        report.withLock { report in
            report.renderer.finish(to: &report.text)
            return report.text
        }
    }
}
