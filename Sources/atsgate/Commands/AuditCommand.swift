import ATSPolicy
public import ArgumentParser
public import Audit
import Diagnosis
import Foundation
import Records
import Text

/// The transport security of an app, and the hosts in its files.
struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Prints an app's transport security and its hosts.",
        discussion: """
            PATH is an .app, .appex, .ipa or .xcarchive, a zip archive of one of these, or an Info.plist. \
            `explain audit` prints more.

            Exit code: 0; 1 for findings or low coverage; 65 when PATH cannot be read.
            """)

    @Option(
        name: .customLong("os"),
        help: ArgumentHelp(
            "The release that judges. (default: the newest)", valueName: "profile"),
        completion: ShellCompletion.systems.completion)
    var system: String?

    @Option(help: ArgumentHelp("The format of the page.", valueName: "format"))
    var format: AuditFormat = .text

    @Flag(help: .sameAsJSON)
    var json = false

    @OptionGroup var results: ResultOptions

    @Option(help: ArgumentHelp("The lowest severity that counts as a failure.", valueName: "severity"))
    var failOn: LintThreshold = .error

    @Option(
        help: ArgumentHelp("Compare with the hosts of this recording.", valueName: "name"),
        completion: ShellCompletion.recordings.completion)
    var recording: String?

    @Option(help: ArgumentHelp("Fail below this share of loaded hosts.", valueName: "percent"))
    var minCoverage: Int?

    @Flag(help: "Test each https host with a device's handshake.")
    var probe = false

    @Option(help: ArgumentHelp("Test at most this number of hosts.", valueName: "count"))
    var probeLimit = 50

    @Option(
        help: ArgumentHelp("Limit for connecting, and for TLS: 500ms, 5s, 2m.", valueName: "time"),
        transform: { try TimeSpan($0) })
    var timeout = TimeSpan(.seconds(5))

    @Option(help: ArgumentHelp("Compare with an older build of the app.", valueName: "path"))
    var diff: String?

    @Flag(
        name: .customLong("since-sdk"), help: "List the templates and SDKs that write each key.")
    var sinceSDK = false

    @OptionGroup(title: .inFullHelp("Recordings and connections"), visibility: .seldom) var loader: LoaderOption
    @OptionGroup(title: .inFullHelp("Recordings and connections")) var servers: ServerOptions
    @OptionGroup(title: .inFullHelp("Recordings and connections")) var store: StoreOption
    @OptionGroup(title: .inFullHelp("Recordings and connections")) var configuration: ConfigurationOption
    @OptionGroup(title: .inFullHelp("Readings of the rules")) var readings: ReadingOptions

    @Argument(help: ArgumentHelp("The app.", valueName: "path"))
    var path: String

    mutating func validate() throws {
        if json {
            guard format == .text || format == .json else {
                throw ValidationError("--json and --format \(format.rawValue) cannot be combined")
            }
            format = .json
        }
        guard minCoverage.map({ 0...100 ~= $0 }) ?? true else {
            throw ValidationError("--min-coverage must be from 0 to 100")
        }
        guard minCoverage == nil || recording != nil else {
            throw ValidationError("--min-coverage needs a recording: add --recording NAME")
        }
        guard probeLimit > 0 else { throw ValidationError("--probe-limit must be at least 1") }
    }

    func run() throws {
        try results.begin()
        let choices = GateChoices(loader, servers, store, readings)
        let profile = try system.map(OSProfile.init(argument:))
        var report = try read(path, on: profile)
        if sinceSDK { report = report.withKeyOrigins }
        if let recording {
            let groups = try choices.openedStore().groups(of: recording)
            guard !groups.isEmpty else { throw CommandFailure.nothing("recording \(recording) contains no loads") }
            let loads = groups.reduce(into: [LoadTarget: Int]()) { $0[$1.target, default: 0] += $1.loads }
            report.cover(with: loads, recording: recording)
            if let minCoverage { report.require(coverage: minCoverage) }
        }
        if probe {
            let probes = HostProbes(limit: probeLimit, timeout: timeout.duration)
            report.add(probes: try probes.results(for: report, choices))
        }
        let difference = try diff.map { AuditDiff(from: try read($0, on: report.profile), to: report) }
        let today = CivilDate(secondsSince1970: Int64(Date().timeIntervalSince1970)).description
        let page = AuditPage(report, diff: difference, date: today, toolVersion: toolVersion)
        try Output.withOutput(to: results.output) { try $0.write(Array(page.text(format).utf8)) }
        StandardError.writeLine("atsgate audit: " + page.summary)
        guard !report.fails(failOn.severity) else { throw ExitCode(1) }
        // A missing coverage fails with every --fail-on, because the user asked for it by its own option.
        if let minCoverage, let coverage = report.coverage, coverage.percent < minCoverage { throw ExitCode(1) }
    }

    private func read(_ path: String, on profile: OSProfile?) throws -> AuditReport {
        let progress = ProbeProgress()
        defer { progress.clear() }
        do throws(DeclarationError) {
            return try AppAudit(on: profile) { progress.show($0, of: $1, $2) }.audit(path)
        } catch {
            throw CommandFailure.badInput("\(error)")
        }
    }
}

extension AuditFormat: ExpressibleByArgument {}
