import ATSPolicy
public import ArgumentParser
import Diagnosis
import Foundation
import NetLoop
public import Probe
import ProxyCore
import ProxyServer
import Records
import Reporting

/// Tests servers with the TLS handshake of a device.
struct ProbeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Tests servers as an iPhone would, prints the fix.",
        discussion: """
            A target is a URL, or a host with or without a port, which is probed over https. An http URL gets its \
            ruling without a connection. The effect of an exception is tested with a second handshake before it is \
            printed.

            Exit code: 0 when every target is allowed, 1 when one is blocked or failed, 2 when one was not reached and \
            the others are allowed; with --exceptions: 0 when every entry is needed, 1 when one can be removed or \
            reduced, 2 when one cannot be decided; 3 when there is nothing to probe, 64 for a wrong command line, 65 \
            for a file that cannot be read, or a bad line or entry in it.
            """)

    @OptionGroup(title: .inFullHelp("Dictionary, release and connections")) var policy: PolicyOption
    @OptionGroup(title: .inFullHelp("Dictionary, release and connections")) var loader: LoaderOption
    @OptionGroup(title: .inFullHelp("Dictionary, release and connections")) var servers: ServerOptions
    @OptionGroup(title: .inFullHelp("Dictionary, release and connections")) var appTrust: AppTrustOptions
    @OptionGroup(title: .inFullHelp("Dictionary, release and connections"), visibility: .seldom) var store: StoreOption
    @OptionGroup(title: .inFullHelp("Dictionary, release and connections")) var configuration: ConfigurationOption
    @OptionGroup(title: .inFullHelp("Readings of the rules")) var readings: ReadingOptions

    @Option(
        name: .customLong("os"),
        help: ArgumentHelp(SystemOption.summary, discussion: "Repeatable.", valueName: "profile"),
        completion: ShellCompletion.systems.completion)
    var systems: [String] = []

    @Flag(name: .customLong("all-os"), help: "Print one row for every release. --os is ignored.")
    var allSystems = false

    @Flag(help: "Run the tests of nscurl --ats-diagnostics.")
    var matrix = false

    @Flag(help: "Print the lines of nscurl --tls-diagnostics.")
    var tlsDiagnostics = false

    @Flag(
        help: ArgumentHelp(
            "Check for each entry of the dictionary whether its host still needs it.",
            discussion: """
                Targets are other hosts that the app loads from: they show which subdomains and address ranges are \
                needed. Standard output is the dictionary without unneeded entries, standard error has a line for each \
                entry.
                """))
    var exceptions = false

    @Flag(
        help: ArgumentHelp(
            "Print all observed facts and the server's settings.",
            discussion: "Also the device's own lines; with --matrix, the dictionaries and errors."))
    var verbose = false

    @Option(help: ArgumentHelp("Add settings for this server.", valueName: "name"))
    var server: ServerArgument?

    @Flag(
        help: ArgumentHelp("Print the exception as commands of PlistBuddy instead of XML.", visibility: .seldom))
    var plistbuddy = false

    @Option(
        help: ArgumentHelp(
            "Read targets from a list or a HAR file.", discussion: "One per line; - for standard input.",
            valueName: "path"))
    var input: String?

    @Option(
        help: ArgumentHelp("Probe every host of this recording.", valueName: "name", visibility: .seldom),
        completion: ShellCompletion.recordings.completion)
    var recording: [String] = []

    @Option(help: ArgumentHelp("How many targets to probe at a time.", valueName: "count", visibility: .seldom))
    var jobs = 8

    @Option(
        help: ArgumentHelp(
            "Limit for connecting, and again for a handshake: 500ms, 5s, 2m.", valueName: "time", visibility: .seldom),
        transform: { try TimeSpan($0) })
    var timeout = TimeSpan(.seconds(10))

    @Option(
        help: ArgumentHelp(
            "Which addresses of a name to try: all, or the first that answers.", valueName: "which", visibility: .seldom
        ))
    var addresses = AddressChoice.all

    @Option(
        help: ArgumentHelp(
            "The output format.", discussion: "json has one object for each target and release, one per line.",
            valueName: "format"))
    var format: ProbeFormat = .text

    @Flag(help: "Same as --format json.")
    var json = false

    @Option(
        help: ArgumentHelp("Write to a file instead of standard output.", valueName: "path", visibility: .seldom))
    var output: String?

    @Flag(name: .shortAndLong, help: "Print nothing about allowed targets. For text.")
    var quiet = false

    @OptionGroup var baseline: BaselineOptions

    @Argument(help: ArgumentHelp("URLs, or hosts with or without a port.", valueName: "target"))
    var targets: [String] = []

    func validate() throws {
        try RecordingChoice.checkOne(recording)
        guard 1...Self.mostJobs ~= jobs else { throw ValidationError("--jobs must be from 1 to \(Self.mostJobs)") }
        guard !(matrix && exceptions) else { throw ValidationError("--matrix and --exceptions cannot be combined.") }
        guard !tlsDiagnostics || !(matrix || exceptions || json) && format == .text && !baseline.isGiven else {
            throw ValidationError("--tls-diagnostics cannot be combined with other forms of output.")
        }
        guard !exceptions || !allSystems && systems.count < 2 else {
            throw ValidationError("--exceptions works with one release only.")
        }
        guard !(matrix || exceptions) || form == .text || form == .json else {
            throw ValidationError("--matrix and --exceptions can be written only as text or json.")
        }
        guard !(matrix || exceptions) || !baseline.isGiven else {
            throw ValidationError("A baseline cannot be combined with --matrix or --exceptions.")
        }
    }

    func run() throws {
        let choices = GateChoices(policy, loader, servers, appTrust, store, readings)
        let declaration = try choices.declaration()
        declaration.remarks.forEach(StandardError.writeLine)
        var input = ProbeInput()
        for text in targets { try input.add(text) }
        if let path = self.input { try input.addFile(at: path) }
        if let recording = recording.first { try input.addRecording(recording, of: choices) }
        guard exceptions || !input.targets.isEmpty else {
            throw CommandFailure.nothing("name a URL or a host, or a list of them with --input")
        }
        if let output { try Output.check(output) }
        let prober = try choices.prober(timeout: timeout.duration, addresses: addresses)
        defer { prober.stop() }
        let judges = try profiles(choices, declaration).map {
            Judge(declaration: declaration, profile: $0, switches: choices.settings.switches)
        }
        var status: Int32 = 0
        try Output.withOutput(to: output) { output in
            status = try perform(
                ProbeRun(
                    prober: prober, judges: judges, loader: choices.settings.rules.clients.loader ?? .app,
                    targets: input.targets, jobs: jobs, output: output))
        }
        guard status == 0 else { throw ExitCode(status) }
    }

    private func perform(_ run: ProbeRun) throws -> Int32 {
        if exceptions { return try run.reviewExceptions(asJSON: form == .json) }
        if tlsDiagnostics { return try run.runDiagnostics() }
        if matrix { return try run.runMatrix(asJSON: form == .json, isVerbose: verbose) }
        let rules = try baseline.rules(failOn: .blocked)
        let results = try run.probe(
            as: form, inRows: allSystems || systems.count > 1, style: style(on: run.output), by: rules)
        // A baseline lists all failures alike, whichever verdict a recording has for them.
        let outcomes = results.filter { $0.verdict == .fail || $0.verdict == .pass }.map {
            HostOutcome(
                host: $0.target.target.host, rule: $0.rule?.rawValue,
                verdict: $0.verdict == .fail ? .blocked : .allowed,
                loads: 1)
        }
        try baseline.settle(outcomes, by: rules)
        return ProbeRun.status(
            of: results.filter {
                $0.verdict != .fail || !rules.knows(host: $0.target.target.host, rule: $0.rule?.rawValue)
            })
    }

    private func style(on output: Output) -> ProbeStyle {
        let terminal = ConsoleTerminal(.standardError, descriptor: output.descriptor)
        var style = ProbeStyle(
            isVerbose: verbose, server: server?.server, showsCommands: plistbuddy, isColoured: terminal.isColoured,
            width: terminal.width)
        style.isQuiet = quiet
        return style
    }

    private var form: ProbeFormat { json ? .json : format }

    private func profiles(_ choices: GateChoices, _ declaration: Declaration) throws -> [OSProfile] {
        if allSystems { return OSProfile.all }
        // A gate's file may contain os = auto.
        guard systems.isEmpty || systems == ["auto"] else { return try systems.map(OSProfile.init(argument:)) }
        let (profile, remarks) = choices.system(for: declaration)
        remarks.forEach(StandardError.writeLine)
        return [profile]
    }

    private static let mostJobs = 256
}

/// A kind of server that has a ``ServerChange``, given by one word of its name.
struct ServerArgument: ExpressibleByArgument {
    /// The name in ``ServerChange``.
    let server: String

    init?(argument: String) {
        guard let server = ServerChange.servers.first(where: { Self.word(of: $0) == argument.lowercased() }) else {
            return nil
        }
        self.server = server
    }

    static var allValueStrings: [String] { ServerChange.servers.map(word) }

    /// `alb` for `AWS ALB`.
    private static func word(of server: String) -> String {
        server.split(separator: " ").last.map { $0.lowercased() } ?? server
    }
}

extension AddressChoice: ExpressibleByArgument {}
extension ProbeFormat: ExpressibleByArgument {}

extension GateChoices {
    /// The prober for these options.
    ///
    /// - Throws: ``CommandFailure`` with 65 for a file that cannot be read.
    func prober(timeout: Duration, addresses: AddressChoice) throws(CommandFailure) -> Prober {
        let settings = try gateSettings()
        do throws(GateError) {
            var probing = ProbeSettings(trust: try settings.readTrust())
            let identities = try settings.readIdentities()
            probing.identity = { identities.identity(for: $0) }
            probing.planner = settings.dialPlanner
            probing.appTrust = settings.rules.appTrust
            probing.decrypted = settings.rules.decrypted
            probing.timeout = timeout
            probing.addresses = addresses
            return try Self.open(probing)
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func open(_ settings: ProbeSettings) throws(GateError) -> Prober {
        do throws(NetError) {
            return try Prober(settings)
        } catch {
            throw .loop(error)
        }
    }
}
