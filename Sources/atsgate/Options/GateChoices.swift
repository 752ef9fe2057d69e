import ATSPolicy
import ControlPlane
import Dialing
import Foundation
import Logging
import Postgres
import ProxyCore
import ProxyServer
import Records
import Reporting
import Text

/// What `proxy` and `run` were told, by whatever way, over the defaults.
struct GateChoices: Sendable {
    /// What the gate itself is to know.
    var settings = GateSettings()
    /// Addresses to listen on; none for those of the command.
    var listeners: [ListenAddress] = []
    /// Identities that the app's own code insists on, certificates still in their files.
    var pins: [PinnedIdentity] = []
    /// Lists of hosts that go past the parent.
    var bypasses: [BypassList] = []
    /// Hosts that are not decrypted.
    var passthrough: [PassthroughChoice] = []
    /// How long loads in flight may take at the end; nil for the time of the command.
    var drain: Duration?
    /// Where to tell the ports; nil for nowhere.
    var portFile: String?
    /// Where the page is served; nil for the usual place of the command.
    var web: PageChoice?
    /// Where to tell the page's address; nil for nowhere.
    var webURLFile: String?
    /// Where machines may ask how the gate fares; nil for nowhere.
    var metrics: WebAddress?
    /// Where devices of a tunnel ask for names; nil for nowhere.
    var names: WebAddress?
    var allowsWebChangesFromLAN = false
    var allowsPolicyUpload = false
    /// The CA's folder; nil for the data directory.
    var caDirectory: String?
    /// Where records are kept; nil for the data directory.
    var store: StoreChoice?
    /// How long, or how much, the store keeps; nil for everything.
    var keep: Retention?
    /// In bytes: how large what is not shipped may grow.
    var spoolLimit: Int64?
    /// How long the end may wait for a shared store; nil for the usual time.
    var shipTimeout: Duration?
    /// What of hosts and paths is not recorded.
    var masks: [MaskPattern] = []
    /// The file with the key of tokens that several gates share; nil for a key of the store's own.
    var maskKey: String?
    /// The run's name; nil for the time it began.
    var recording: String?
    /// Where to append records as JSON lines.
    var json: String?
    /// Reports to write at the end.
    var reports: [ReportRequest] = []
    /// The configuration file.
    var config: String?
    var verbosity = Verbosity.usual
    /// How much is said of loads; nil for what the command usually says.
    var console: ConsoleStyle?

    /// How long `run` waits: its command is over, so what is still in flight is seldom wanted.
    static let runDrain = Duration.seconds(5)

    var isVerbose: Bool {
        get { verbosity == .verbose }
        set { setVerbosity(.verbose, to: newValue) }
    }

    var isQuiet: Bool {
        get { verbosity == .quiet }
        set { setVerbosity(.quiet, to: newValue) }
    }

    /// The times of a gate that one option sets together.
    var timeouts: TimeoutList {
        get { TimeoutList(of: settings) }
        set { newValue.apply(to: &settings) }
    }

    private mutating func setVerbosity(_ level: Verbosity, to isOn: Bool) {
        if isOn {
            verbosity = level
        } else if verbosity == level {
            verbosity = .usual
        }
    }
}

/// How much is said on standard error.
enum Verbosity: Sendable {
    case quiet, usual, verbose

    /// What of the operational log is shown.
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
    ///   - listener: where to listen when nothing is said.
    ///   - drain: how long to wait for loads in flight when nothing is said.
    /// - Throws: ``CommandFailure`` with 65 when a certificate of `--app-pin` cannot be read.
    func gateSettings(
        listener: ListenAddress = ListenAddress(), drain usualDrain: Duration = GateTimeouts().drain
    ) throws(CommandFailure) -> GateSettings {
        let environment = ProcessInfo.processInfo.environment
        var settings = settings
        settings.listeners = listeners.isEmpty ? [listener] : listeners
        for pin in pins { settings.rules.appTrust.pins.append(try pin.pin()) }
        settings.takePassthrough(passthrough)
        // As curl, the lower-case spelling goes before the other.
        settings.parentBypass = ParentBypass(
            bypasses.map(\.text) + [environment["no_proxy"] ?? environment["NO_PROXY"] ?? ""])
        settings.caDirectory = authorityFolder
        settings.recording = recording ?? Self.name(at: Date())
        settings.timeouts.drain = drain ?? usualDrain
        return settings
    }

    /// Whether something may be served at an address.
    ///
    /// - Throws: ``CommandFailure`` with 64 for one that other machines reach, without `--allow-lan`.
    func checkReach(of address: WebAddress) throws(CommandFailure) {
        guard address.isLoopback || settings.allowsLAN else {
            throw CommandFailure(GateError.lanNotAllowed(address.text))
        }
    }

    /// Directory of the local CA.
    var authorityFolder: String { caDirectory ?? DataDirectory.path }

    /// Path of the store; nil when there is to be none, or it is no file.
    var storePath: String? {
        switch store {
        case nil: DataDirectory.storePath
        case .off, .shared: nil
        case .file(let path): path
        }
    }

    /// What a command reads: a file, or what ``ReadStores`` calls a store that gates share; nil for none.
    var readPath: String? {
        guard case .shared(let address) = store else { return storePath }
        return ReadStores.name(of: address)
    }

    /// Where a gate records: the store, or the spool of a shared one; nil for nowhere.
    var recordsPath: String? {
        guard case .shared(let address) = store else { return storePath }
        return DataDirectory.spoolPath(address.digest)
    }

    /// A run's name: the time in UTC, to the millisecond so that two runs seldom share one, as in
    /// `2026-11-21T01-52-17.250Z`, which needs no quoting in a shell.
    private static func name(at time: Date) -> String {
        time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)).replacing(":", with: "-")
    }
}
