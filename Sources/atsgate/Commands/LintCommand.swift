import ATSPolicy
public import ArgumentParser
import Declarations
public import Diagnosis
import Foundation
import Text

/// Finds mistakes in dictionaries, without any load.
struct LintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Finds what will not work as written in a dictionary, and what the App Store will ask about.",
        discussion: """
            PATH is whatever --policy takes elsewhere: an Info.plist (XML or binary), a bare dictionary as property \
            list or JSON, an .app, .appex, .ipa or .xcarchive, or - for standard input; and the app.json of an Expo \
            project. In a bundle, the app and each of its extensions are checked separately. Any other folder is \
            searched for such files.

            A comment <!-- atsgate:disable RULE reason --> hides a finding on its line and the next one, \
            atsgate:disable-file in the whole file.

            Exit code: 0 when no finding reaches --fail-on, 1 when one does, 64 for a wrong command line, 65 when a \
            file cannot be read (the others are still checked), 74 when the report cannot be written.
            """)

    @Option(
        help: ArgumentHelp(
            "The systems that the app runs on: one, or a range as ios17..ios26 or ios17..",
            discussion: """
                macos, tvos, visionos and watchos releases stand for the iOS release of the same generation. Without \
                it, all from the MinimumOSVersion next to the dictionary on, else from IPHONEOS_DEPLOYMENT_TARGET or \
                MACOSX_DEPLOYMENT_TARGET of a build of Xcode's, and every one when there is none.
                """,
            valueName: "systems"))
    var os: SystemRange?

    @Option(
        help: ArgumentHelp(
            "text and xcode have one line per finding, as compilers write them; Xcode shows those of xcode inline.",
            valueName: "format"))
    var format: LintFormat = .text

    @Option(help: ArgumentHelp("The mildest finding that counts as a failure.", valueName: "severity"))
    var failOn: LintThreshold = .error

    @Flag(help: "Treat warnings as errors.")
    var strict = false

    @Flag(help: "Propose what to answer where the App Store asks for a justification.")
    var justifications = false

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Leave files and folders out when searching, by name or path below the folder, as in 'Example*'.",
            discussion: "Hidden ones, Pods, Carthage, node_modules, DerivedData and build are left out anyway.",
            valueName: "glob"))
    var exclude: [String] = []

    @Option(
        help: ArgumentHelp(
            "Accept the findings in this file: one FILE RULE KEYPATH a line.", valueName: "path"))
    var baseline: String?

    @Option(help: ArgumentHelp("Write the current findings as a baseline, and accept them.", valueName: "path"))
    var writeBaseline: String?

    @Option(help: ArgumentHelp("Write to a file instead of standard output.", valueName: "path"))
    var output: String?

    @Flag(help: "List all rules with severity, source and confidence, and read nothing; --format json adds examples.")
    var rules = false

    @Argument(help: ArgumentHelp("Files, bundles, archives and folders.", valueName: "path"))
    var paths: [String] = []

    func validate() throws {
        if rules {
            guard paths.isEmpty else { throw ValidationError("--rules reads no files: leave \(paths[0]) out") }
            guard format == .text || format == .json else {
                throw ValidationError("--rules is written as text or json")
            }
        } else if paths.isEmpty {
            throw ValidationError("name a file, a bundle, an archive or a folder, or - for standard input")
        } else if paths.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("standard input can be read only once")
        } else if baseline != nil, writeBaseline != nil {
            throw ValidationError("--write-baseline makes a baseline anew: leave --baseline out")
        }
    }

    func run() throws {
        guard !rules else { return try write(format == .json ? LintBook.json : LintBook.words) }
        let build = BuildSettings(ProcessInfo.processInfo.environment)
        let linter = Linter(systems: os, deployment: build.deployment, showsJustifications: justifications)
        var source = LintSource(linter: linter, build: build, search: DeclarationSearch(excluding: exclude))
        for path in paths { source.read(path) }
        // A report for people says it itself.
        if output != nil || ![.text, .xcode, .markdown].contains(format) {
            source.unreadable.forEach { StandardError.say("atsgate lint: \($0)") }
        }
        var report = LintReport(files: source.files, failOn: failOn.severity)
        if strict { report = report.strict }
        report = try LintBaseline(read: baseline, write: writeBaseline).applied(to: report)
        let folder = FileManager.default.currentDirectoryPath
        let text = report.text(format, toolVersion: toolVersion, folder: folder)
        try write(format == .text && output == nil ? Colours.lint.painted(text) : text)
        StandardError.say("atsgate lint: " + report.summary)
        guard source.unreadable.isEmpty else { throw ExitCode(65) }
        guard !report.isFailed else { throw ExitCode(1) }
    }

    private func write(_ text: String) throws {
        try Output.withOutput(to: output) { try $0.write(Array(text.utf8)) }
    }
}

/// What `--fail-on` takes. Notes never fail: the App Store's questions have answers.
enum LintThreshold: String, ExpressibleByArgument, CaseIterable {
    case error, warning, none

    var severity: LintRule.Severity? {
        switch self {
        case .error: .error
        case .warning: .warning
        case .none: nil
        }
    }
}

extension LintFormat: ExpressibleByArgument {}

extension SystemRange: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(argument)
    }

    public var defaultValueDescription: String { name }
}
