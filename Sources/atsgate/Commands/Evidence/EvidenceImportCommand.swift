import ATSPolicy
import ArgumentParser
import Evidence
import Foundation
import ProxyServer
import Records
import Reporting
import Text

/// Imports a device's loads as a recording.
struct EvidenceImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Imports the loads of a device's logs as a recording, for every command that reads recordings.",
        discussion: """
            Each load whose log shows its host, scheme and end becomes a record with source device, nscurl or har; the \
            others are counted. Its verdict is what the device did, and device{} contains the facts from its log. The \
            recording is created completely or not at all. A name that exists is refused, so that no log is imported \
            twice by mistake.

            Exit code: 0; 3 when no load could be imported; 64 with --store none; 65 when a log cannot be read (the \
            others are imported) or the name is taken; 74 when the store cannot be written.
            """)

    @OptionGroup var logs: LogArguments
    @OptionGroup(title: .inFullHelp("Dictionary and release")) var policy: PolicyOption
    @OptionGroup(title: .inFullHelp("Dictionary and release")) var system: DeviceSystemOption
    @OptionGroup(title: .inFullHelp("Dictionary and release")) var store: StoreOption
    @OptionGroup(title: .inFullHelp("Readings of the rules")) var readings: ReadingOptions

    @Option(help: ArgumentHelp("Only loads of this process.", valueName: "name"))
    var app: String?

    @Option(
        help: ArgumentHelp(
            "Name of the recording. (default: that of the first log file; for standard input, device and the time)",
            valueName: "name"))
    var recording: String?

    func run() throws {
        let choices = GateChoices(policy, store, readings)
        try LogArguments.check(logs.paths, beside: choices.settings.policyPath)
        guard let path = choices.storePath else { throw CommandFailure.usage("name the store to write: --store PATH") }
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        var filing = EvidenceImporter(
            try choices.evidenceApp(on: system.profile), recording: recording ?? usualName(now: now), now: now)
        let folder = try TemporaryFolder()
        let draft = folder.path(of: "records.sqlite")
        Drafts.begin(folder.path)
        defer {
            folder.remove()
            Drafts.end(folder.path)
        }
        do {
            if choices.store == nil { try DataDirectory.prepare() }
            try StoreSink(path: path).close()
            let reading = try file(&filing, in: draft)
            if filing.filed > 0 {
                let taken = try StoreEditor(path: path).importRecordings(draft)
                let left = filing.remark.map { "; left out: \($0)" } ?? ""
                StandardError.writeLine(
                    "atsgate: imported \(taken.added.loads) as recording \(filing.recording.printable)\(left)")
            }
            try reading.end()
            if filing.filed == 0 {
                throw CommandFailure.nothing("no load could be imported\(filing.remark.map { ": " + $0 } ?? "")")
            }
        } catch StoreError.nameTaken(let path, let name) {
            let words = "\(path) already has a recording \(name); choose another name with --recording"
            throw CommandFailure.badInput(words.printable)
        }
    }

    /// Reads the logs into a temporary store, so that the recording is imported completely or not at all.
    private func file(_ filing: inout EvidenceImporter, in path: String) throws -> LogReading {
        let archive = Archive(sinks: [try StoreSink(path: path)]) { StandardError.writeLine("atsgate: \($0)") }
        let reading = try logs.read { task in
            guard app == nil || task.app == app, let record = filing.record(of: task) else { return }
            archive.file([record])
        } after: {
            if archive.isFull { archive.flush() }
        }
        let summary = archive.close()
        guard summary.isComplete else {
            throw CommandFailure.output("the loads cannot be imported: \(summary.firstError ?? "not all were written")")
        }
        return reading
    }

    private func usualName(now: Int64) -> String {
        guard let first = logs.paths.first, first != "-" else { return "device-\(now / 1000)" }
        let url = URL(fileURLWithPath: first)
        let name = LogFolder.isFolder(first) ? url.lastPathComponent : url.deletingPathExtension().lastPathComponent
        return name.isEmpty || name == "/" ? "device-\(now / 1000)" : name
    }
}

extension GateChoices {
    /// The app whose logs are read.
    ///
    /// - Throws: ``CommandFailure`` with 65.
    func evidenceApp(on profile: OSProfile?) throws(CommandFailure) -> EvidenceImporter.App {
        EvidenceImporter.App(
            declaration: try declaration(), policy: settings.policyPath, switches: settings.switches,
            profile: profile)
    }
}
