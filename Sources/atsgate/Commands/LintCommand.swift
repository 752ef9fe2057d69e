import ATSPolicy
public import ArgumentParser
import Declarations
public import Diagnosis
import Foundation

/// Finds mistakes in dictionaries, without any load.
struct LintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Finds what will not work as written in a dictionary, and what the App Store will ask about.",
        discussion: """
            PATH is whatever --policy takes elsewhere: an Info.plist (XML or binary), a bare dictionary as property \
            list or JSON, an .app, .appex, .ipa or .xcarchive, a directory with an Info.plist, or - for standard \
            input. Of a bundle the app and each of its extensions are looked at, each by itself.

            Exit code: 0 when no finding reaches --fail-on, 1 when one does, 64 for a wrong command line, 65 for a \
            file that cannot be read, 74 when the report cannot be written.
            """)

    @Option(
        help: ArgumentHelp(
            "The systems that the app runs on: one, or a range as ios17..ios26 or ios17..",
            discussion: """
                macos, tvos, visionos and watchos releases stand for the iOS release of the same generation. Without \
                it, all from the MinimumOSVersion beside the dictionary on, and every one when there is none.
                """,
            valueName: "systems"))
    var os: SystemRange?

    @Option(
        help: ArgumentHelp(
            "text has one line per finding, as compilers write them; Xcode shows those inline.", valueName: "format"))
    var format: LintFormat = .text

    @Option(help: ArgumentHelp("The mildest finding that counts as a failure.", valueName: "severity"))
    var failOn: LintThreshold = .error

    @Option(help: ArgumentHelp("Write to a file instead of standard output.", valueName: "path"))
    var output: String?

    @Flag(help: "List all rules with severity, source and confidence, and read nothing; --format json adds examples.")
    var rules = false

    @Argument(help: ArgumentHelp("Files, bundles and archives.", valueName: "path"))
    var paths: [String] = []

    func validate() throws {
        if rules {
            guard paths.isEmpty else { throw ValidationError("--rules reads no files: leave \(paths[0]) out") }
            guard format == .text || format == .json else {
                throw ValidationError("--rules is written as text or json")
            }
        } else if paths.isEmpty {
            throw ValidationError("name a file, a bundle or an archive, or - for standard input")
        } else if paths.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("standard input can be read only once")
        }
    }

    func run() throws {
        guard !rules else { return try write(format == .json ? LintBook.json : LintBook.words) }
        let linter = Linter(systems: os)
        let files = try paths.flatMap { path in
            try declarations(at: path).map { loaded in
                let file = linter.lint(loaded.declaration, bundle: loaded.bundleName)
                return loaded.text.map(file.located) ?? file
            }
        }
        let report = LintReport(files: files, failOn: failOn.severity)
        try write(report.text(format, toolVersion: toolVersion))
        StandardError.say("atsgate lint: " + report.summary)
        guard !report.isFailed else { throw ExitCode(1) }
    }

    private func declarations(at path: String) throws -> [LoadedDeclaration] {
        do throws(DeclarationError) {
            return try DeclarationReader.read(path: path)
        } catch {
            throw CommandFailure.badInput("\(error)")
        }
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
