import ArgumentParser
import Dispatch
import Foundation
import Lab
import NetLoop
import Text

/// Runs the flawed origins until it is told to stop.
struct LabCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lab",
        abstract: "Runs local origins that each break exactly one rule, to try the gate and its answers on.",
        discussion: """
            The names end in .lab.test and exist in no DNS. Reach them through a gate:
              atsgate lab --write-config lab.conf
              atsgate proxy --config lab.conf
            Runs until SIGINT or SIGTERM. Certificates are made anew at each start.
            """)

    @Flag(
        help: ArgumentHelp(
            "Print the table as JSON: name, port, flaw, expected verdict, rule and Apple codes of each origin.",
            discussion: "Where the answer differs by system, `expectations` has it for each profile."))
    var json = false

    @Flag(
        help: "Open every origin: one for each cipher suite, key, lifetime and alert besides the eighteen basic ones.")
    var all = false

    @Option(help: ArgumentHelp("Write the lab's root certificate here.", valueName: "path"))
    var root: String?

    @Option(
        help: ArgumentHelp(
            "Write the list of the lab's own transparency logs here, for --ct-logs of proxy and run.",
            valueName: "path"))
    var ctLogs: String?

    @Option(
        help: ArgumentHelp(
            "Write a configuration file for proxy --config here, once all ports are open.",
            discussion: """
                It leads to the origins and makes their root believed; without --root that goes to PATH.pem, and \
                without --ct-logs the list of logs to PATH.logs.json.
                """,
            valueName: "path"))
    var writeConfig: String?

    func run() throws {
        let stop = DispatchSemaphore(value: 0)
        let signals = SignalWatcher([SIGINT, SIGTERM]) { _ in stop.signal() }
        let lab: Lab
        do throws(LabError) {
            lab = try Lab(now: Int64(Date().timeIntervalSince1970), extent: all ? .full : .basic)
            if let path = rootPath { try lab.writeRoot(to: path) }
            if let path = logsPath { try lab.writeLogs(to: path) }
        } catch {
            throw CommandFailure(error)
        }
        try show(lab)
        if let writeConfig { try WholeFile.write(configuration(of: lab), to: writeConfig) }
        if !json { StandardError.write(hints(for: lab)) }
        stop.wait()
        signals.stop()
        lab.stop()
    }

    private var rootPath: String? { root ?? writeConfig.map { $0 + ".pem" } }

    private var logsPath: String? {
        (ctLogs ?? writeConfig.map { $0 + ".logs.json" }).map { URL(fileURLWithPath: $0).path }
    }

    private func show(_ lab: Lab) throws {
        try Output.withOutput(to: nil) { try $0.write(Array((json ? lab.json(logList: logsPath) : lab.table).utf8)) }
    }

    private func configuration(of lab: Lab) -> String {
        let path = URL(fileURLWithPath: rootPath ?? "").path
        let lines = lab.origins.map { "connect-to = \($0.connectTo)" }
        return """
            # The origins of `atsgate lab`, process \(ProcessInfo.processInfo.processIdentifier): good until it ends.
            roots = \(path)
            # Take the # away to have transparency timestamps verified: what lacks them is refused then.
            #ct-logs = \(logsPath ?? "")
            \(lines.joined(separator: "\n"))

            """
    }

    private func hints(for lab: Lab) -> String {
        var text = "\nFor a gate:\n"
        if let writeConfig {
            text += "  --config \(writeConfig.shellWord)\n"
        } else {
            let root = rootPath.map { " --roots \($0.shellWord)" } ?? ""
            let places = lab.origins.map { "  --connect-to \($0.connectTo)" }
            text += places.joined(separator: " \\\n") + (root.isEmpty ? "" : " \\\n " + root) + "\n"
        }
        if let logsPath { text += "To have transparency timestamps verified:\n  --ct-logs \(logsPath.shellWord)\n" }
        if rootPath == nil { text += "Give --root PATH for the root certificate that the origins want believed.\n" }
        return text + "Running until SIGINT or SIGTERM.\n"
    }
}

extension CommandFailure {
    /// 74 where a file could not be written, 69 where no port could be had.
    init(_ error: LabError) {
        switch error {
        case .certificate(let error): self = .unexpected("a certificate of the lab could not be made: \(error)")
        case .tls(let error): self = .unexpected("TLS could not be set up: \(error)")
        case .net(let error): self.init(exitCode: 69, sentence: "the lab's ports could not be opened: \(error)")
        case .unwritable(let path, let code):
            self = .output("\(path) cannot be written: \(SystemWords.error(code))")
        }
    }
}
