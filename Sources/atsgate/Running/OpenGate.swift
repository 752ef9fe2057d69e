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
import Setup
import TLSEngine
import Text

/// A running gate with its archive, from the options of a command.
struct OpenGate: Sendable {
    let gate: Gate
    let recording: String
    let log: Logger
    /// The dictionary, with unmasked names.
    let declaration: Declaration
    /// The decisions of the app's own code about certificates.
    let appTrust: AppTrust
    /// The mask for hosts and paths; nil for none.
    let names: NameMask?
    /// The records of the run, and its reports.
    let records: RunRecords
    /// Prevents `setup uninstall` from removing the CA while the gate runs.
    private let authorityLock: UseLock?
    /// The name of the dictionary, as shown to the user: a path, or the version from a shared store that was in force
    /// at the start.
    let policyPath: String?
    /// nil if the dictionary is not from a shared store.
    private let follower: PolicyFollower?

    /// Opens the gate, then the sinks, then serves, so that a failed start leaves no empty store behind.
    ///
    /// - Parameters:
    ///   - settings: derived from `choices` by the caller, with the defaults of its command.
    ///   - sinks: sinks in addition to the store and the JSON lines of `choices`.
    ///   - devices: receives visits to the gate's own pages.
    /// - Throws: ``CommandFailure``; everything is closed then.
    init(
        _ choices: GateChoices, settings: GateSettings, sinks: [any RecordSink], devices: DeviceMemory = DeviceMemory()
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
                choices, settings, sinks: sinks,
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
        reportPolicyChanges()
        follower?.begin()
    }

    /// Prepares the process before the CA's key is read.
    private static func prepareProcess() {
        // The gate must survive if the reader of --json - closes the pipe.
        signal(SIGPIPE, SIG_IGN)
        DescriptorLimit.raise()
        if !EnvironmentVariables.allowsCoreDumps { CoreDumps.refuse() }
    }

    private static func opening(_ settings: GateSettings) throws(CommandFailure) -> GateOpening {
        do throws(GateError) { return try GateOpening(settings) } catch { throw CommandFailure(opening: error) }
    }

    /// Logs which dictionary is in force and its problems, and passes its name to a shared store.
    private func reportPolicyChanges() {
        gate.whenPolicyChanges { [weak gate, log, policyPath, shared = records.shared] change in
            guard case .inForce(let name) = change, let gate else { return }
            shared?.rename(policy: name)
            guard let problems = GateInterface.Problems(of: gate, policyPath: policyPath) else { return }
            log.warning("\(problems.sentence(about: name))")
        }
    }

    /// The pages under the gate's own name.
    private static func site(of opening: GateOpening, _ settings: GateSettings, _ devices: DeviceMemory) -> OwnSite {
        let listeners = opening.addresses
        return Onboarding(
            certificate: PublicCertificate(opening.authority),
            passthrough: settings.rules.passthrough.compactMap { HostPattern($0) },
            appleServices: settings.rules.appleServices,
            witnessed: settings.isWitness ? settings.witnessedURLs : [], memory: devices
        ) { listeners.flatMap(\.proxies) }.site
    }

    /// The state of the gate for the monitor.
    var signs: GateMonitor.Probes {
        let (gate, archive, shared) = (gate, records.archive, records.shared)
        return GateMonitor.Probes(
            pulse: { timeout in
                let pulse = gate.pulse(within: timeout)
                return GateMonitor.Pulse(
                    silentLoops: pulse.silentLoops, openConnections: pulse.openConnections)
            },
            archive: { archive.figures }, authorityEnd: gate.authority.notAfter,
            spool: { shared?.signs })
    }

    /// The findings of `atsgate lint` in the dictionary in force; nil for none.
    var problems: GateInterface.Problems? { GateInterface.Problems(of: gate, policyPath: policyPath) }

    /// The findings as text for the start; empty for none.
    var problemRemarks: [String] {
        let name = policyPath.map { $0 == "-" ? "standard input" : $0 } ?? ""
        return problems.map { ["warning: " + $0.sentence(about: name)] } ?? []
    }

    /// Closes the archive of a gate that has stopped. Call once.
    func close() -> ArchiveSummary {
        follower?.stop()
        defer { ConsoleWriter.standardError.flush() }
        let summary = records.archive.close()
        LastResort.callOff()
        return summary
    }

    /// Passes the records of all ended loads to the sinks. Blocks: not for loops.
    func flush() {
        // The monitor reports a hanging loop; this continues with the loads of the others.
        _ = gate.settle(within: GateMonitor.timeout)
        records.archive.flush()
    }

    /// The proxy for clients: the first address for HTTP, under a name that other machines can also use. Without one, a
    /// SOCKS5 address in curl's scheme that leaves names to the proxy; empty if clients are only redirected to the
    /// gate.
    var proxyURL: String {
        let addresses = gate.addresses
        if let address = addresses.first(where: { $0.entrance == .proxy }) { return "http://\(address.reachable)" }
        return addresses.first { $0.entrance == .socks }.map { "socks5h://\($0.reachable)" } ?? ""
    }
}

extension CommandFailure {
    /// The reason why a gate could not be opened, with facts about the address.
    init(opening error: GateError) {
        switch error {
        case .listen(let address, .addressInUse):
            self.init(exitCode: error.exitCode, sentence: Self.owner(of: address) ?? error.sentence)
        case .authority(.unwritable):
            self.init(exitCode: error.exitCode, sentence: error.sentence + DataDirectory.advice)
        case .listen(_, .cannotListen(_, errno: EACCES)): self.init(error)
        case .lanNotAllowed(let address), .listen(let address, _):
            self =
                Self.isForeign(address)
                ? .usage("cannot listen on \(address): it is not an address of this machine") : CommandFailure(error)
        case .policy, .trust, .logs, .authority, .clientCertificate, .keyLog, .parentIsGate, .noRedirects,
            .loop, .tls:
            self.init(error)
        }
    }

    /// The error if another gate has the port; nil otherwise.
    private static func owner(of address: String) -> String? {
        guard let place = try? Authority(address[...]), case .gate(_, let policy) = GateProbe.ask(place) else {
            return nil
        }
        let law = policy.map { ", which enforces \($0)" } ?? ""
        return "\(address) is in use by another atsgate\(law), with its page at http://\(place)/: "
            + "choose another port with --listen, or port 0"
    }

    /// True for an IP address that this machine does not have.
    private static func isForeign(_ address: String) -> Bool {
        guard let place = try? Authority(address[...]), let host = IPAddress(place.host) else { return false }
        return !host.isUnspecified && !host.isLoopback && !InterfaceAddresses.current().contains(host)
    }
}
