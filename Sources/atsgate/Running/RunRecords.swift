import ATSPolicy
import Foundation
import Logging
import ProxyServer
import Records
import Reporting
import Text

/// Where the records of a run go, and what is made of them in the end.
struct RunRecords: Sendable {
    /// Of the file that they go to; nil for none.
    let storePath: String?
    /// The loads of this run, in its store, but for those that the page had filed under other names.
    let filter: RecordFilter
    let archive: Archive
    /// nil where nothing is kept.
    let store: StoreSink?
    /// nil where no other gate shares the store.
    let shared: SharedStore?
    let reports: ReportFiles
    /// Where reports are made of, where there is no store to keep; nil where none is needed.
    let passingStore: PassingStore?
    /// nil where there are none.
    let candidates: CandidateSink?

    /// Opens what `choices` ask for.
    ///
    /// - Parameters:
    ///   - sinks: besides those.
    ///   - needsStore: reports are to be made of the run, whatever `choices` ask for.
    ///   - declaration: as reports tell of it.
    /// - Throws: ``CommandFailure``; nothing is left open then.
    init(
        _ choices: GateChoices, _ settings: GateSettings, sinks: [any RecordSink], needsStore: Bool,
        declaration: Declaration, names: NameMask?, log: Logger
    ) throws {
        storePath = choices.recordsPath
        candidates = settings.candidatePaths.isEmpty ? nil : CandidateSink()
        reports = ReportFiles(requests: choices.reports, declaration: declaration)
        let isPassing = storePath == nil && (needsStore || !choices.reports.isEmpty)
        passingStore = isPassing ? try PassingStore() : nil
        do {
            var own: [any RecordSink] = candidates.map { [$0] } ?? []
            if let passingStore { own.append(try StoreSink(path: passingStore.path)) }
            let kept: [any RecordSink]
            (kept, filter, store) = try Self.sinks(choices, recording: settings.recording, log: log)
            shared = try Self.shared(choices, policyPath: settings.policyPath, log: log)
            archive = Archive(sinks: kept + sinks + own, names: names) { log.error("\($0)") }
        } catch {
            passingStore?.remove()
            throw error
        }
    }

    /// Of a gate that could not begin.
    func abandon() {
        _ = archive.close()
        shared?.stop()
        passingStore?.remove()
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

    /// - Returns: the sinks, which loads of the store are this run's, for the recording may have older ones, and the
    ///   store among the sinks.
    private static func sinks(
        _ choices: GateChoices, recording: String, log: Logger
    ) throws -> ([any RecordSink], RecordFilter, StoreSink?) {
        var sinks: [any RecordSink] = []
        var kept: StoreSink?
        var filter = RecordFilter(recording: recording)
        do {
            if let path = choices.recordsPath {
                if choices.store == nil { try DataDirectory.prepare() }
                let limit = choices.storePath == nil ? choices.spoolLimit ?? GateChoices.usualSpoolLimit : nil
                let store = try StoreSink(path: path, retention: choices.keep, spoolLimit: limit) {
                    log.warning("\($0)")
                }
                sinks.append(store)
                kept = store
                filter.after = try store.lastRow()
                let loads = try store.loads(of: recording)
                if loads > 0 {
                    let words = loads == 1 ? "1 load" : "\(loads) loads"
                    log.notice("recording \(recording) holds \(words) already; this run adds to it")
                }
            }
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
        return (sinks, filter, kept)
    }
}
