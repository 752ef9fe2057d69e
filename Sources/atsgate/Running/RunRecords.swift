import ATSPolicy
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
    let filter: RecordFilter
    let archive: Archive
    let store: StoreSink
    /// nil if the store is not shared.
    let shared: SharedStore?
    let reports: ReportFiles

    /// Opens the sinks of `choices`.
    ///
    /// - Parameters:
    ///   - sinks: additional sinks.
    ///   - declaration: the dictionary for reports.
    /// - Throws: ``CommandFailure``; everything is closed then.
    init(
        _ choices: GateChoices, _ settings: GateSettings, sinks: [any RecordSink], declaration: Declaration,
        names: NameMask?, log: Logger
    ) throws {
        storePath = choices.recordsPath
        reports = ReportFiles(requests: choices.reports, declaration: declaration)
        let kept: [any RecordSink]
        (kept, filter, store) = try Self.sinks(choices, recording: settings.recording, log: log)
        shared = try Self.shared(choices, policyPath: settings.policyPath, log: log)
        archive = Archive(sinks: kept + sinks, names: names) { log.error("\($0)") }
    }

    /// Opens the store for reading.
    ///
    /// - Throws: ``StoreError``.
    func reader() throws(StoreError) -> StoreReader {
        guard let storePath else { return store.reader }
        return try StoreReader(path: storePath)
    }

    /// Closes everything for a gate that could not start.
    func abandon() {
        _ = archive.close()
        shared?.stop()
    }

    private static func shared(
        _ choices: GateChoices, policyPath: String?, log: Logger
    ) throws -> SharedStore? {
        do throws(StoreError) {
            return try SharedStore(
                choices, label: choices.listeners.lazy.compactMap(\.label).first, policy: policyPath, log: log)
        } catch {
            throw CommandFailure(error)
        }
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
            sinks.append(store)
            if let path = choices.json {
                let sink = try JSONLinesSink(path: path)
                if let notice = sink.notice { log.warning("\(notice)") }
                sinks.append(sink)
            }
        } catch let error as StoreError {
            throw CommandFailure(error)
        } catch let error as JSONLinesSink.CannotOpen {
            throw error.lacksFolder ? CommandFailure.usage("\(error)") : .output("\(error)")
        }
        return (sinks, filter, store)
    }
}
