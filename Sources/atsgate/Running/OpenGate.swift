import ATSPolicy
import ControlPlane
import Diagnosis
import Fleet
import Foundation
import Logging
import NetLoop
import Onboarding
import ProxyCore
import ProxyServer
import Records
import Reporting
import TLSEngine
import Text

/// A running gate with its archive, from the options of a command.
struct OpenGate: Sendable {
    let gate: Gate
    let recording: String
    let log: Logger
    /// What the policy says, unmasked.
    let declaration: Declaration
    /// What the app's own code has to say about certificates.
    let appTrust: AppTrust
    /// What of hosts and paths is not told; nil for nothing.
    let names: NameMask?
    private let records: RunRecords
    /// Keeps `uninstall` from removing the CA meanwhile.
    private let authorityLock: UseLock?
    /// As people know the dictionary: a path, or the version of a shared store's that was in force at the start.
    let policyPath: String?
    /// nil where the dictionary is not that of a shared store.
    private let follower: PolicyFollower?

    /// Opens the gate, then the sinks, and serves: a start that fails leaves no empty store behind.
    ///
    /// - Parameters:
    ///   - settings: made of `choices` by the caller, who knows the defaults of its command.
    ///   - sinks: besides the store and the JSON lines that `choices` ask for.
    ///   - devices: told of whoever visits the gate's own pages.
    ///   - needsStore: reports are to be made of the run, whatever `choices` ask for.
    /// - Throws: ``CommandFailure``; nothing is left running then.
    init(
        _ choices: GateChoices, settings: GateSettings, sinks: [any RecordSink], devices: DeviceMemory = DeviceMemory(),
        needsStore: Bool = false
    ) throws {
        Self.prepareProcess()
        try SharedStore.prepare(choices)
        var settings = settings
        let stored = try StorePolicy(choices)
        let version = try stored?.readOrRecall()
        if let version { (settings.policyPath, settings.declaration) = (version.0.title, version.1) }
        recording = settings.recording
        policyPath = settings.policyPath
        appTrust = settings.rules.appTrust
        var opening = try Self.opening(settings)
        authorityLock = opening.authority.certificatePath.flatMap { UseLock(sharing: $0) }
        declaration = opening.declaration
        opening.ownSite = Self.site(of: opening, settings, devices)
        do {
            if !choices.masks.isEmpty, choices.store == nil { try DataDirectory.prepare() }
            let names = try MaskFile.mask(choices.masks, storePath: choices.recordsPath, sharing: choices.maskKey)
            self.names = names
            log = LogLines.logger(level: choices.verbosity.logLevel, names: names)
            records = try RunRecords(
                choices, settings, sinks: sinks, needsStore: needsStore,
                declaration: names?.declaration(opening.declaration) ?? opening.declaration, names: names, log: log)
        } catch {
            opening.close()
            throw error
        }
        do throws(GateError) {
            gate = try Gate(opening, archive: records.archive, log: log)
        } catch {
            records.abandon()
            throw CommandFailure(error)
        }
        follower = version.flatMap { [gate, log] in stored?.follower(for: gate, from: $0.0, log: log) }
        begin(recording)
        tellOfPolicies()
        follower?.begin()
    }

    /// Before the CA's key is read.
    private static func prepareProcess() {
        // A reader of --json - that goes away must not take the gate with it.
        signal(SIGPIPE, SIG_IGN)
        DescriptorLimit.raise()
        if !EnvironmentVariables.allowsCoreDumps { CoreDumps.refuse() }
    }

    private static func opening(_ settings: GateSettings) throws(CommandFailure) -> GateOpening {
        do throws(GateError) { return try GateOpening(settings) } catch { throw CommandFailure(opening: error) }
    }

    /// Has the log and a shared store know which dictionary is in force, and what is wrong with it.
    private func tellOfPolicies() {
        gate.whenPolicyChanges { [weak gate, log, policyPath, shared = records.shared] change in
            guard case .inForce(let name) = change, let gate else { return }
            shared?.rename(policy: name)
            guard let problems = GateInterface.Problems(of: gate, policyPath: policyPath) else { return }
            log.warning("\(problems.sentence(about: name))")
        }
    }

    /// What clients are shown under the gate's own name.
    private static func site(of opening: GateOpening, _ settings: GateSettings, _ devices: DeviceMemory) -> OwnSite {
        let listeners = opening.addresses
        return Onboarding(
            certificate: PublicCertificate(opening.authority),
            passthrough: settings.rules.passthrough.compactMap { HostPattern($0) },
            appleServices: settings.rules.appleServices,
            witnessed: settings.onlyWatches ? settings.witnessedURLs : [], memory: devices
        ) { listeners.flatMap(\.proxies) }.site
    }

    /// How it fares.
    var signs: GateMonitor.Signs {
        let (gate, archive, shared) = (gate, records.archive, records.shared)
        return GateMonitor.Signs(
            pulse: { patience in
                let pulse = gate.pulse(within: patience)
                return GateMonitor.Pulse(
                    silentLoops: pulse.silentLoops, openConnections: pulse.openConnections)
            },
            archive: { archive.figures }, authorityEnd: gate.authority.notAfter,
            spool: { shared?.signs })
    }

    /// What `atsgate lint` finds in the dictionary in force; nil for nothing.
    var problems: GateInterface.Problems? { GateInterface.Problems(of: gate, policyPath: policyPath) }

    /// The same, for a start; empty for nothing.
    var problemRemarks: [String] {
        let name = policyPath.map { $0 == "-" ? "standard input" : $0 } ?? ""
        return problems.map { ["warning: " + $0.sentence(about: name)] } ?? []
    }

    /// Has the store know a recording before its first load comes.
    func begin(_ recording: String) {
        do throws(StoreError) { try records.store?.begin(recording) } catch { log.error("\(error)") }
    }

    /// Of the file that records go to; nil for none.
    var storePath: String? { records.storePath }

    /// nil where no other gate shares the store.
    var shared: SharedStore? { records.shared }

    /// What `--store` is to be given to read the run's loads; nil where nothing is kept.
    var storeName: String? { shared?.readersName ?? storePath }

    /// Closes the archive of a gate that has stopped. Call once.
    func close() -> ArchiveSummary {
        follower?.stop()
        defer { ConsoleWriter.standardError.flush() }
        let summary = records.archive.close()
        LastResort.callOff()
        return summary
    }

    /// Waits until the shared store has what was recorded, where there is one. Call once, after ``close()``.
    ///
    /// - Returns: what is not there, in lines; empty for nothing.
    func ship() -> String { shared?.finish() ?? "" }

    /// Has ``ship()`` end at once.
    func stopShipping() { shared?.stop() }

    /// Passes on what is known of all loads that have ended. Blocks: not for loops.
    func flush() {
        // A loop that hangs is the monitor's to tell: who asks is answered by what the others know.
        _ = gate.settle(within: GateMonitor.patience)
        records.archive.flush()
    }

    /// Writes the reports that were asked for, once the archive is closed. Call once.
    ///
    /// - Parameters:
    ///   - rules: what of the loads counts.
    ///   - more: makes others, of the run's records, and says whether all could be written.
    /// - Returns: whether all could be written.
    func writeReports(
        of summary: ArchiveSummary, by rules: JudgementRules, _ more: (StoreReader) throws -> Bool = { _ in true }
    ) -> Bool {
        defer { records.passingStore?.remove() }
        guard let path = storePath ?? records.passingStore?.path else { return true }
        let isWhole = records.reports.write(loads(in: summary), from: path, by: rules)
        do {
            return try more(ReadStores.open(path)) && isWhole
        } catch {
            StandardError.complain("what was recorded cannot be read back: \(error)")
            return false
        }
    }

    /// What reports of the run are told besides its loads.
    func context(_ rules: JudgementRules) -> ReportContext {
        var context = ReportContext(declaration: records.reports.declaration, toolVersion: toolVersion)
        context.rules = rules
        return context
    }

    /// The loads of this run, under whatever names.
    func loads(in summary: ArchiveSummary) -> RecordFilter {
        var filter = records.filter
        if !summary.recordings.isEmpty { filter.recordings = summary.recordings }
        return filter
    }

    /// What the end has to tell of candidates that differ from the policy; empty for nothing.
    var candidateNotice: String { records.candidates?.notice(recording: recording, storePath: storeName) ?? "" }

    /// What `--port-file` tells: a line for each address that clients come in by, then that of `--metrics`.
    func ports(and metrics: MetricsListener) -> String {
        (gate.addresses.map(\.port) + [metrics.port].compactMap(\.self)).map { "\($0)\n" }.joined()
    }

    /// For clients: the first address that speaks HTTP, by a name that also other machines' clients would take for a
    /// proxy's. A gate with none is told in curl's scheme for SOCKS5 that leaves names to the proxy; empty where clients
    /// are only redirected to it.
    var proxyURL: String {
        let addresses = gate.addresses
        if let address = addresses.first(where: { $0.speaks == .http }) { return "http://\(address.reachable)" }
        return addresses.first { $0.speaks == .socks5 }.map { "socks5h://\($0.reachable)" } ?? ""
    }
}
