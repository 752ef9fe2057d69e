import ATSPolicy
import ControlPlane
import Declarations
import Diagnosis
import Dialing
import Foundation
import Logging
import Postgres
import ProxyCore
import ProxyServer
import Records
import Reporting
import Text

/// The options of `proxy` and `run` from all sources, with defaults.
struct GateChoices: Sendable {
    /// The settings of the gate itself.
    var settings = GateSettings()
    /// Addresses to listen on; if empty, the command's default.
    var listeners: [ListenAddress] = []
    /// Identities that the app's own code requires, with certificates still in their files.
    var pins: [PinnedIdentity] = []
    /// Lists of hosts that bypass the parent proxy.
    var bypasses: [BypassList] = []
    /// Hosts that are not decrypted.
    var passthrough: [PassthroughChoice] = []
    /// The time limit of loads in flight at the end; nil for the command's default.
    var drain: Duration?
    /// The handling of clients that ATS does not govern; nil for the command's default.
    var outside: OutsideClients?
    /// The file for the ports; nil for none.
    var portFile: String?
    /// The address of the page; nil for the command's default.
    var web: PageChoice?
    /// The file for the page's address; nil for none.
    var webURLFile: String?
    /// The address of the metrics; nil for none.
    var metrics: WebAddress?
    /// The address of the DNS server for devices of a tunnel; nil for none.
    var names: WebAddress?
    var allowsWebChangesFromLAN = false
    var allowsPolicyUpload = false
    /// The CA's folder; nil for the data directory.
    var caDirectory: String?
    /// The store for records; nil for the one in the data directory.
    var store: StoreChoice?
    /// The limit for the age or size of records in the store; nil for none.
    var keep: Retention?
    /// The maximum size of records that are not shipped, in bytes.
    var spoolLimit: Int64?
    /// The time limit for a shared store at the end; nil for the default.
    var shipTimeout: Duration?
    /// The hosts and paths to mask in records.
    var masks: [MaskPattern] = []
    /// The file with the token key that several gates share; nil for the store's own key.
    var maskKey: String?
    /// The name of the recording; nil for the start time.
    var recording: String?
    /// The file for records as JSON lines.
    var json: String?
    /// Reports to write at the end.
    var reports: [ReportRequest] = []
    var verbosity = Verbosity.usual
    /// How loads are printed; nil for the command's default.
    var console: ConsoleStyle?

    /// The drain time of `run`: its command is over, so loads in flight are seldom needed.
    static let runDrain = Duration.seconds(5)

    var isVerbose: Bool { verbosity == .verbose }

    var isQuiet: Bool { verbosity == .quiet }
}

/// How much is printed on standard error.
enum Verbosity: Sendable {
    case quiet, usual, verbose

    /// The lowest level of the operational log that is printed.
    var logLevel: Logger.Level {
        switch self {
        case .verbose: .debug
        case .quiet: .error
        case .usual: .notice
        }
    }
}

extension GateChoices {
    /// The settings of a gate.
    ///
    /// - Parameters:
    ///   - listener: the default address.
    ///   - drain: the default time limit of loads in flight at the end.
    ///   - usualOutside: the default handling of clients that ATS does not govern.
    /// - Throws: ``CommandFailure`` with 65 if a certificate of `--app-pin` cannot be read.
    func gateSettings(
        listener: ListenAddress = ListenAddress(), drain usualDrain: Duration = GateTimeouts().drain,
        outside usualOutside: OutsideClients = .pass
    ) throws(CommandFailure) -> GateSettings {
        let environment = ProcessInfo.processInfo.environment
        var settings = settings
        settings.listeners = listeners.isEmpty ? [listener] : listeners
        for pin in pins { settings.rules.appTrust.pins.append(try pin.pin()) }
        settings.takePassthrough(passthrough)
        // Like curl, prefers the lower-case spelling.
        settings.parentBypass = ParentBypass(
            bypasses.map(\.text) + [environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""])
        settings.caDirectory = authorityFolder
        settings.recording = recording ?? RecordingName.usual(for: settings.policyPath, at: Date())
        settings.timeouts.drain = drain ?? usualDrain
        settings.rules.clients.outside = outside ?? usualOutside
        return settings
    }

    /// Checks that an address may be served.
    ///
    /// - Throws: ``CommandFailure`` with 64 if other machines can reach it, without `--allow-lan`.
    func checkReach(of address: WebAddress) throws(CommandFailure) {
        guard address.isLoopback || settings.allowsLAN else {
            throw CommandFailure(GateError.lanNotAllowed(address.text))
        }
    }

    /// Directory of the local CA.
    var authorityFolder: String { caDirectory ?? DataDirectory.path }

    /// Path of the store; nil if there is none, or it is not a file.
    var storePath: String? {
        switch store {
        case nil: DataDirectory.storePath
        case .off, .shared: nil
        case .file(let path): path
        }
    }

    /// The store to read: a file, or the ``ReadStores`` name of a shared store; nil for none.
    var readPath: String? {
        guard case .shared(let address) = store else { return storePath }
        return ReadStores.name(of: address)
    }

    /// The file that a gate records into: the store, or the spool of a shared one; nil for none.
    var recordsPath: String? {
        guard case .shared(let address) = store else { return storePath }
        return DataDirectory.spoolPath(address.digest)
    }

    /// The release for a dictionary, and remarks if it was guessed.
    func system(for declaration: Declaration) -> (profile: OSProfile, remarks: [String]) {
        if let profile = settings.profile { return (profile, []) }
        guard let guess = OSProfile.guess(declaration: declaration) else {
            return (.newest, ["note: no release is known; assuming \(OSProfile.newest.title), the newest"])
        }
        let first = "note: assuming \(guess.profile.title), by \(guess.evidence)"
        return (guess.profile, [first] + guess.notes.map { "note: " + $0 })
    }

    /// Reads the dictionary.
    ///
    /// - Throws: ``CommandFailure`` with 65; for a shared store, as ``StorePolicy/read(timeout:)``.
    func declaration() throws(CommandFailure) -> Declaration { try dictionary().declaration }

    /// Reads the dictionary, and the text of its file; nil for a binary property list and without a file.
    func dictionary() throws(CommandFailure) -> (declaration: Declaration, text: String?) {
        guard let policy = settings.policyPath else { return (.secureDefaults, nil) }
        if let stored = try StorePolicy(self) {
            let declaration = try stored.read().1
            return (declaration, declaration.source.flatMap(StorePolicy.text))
        }
        do throws(DeclarationError) {
            let loaded = try DeclarationReader.readMain(path: policy)
            return (loaded.declaration, loaded.text)
        } catch {
            throw .badInput("\(error)")
        }
    }

    /// The decisions of the app's own code about certificates.
    ///
    /// - Throws: ``CommandFailure`` with 65 for a certificate of `--app-pin` that cannot be read.
    func appTrust() throws(CommandFailure) -> AppTrust {
        var trust = settings.rules.appTrust
        for pin in pins { trust.pins.append(try pin.pin()) }
        return trust
    }

    /// Remarks on the dictionary and on releases for the start of a gate.
    func remarks(on declaration: Declaration) -> [String] {
        guard settings.profile == nil else { return declaration.remarks }
        let guess = OSProfile.guess(declaration: declaration)
        let usual = guess.map { "\($0.profile.title), by \($0.evidence)" } ?? "\(OSProfile.newest.title), the newest"
        return declaration.remarks + ["note: clients whose User-Agent shows no release are judged as \(usual)"]
            + (guess?.notes ?? []).map { "note: \($0)" }
    }
}

extension Declaration {
    /// One line, fit for a terminal, for each finding of `atsgate lint`, and for other remarks.
    var remarks: [String] { remarks(linted(at: source)) }

    func remarks(_ file: LintedFile) -> [String] {
        let place = source.map { $0 == "-" ? "standard input" : $0 } ?? "policy"
        let lines =
            file.problems.map { "\($0.severity.rawValue): \(place): \($0.remark)" }
            + notes.map { "note: \(place): \($0)" }
        return lines.map(\.printable)
    }
}

extension GateOptionGroup {
    /// The defaults, changed by these options.
    var choices: GateChoices { GateChoices(self) }
}

extension GateChoices {
    /// The defaults, changed by some options.
    init(_ groups: any GateOptionGroup...) {
        self.init()
        for group in groups { group.apply(to: &self) }
    }
}
