import ArgumentParser
import Dispatch
import Foundation
import Logging
import NetLoop
import ProxyServer
import Reporting
import Synchronization

/// Runs the gate until it is told to stop.
struct ProxyCommand: ConfigurableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Runs the gate: the proxy to point simulators, devices and commands at.",
        discussion: """
            SIGHUP, or a change of the policy file, makes it read policy and roots again; a broken file keeps the old \
            ones. SIGTERM and SIGINT let loads in flight finish (--drain); a second one stops at once.

            Exit code: 0, or 74 when records could not be kept.
            """)

    @OptionGroup var gate: GateOptions

    func run() throws {
        let settings = try gate.settings(
            recording: gate.files.recordingName(now: Date()), listenDefault: ListenAddress(),
            drainDefault: GateTimeouts().drain)
        if let path = gate.listening.portFile { WholeFile.forget(path) }
        let open = try OpenGate(gate, settings: settings, sinks: consoleSinks)
        let ended = DispatchSemaphore(value: 0)
        let signals = watchSignals(open, drain: settings.timeouts.drain, ended: ended)
        announce(open, settings: settings)
        do {
            if let path = gate.listening.portFile { try writePorts(of: open.gate, to: path) }
        } catch {
            open.gate.stop()
            _ = open.close()
            throw error
        }
        ended.wait()
        signals.stop()
        let summary = open.close()
        if gate.verbosity != .quiet || !summary.isComplete {
            StandardError.write(summary.notice(recording: open.recording, storePath: open.storePath))
        }
        guard summary.isComplete else { throw ExitCode(74) }
    }

    private var consoleSinks: [any RecordSink] {
        guard gate.verbosity != .quiet else { return [] }
        return [ConsoleSink(isVerbose: gate.verbosity == .verbose, isColoured: wantsColour(on: STDERR_FILENO))]
    }

    private func announce(_ open: OpenGate, settings: GateSettings) {
        guard gate.verbosity != .quiet else { return }
        let notice = StartNotice(open: open, settings: settings, remarks: gate.remarks(on: open.declaration))
        StandardError.write(notice.text)
    }

    private func writePorts(of gate: Gate, to path: String) throws {
        try WholeFile.write(gate.addresses.map { "\($0.port)\n" }.joined(), to: path)
    }

    /// Source of the manners: design, section 4.
    private func watchSignals(_ open: OpenGate, drain: Duration, ended: DispatchSemaphore) -> SignalWatcher {
        let isDraining = Mutex(false)
        return SignalWatcher([SIGHUP, SIGTERM, SIGINT]) { signal in
            guard signal != SIGHUP else { return open.gate.reload() }
            let isSecond = isDraining.withLock { draining in
                defer { draining = true }
                return draining
            }
            if isSecond {
                LastResort.arm(after: LastResort.grace)
                open.log.notice("stopping at once")
                open.gate.stop()
                ended.signal()
            } else {
                LastResort.arm(after: drain + LastResort.grace)
                open.log.notice("finishing loads in flight; once more to stop at once")
                open.gate.drain { ended.signal() }
            }
        }
    }
}
