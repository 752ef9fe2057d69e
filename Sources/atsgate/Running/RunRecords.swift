import ATSPolicy
import Diagnosis
import Foundation
import Logging
import ProxyServer
import Records
import Reporting
import Text

/// The sinks for a run's records, and its reports.
struct RunRecords: Sendable {
    /// The path of the file for records; nil for a store in memory.
    let storePath: String?
    /// The loads of this run in its store, except those that the page put into other recordings.
    private let filter: RecordFilter
    let archive: Archive
    private let store: StoreSink
    /// nil if the store is not shared.
    let shared: SharedStore?
    private let reports: ReportFiles
    private let log: Logger

    /// Opens the sinks of `choices`, and begins the recording.
    ///
    /// - Parameters:
    ///   - sinks: additional sinks.
    ///   - declaration: the dictionary for reports.
    /// - Throws: ``CommandFailure`` or ``StoreError``; everything is closed then.
    init(
        _ choices: GateChoices, _ settings: GateSettings, sinks: [any RecordSink], declaration: Declaration,
        names: NameMask?, log: Logger
    ) throws {
        self.log = log
        storePath = choices.recordsPath
        reports = ReportFiles(requests: choices.reports, declaration: declaration)
        let kept: [any RecordSink]
        (kept, filter, store) = try Self.sinks(choices, recording: settings.recording, log: log)
        shared = try SharedStore(
            choices, label: choices.listeners.lazy.compactMap(\.label).first, policy: settings.policyPath, log: log)
        archive = Archive(sinks: kept + sinks, names: names) { log.error("\($0)") }
    }

    /// Opens the store for reading.
    ///
    /// - Throws: ``StoreError``.
    func reader() throws(StoreError) -> StoreReader {
        guard let storePath else { return store.reader }
        return try StoreReader(path: storePath)
    }

    /// The value of `--store` for reading the run's loads; nil if they are not kept.
    var storeName: String? { shared?.readersName ?? storePath }

    /// Adds another recording to the store before its first load arrives.
    func begin(_ recording: String) {
        do throws(StoreError) { try store.begin(recording) } catch { log.error("\(error)") }
    }

    /// The loads of this run, in all its recordings.
    func loads(in summary: ArchiveSummary) -> RecordFilter {
        var filter = filter
        if !summary.recordings.isEmpty { filter.recordings = summary.recordings }
        return filter
    }

    /// The context for reports of the run.
    func context(_ rules: JudgementRules) -> ReportContext {
        var context = ReportContext(declaration: reports.declaration, toolVersion: toolVersion)
        context.rules = rules
        return context
    }

    /// Writes the requested reports after the archive is closed.
    ///
    /// - Parameters:
    ///   - report: the loads of the run; nil if they were not read yet.
    ///   - rules: the loads that count as failures.
    /// - Returns: True if all were written.
    func writeReports(_ report: GroupedReport?, of summary: ArchiveSummary, by rules: JudgementRules) -> Bool {
        guard !reports.requests.isEmpty else { return true }
        do {
            return try reports.write(report, loads(in: summary), from: reader(), context(rules))
        } catch {
            StandardError.printError("no report can be written, because the records cannot be read back: \(error)")
            return false
        }
    }

    /// Closes everything for a gate that could not start.
    func abandon() {
        _ = archive.close()
        shared?.stop()
    }

    /// - Returns: The sinks, the filter for this run's loads, because the recording may have older ones, and the store
    ///   among the sinks.
    private static func sinks(
        _ choices: GateChoices, recording: String, log: Logger
    ) throws -> ([any RecordSink], RecordFilter, StoreSink) {
        var sinks: [any RecordSink] = []
        let store: StoreSink
        var filter = RecordFilter(recording: recording)
        do {
            if let path = choices.recordsPath {
                if choices.store == nil { try DataDirectory.prepare() }
                let limit = choices.storePath == nil ? choices.spoolLimit ?? GateChoices.usualSpoolLimit : nil
                store = try StoreSink(path: path, retention: choices.keep, spoolLimit: limit) {
                    log.warning("\($0)")
                }
                filter.after = try store.lastRow()
                let loads = try store.loads(of: recording)
                if loads > 0 {
                    let words = loads == 1 ? "1 load" : "\(loads) loads"
                    log.notice("recording \(recording) already has \(words); this run adds to it")
                }
            } else {
                store = try StoreSink()
            }
            try store.begin(recording)
            sinks.append(store)
            if let path = choices.json {
                let sink = try JSONLinesSink(path: path)
                if let notice = sink.notice { log.warning("\(notice)") }
                sinks.append(sink)
            }
        } catch let error as JSONLinesSink.CannotOpen {
            throw error.lacksFolder ? CommandFailure.usage("\(error)") : .output("\(error)")
        }
        return (sinks, filter, store)
    }
}
