import ArgumentParser
import Dispatch
import Foundation
import Lab
import NetLoop
import Text

/// Runs the flawed origins until SIGINT or SIGTERM.
struct LabCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lab",
        abstract: "Runs test servers that each break one rule.",
        discussion: """
            The names end in .lab.test and are not in DNS. Reach them through a gate:
              atsgate lab --write-config lab.conf
              atsgate proxy --config lab.conf
            Runs until SIGINT or SIGTERM. Certificates are new at each start.
            """)

    @Flag(
        help: ArgumentHelp(
            "Print the table as JSON: name, port, flaw, expected verdict, rule and Apple codes of each server.",
            discussion: "If the answer differs by release, `expectations` contains it for each one."))
    var json = false

    @Flag(
        help: "Open every server: one per cipher suite, key, lifetime and alert, and the eighteen basic ones.")
    var all = false

    @Option(help: ArgumentHelp("Write the lab's root certificate to this file.", valueName: "path"))
    var root: String?

    @Option(
        help: ArgumentHelp(
            "Write the list of the lab's transparency logs to this file, for --ct-logs of proxy and run.",
            valueName: "path"))
    var ctLogs: String?

    @Option(
        help: ArgumentHelp(
            "Write a configuration file for proxy --config, once all ports are open.",
            discussion: """
                It redirects the names to the servers and trusts their root. Without --root, the root goes to \
                PATH.pem; without --ct-logs, the list of logs goes to PATH.logs.json.
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
            # The servers of `atsgate lab`, process \(ProcessInfo.processInfo.processIdentifier): valid until it ends.
            roots = \(path)
            # Remove the # to verify transparency timestamps; loads without valid ones are then blocked.
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
        if let logsPath { text += "To verify transparency timestamps:\n  --ct-logs \(logsPath.shellWord)\n" }
        if rootPath == nil { text += "To get the root certificate of the servers: --root PATH\n" }
        return text + "Running until SIGINT or SIGTERM.\n"
    }
}

extension CommandFailure {
    /// 74 if a file could not be written, 69 if a port could not be opened.
    init(_ error: LabError) {
        switch error {
        case .certificate(let error): self = .unexpected("could not create a certificate for the lab: \(error)")
        case .tls(let error): self = .unexpected("could not set up TLS: \(error)")
        case .net(let error): self.init(exitCode: 69, sentence: "could not open the lab's ports: \(error)")
        case .unwritable(let path, let code):
            self = .output("\(path) cannot be written: \(SystemWords.error(code))")
        }
    }
}
