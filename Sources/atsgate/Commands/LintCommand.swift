import ATSPolicy
public import ArgumentParser
import Declarations
public import Diagnosis
import Foundation
import Text

/// Finds mistakes in ATS dictionaries, without any load.
struct LintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Finds mistakes in an ATS dictionary.",
        discussion: """
            PATH is anything that --policy accepts: an Info.plist (XML or binary), a bare dictionary or a part of one, \
            the output of PlistBuddy, plutil -p or defaults read, an .app, .appex, .ipa or .xcarchive, or - for standard \
            input; also project files of Expo, Tauri, Cordova, Capacitor, XcodeGen and Tuist. In a bundle or a project, \
            each app and each extension is checked separately. Any other folder is searched for such files.

            A comment <!-- atsgate:disable RULE reason --> hides a finding on its line and the next one; \
            atsgate:disable-file hides it in the whole file.

            Exit code: 0 when no finding reaches --fail-on, 1 when one does, 64 for a wrong command line, 65 when a \
            file cannot be read (the others are still checked), 74 when the report cannot be written.
            """)

    @Option(
        help: ArgumentHelp(
            "The releases that the app supports: one, or a range such as ios17..ios26 or ios17..",
            discussion: """
                macos, tvos, visionos and watchos releases count as the iOS release of the same generation. Default: \
                all from the MinimumOSVersion next to the dictionary on, else from IPHONEOS_DEPLOYMENT_TARGET or \
                MACOSX_DEPLOYMENT_TARGET of an Xcode build on, else all.
                """,
            valueName: "systems"),
        transform: { try SystemRange(argument: $0) })
    var os: SystemRange?

    @Option(
        help: ArgumentHelp(
            "text and xcode print one line per finding, as compilers do; Xcode shows the lines of xcode inline.",
            valueName: "format"))
    var format: LintFormat = .text

    @Flag(help: .sameAsJSON)
    var json = false

    @Option(help: ArgumentHelp("The lowest severity that counts as a failure.", valueName: "severity"))
    var failOn: LintThreshold = .error

    @Flag(help: "Treat warnings as errors.")
    var strict = false

    @Flag(help: "Draft answers for keys that need a justification in App Store review.")
    var justifications = false

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Skip files and folders when searching, by name or path below the folder, as in 'Example*'.",
            discussion: "Hidden ones, Pods, Carthage, node_modules, DerivedData and build are always skipped.",
            valueName: "glob"))
    var exclude: [String] = []

    @Option(
        help: ArgumentHelp(
            "Accept the findings in this file: one FILE RULE KEYPATH per line.", valueName: "path"))
    var baseline: String?

    @Option(help: ArgumentHelp("Write the current findings as a baseline and accept them.", valueName: "path"))
    var writeBaseline: String?

    @OptionGroup var results: ResultOptions

    @Flag(help: "List all rules with severity, source and confidence; --format json adds examples. Reads no files.")
    var rules = false

    @Argument(help: ArgumentHelp("Files, bundles, archives and folders.", valueName: "path"))
    var paths: [String] = []

    mutating func validate() throws {
        if json {
            guard format == .text || format == .json else {
                throw ValidationError("--json and --format \(format.rawValue) cannot be combined")
            }
            format = .json
        }
        if rules {
            guard paths.isEmpty else { throw ValidationError("--rules reads no files: remove \(paths[0])") }
            guard format == .text || format == .json else {
                throw ValidationError("--rules can be written only as text or json")
            }
        } else if paths.isEmpty {
            throw ValidationError("name a file, a bundle, an archive or a folder, or - for standard input")
        } else if paths.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("standard input can be read only once")
        } else if baseline != nil, writeBaseline != nil {
            throw ValidationError("--write-baseline creates a new baseline: remove --baseline")
        }
    }

    func run() throws {
        try results.begin()
        guard !rules else { return try write(format == .json ? LintBook.json : LintBook.words) }
        let build = BuildSettings(ProcessInfo.processInfo.environment)
        let linter = Linter(systems: os, deployment: build.deployment, showsJustifications: justifications)
        var source = LintSource(linter: linter, build: build, search: DeclarationSearch(excluding: exclude))
        for path in paths { source.read(path) }
        // The readable reports list these files themselves.
        if results.output != nil || ![.text, .xcode, .markdown].contains(format) {
            source.unreadable.forEach { StandardError.printError("\($0)") }
        }
        var report = LintReport(files: source.files, failOn: failOn.severity)
        if strict { report = report.strict }
        report = try LintBaseline(read: baseline, write: writeBaseline).applied(to: report)
        let folder = FileManager.default.currentDirectoryPath
        let text = report.text(format, toolVersion: toolVersion, folder: folder)
        if format == .text, results.output == nil {
            try Output.withOutput(to: nil) { try $0.write(wrapped: Colours.lint.painted(text), hanging: 4) }
        } else {
            try write(text)
        }
        StandardError.writeLine("atsgate lint: " + report.summary)
        guard source.unreadable.isEmpty else { throw ExitCode(65) }
        guard !report.isFailed else { throw ExitCode(1) }
    }

    private func write(_ text: String) throws {
        try Output.withOutput(to: results.output) { try $0.write(Array(text.utf8)) }
    }
}

/// The values of `--fail-on`.
enum LintThreshold: String, ExpressibleByArgument, CaseIterable {
    case error, warning, note, none

    var severity: LintRule.Severity? {
        switch self {
        case .error: .error
        case .warning: .warning
        case .note: .note
        case .none: nil
        }
    }
}

extension LintFormat: ExpressibleByArgument {}

extension SystemRange {
    /// - Throws: ``ValueProblem`` with the expected form.
    fileprivate init(argument: String) throws(ValueProblem) {
        guard let range = SystemRange(argument) else {
            throw ValueProblem("write a release, as in ios17 or 'iOS 17', or a range, as in ios17..ios26 or ios17..")
        }
        self = range
    }
}
