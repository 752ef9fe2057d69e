import ATSPolicy
public import ArgumentParser
import Diagnosis
import Foundation
public import Probe
import ProxyCore
import ProxyServer
import Records
import Reporting

/// Shakes hands with origins as a device would.
struct ProbeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Shakes hands with origins as a device would: verdict, chain, Apple's codes, the smallest fix.",
        discussion: """
            A target is a URL, or a host with or without a port, which is asked by https. An http URL is ruled on \
            without any connection. What an exception would change is tried by a second handshake before it is \
            printed.

            Exit code: 0 when every target passes, 1 when one fails, 2 when one was not reached and none fails; with \
            --exceptions 0 when every entry is needed, 1 when one can be taken out or cut, 2 when one can not be \
            decided; 3 when there is nothing to probe, 64 for a wrong command line, 65 for a file that can not be read.
            """)

    @OptionGroup var choices: DeclaredOptions<ProbeCatalogue>

    @Option(
        name: .customLong("os"),
        help: ArgumentHelp("The system to behave like. (default: the newest; repeatable)", valueName: "profile"),
        completion: ShellCompletion.systems.completion)
    var systems: [String] = []

    @Flag(name: .customLong("all-os"), help: "One row for every release. --os is ignored.")
    var allSystems = false

    @Flag(help: "The tests of nscurl --ats-diagnostics, in its order and words, with their results.")
    var matrix = false

    @Flag(
        help: ArgumentHelp(
            "Ask for each entry of the dictionary whether its host still needs it.",
            discussion: """
                Targets are other hosts that the app loads from: they show which subdomains and address ranges are \
                needed. Standard output gets the dictionary without what nothing needs, standard error a line for \
                each entry.
                """))
    var exceptions = false

    @Flag(
        help: ArgumentHelp(
            "All that was seen, the device's own lines, and what to write into the server's configuration.",
            discussion: "With --matrix, also the dictionaries and errors."))
    var verbose = false

    @Option(
        help: ArgumentHelp(
            "Add what to write into the configuration of this server: \(ServerArgument.list).", valueName: "name"))
    var server: ServerArgument?

    @Option(help: ArgumentHelp("Targets from a file, one a line; - for standard input.", valueName: "path"))
    var input: String?

    @Option(
        help: ArgumentHelp("Every host of this recording.", valueName: "name"),
        completion: ShellCompletion.recordings.completion)
    var recording: [String] = []

    @Option(help: ArgumentHelp("How many targets to probe at a time.", valueName: "count"))
    var jobs = 8

    @Option(help: ArgumentHelp("For connecting, and again for a handshake: 500ms, 5s, 2m.", valueName: "time"))
    var timeout = TimeSpan(.seconds(10))

    @Option(help: ArgumentHelp("Which addresses of a name to try: all, or the first that answers.", valueName: "which"))
    var addresses = AddressChoice.all

    @Option(
        help: ArgumentHelp(
            "How results are written. json has one object for each target and system, and line.", valueName: "format"))
    var format: ProbeFormat = .text

    @Flag(help: "The same as --format json.")
    var json = false

    @OptionGroup var baseline: BaselineOptions

    @Argument(help: ArgumentHelp("URLs, or hosts with or without a port.", valueName: "target"))
    var targets: [String] = []

    func validate() throws {
        try RecordingChoice.checkOne(recording)
        guard 1...Self.mostJobs ~= jobs else { throw ValidationError("--jobs is from 1 to \(Self.mostJobs)") }
        guard !(matrix && exceptions) else { throw ValidationError("Of --matrix and --exceptions, one will do.") }
        guard !exceptions || !allSystems && systems.count < 2 else {
            throw ValidationError("--exceptions is for one system.")
        }
        guard !(matrix || exceptions) || form == .text || form == .json else {
            throw ValidationError("--matrix and --exceptions are written as text or json.")
        }
        guard !(matrix || exceptions) || !baseline.isAsked else {
            throw ValidationError("A baseline is of hosts and rules: leave --matrix and --exceptions out.")
        }
    }

    func run() throws {
        let choices = try choices.choices()
        let declaration = try choices.declaration()
        declaration.remarks.forEach(StandardError.say)
        var input = ProbeInput()
        for text in targets { try input.add(text) }
        if let path = self.input { try input.addList(at: path) }
        if let recording = recording.first { try input.addRecording(recording, of: choices) }
        guard exceptions || !input.targets.isEmpty else {
            throw CommandFailure.nothing("name a URL or a host, or a list of them with --input")
        }
        let run = ProbeRun(
            prober: try choices.prober(timeout: timeout.duration, addresses: addresses),
            judges: try profiles(choices, declaration).map {
                Judge(declaration: declaration, profile: $0, switches: choices.settings.switches)
            },
            loader: choices.settings.rules.clients.loader ?? .app, targets: input.targets, jobs: jobs)
        defer { run.prober.stop() }
        let status = try perform(run)
        guard status == 0 else { throw ExitCode(status) }
    }

    private func perform(_ run: ProbeRun) throws -> Int32 {
        if exceptions { return try run.reviewExceptions(asJSON: form == .json) }
        if matrix { return try run.runMatrix(asJSON: form == .json, isVerbose: verbose) }
        let rules = try baseline.rules(failOn: .blocked)
        let results = try run.probe(
            as: form, inRows: allSystems || systems.count > 1, style: style, by: rules)
        // A baseline lists what fails, whatever a recording calls it.
        let outcomes = results.filter { $0.verdict == .fail }.map {
            HostOutcome(host: $0.target.target.host, rule: $0.rule?.rawValue, verdict: .blocked, loads: 1)
        }
        try baseline.settle(outcomes, by: rules)
        return ProbeRun.status(
            of: results.filter {
                $0.verdict != .fail || !rules.knows(host: $0.target.target.host, rule: $0.rule?.rawValue)
            })
    }

    private var style: ProbeStyle {
        let terminal = ConsoleTerminal(.standardError, descriptor: STDOUT_FILENO)
        return ProbeStyle(
            isVerbose: verbose, server: server?.server, isColoured: terminal.isColoured, width: terminal.width)
    }

    private var form: ProbeFormat { json ? .json : format }

    private func profiles(_ choices: GateChoices, _ declaration: Declaration) throws -> [OSProfile] {
        if allSystems { return OSProfile.all }
        guard systems.isEmpty else { return try systems.map(OSProfile.init(argument:)) }
        let (profile, remarks) = choices.system(for: declaration)
        remarks.forEach(StandardError.say)
        return [profile]
    }

    private static let mostJobs = 256
}

/// A server that a change can be told for, by one word of its name.
struct ServerArgument: ExpressibleByArgument {
    /// As its changes name it.
    let server: String

    init?(argument: String) {
        guard let server = ServerChange.servers.first(where: { Self.word(of: $0) == argument.lowercased() }) else {
            return nil
        }
        self.server = server
    }

    static var allValueStrings: [String] { ServerChange.servers.map(word) }
    static var list: String { allValueStrings.joined(separator: ", ") }

    /// `alb` for `AWS ALB`.
    private static func word(of server: String) -> String {
        server.split(separator: " ").last.map { $0.lowercased() } ?? server
    }
}

extension AddressChoice: ExpressibleByArgument {}
extension ProbeFormat: ExpressibleByArgument {}

extension TimeSpan: ExpressibleByArgument {
    init?(argument: String) {
        guard let span = try? TimeSpan(argument) else { return nil }
        self = span
    }

    var defaultValueDescription: String { text }
}
