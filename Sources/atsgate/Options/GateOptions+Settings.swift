import ATSPolicy
import Foundation
import Logging
import ProxyServer
import Text

extension GateOptions {
    /// The one place where options become the settings of a gate.
    ///
    /// - Parameters:
    ///   - listenDefault: where to listen when nothing is said.
    ///   - drainDefault: how long to wait for loads in flight when nothing is said.
    /// - Throws: ``CommandFailure`` with 65 when a certificate of `--app-pin` cannot be read.
    func settings(
        recording: String, listenDefault: ListenAddress, drainDefault: Duration
    ) throws(CommandFailure) -> GateSettings {
        var settings = GateSettings()
        settings.listeners = listening.listen.isEmpty ? [listenDefault] : listening.listen
        settings.allowsLAN = listening.allowLan
        settings.policyPath = law.policy
        settings.profile = law.system == .auto ? nil : law.os
        settings.switches = law.readings.switches
        settings.assumedLoader = law.assume?.loader
        settings.appTrust = try enforcement.app.trust()
        settings.mode = enforcement.mode
        settings.refusal = enforcement.refuse
        settings.passthrough = enforcement.passthrough.map(\.text)
        settings.otherUpgrades = enforcement.otherUpgrades
        settings.connectTo = origins.connectTo
        settings.parent = try? origins.parent.proxy()
        settings.parentBypass = origins.parent.bypass(environment: ProcessInfo.processInfo.environment)
        settings.clientCertificates = origins.clientCert
        settings.keepsAltSvc = origins.keepAltSvc
        settings.keyLogPath = files.keylog
        settings.roots = origins.roots
        settings.extraCAs = origins.extraCa
        settings.ctLogs = origins.ctLogs
        settings.caDirectory = files.caDirectory
        settings.recording = recording
        settings.timeouts.drain = origins.drain?.duration ?? drainDefault
        for list in origins.timeout { list.apply(to: &settings) }
        return settings
    }

    /// What is to be said about policy and systems when a gate starts.
    func remarks(on declaration: Declaration) -> [String] {
        guard law.system == .auto else { return declaration.remarks }
        let guess = OSProfile.guess(declaration: declaration)
        let usual = guess.map { "\($0.profile.title), by \($0.evidence)" } ?? "\(OSProfile.newest.title), the newest"
        return declaration.remarks + ["note: clients whose User-Agent tells no system are taken for \(usual)"]
            + (guess?.notes ?? []).map { "note: \($0)" }
    }

    /// What of the operational log is shown.
    var logLevel: Logger.Level {
        switch verbosity {
        case .verbose: .debug
        case .quiet: .error
        case nil: .notice
        }
    }
}

extension FileOptions {
    /// Directory of the local CA.
    var caDirectory: String { caDir ?? DataDirectory.path }

    /// Path of the store; nil when there is to be none.
    var storePath: String? {
        switch store {
        case nil: DataDirectory.storePath
        case .off: nil
        case .file(let path): path
        }
    }

    /// The run's name: as given, or the time in UTC, to the millisecond so that two runs seldom share one.
    func recordingName(now: Date) -> String {
        recording ?? now.formatted(Self.nameStyle).replacing(":", with: "-")
    }

    /// As in `2026-11-21T01-52-17.250Z`: a name that needs no quoting in a shell.
    private static let nameStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}
