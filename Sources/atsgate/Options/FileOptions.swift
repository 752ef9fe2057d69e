import ArgumentParser
import ProxyServer
import Records
import Reporting

/// The directory of the local CA.
struct AuthorityOption: GateOptionGroup {
    @Option(
        help: ArgumentHelp(
            """
            Directory of the local CA. (default: $XDG_DATA_HOME/atsgate, or without it ~/.local/share/atsgate, on \
            macOS ~/Library/Application Support/atsgate)
            """, discussion: "Example: /var/lib/atsgate", valueName: "dir"),
        completion: .file(), transform: String.given)
    var caDir: String?

    func apply(to choices: inout GateChoices) { choices.caDirectory = caDir }
}

/// The store for records.
struct StoreOption: GateOptionGroup {
    @Option(
        help: ArgumentHelp(
            "SQLite file, shared PostgreSQL server, or none. (default: records.sqlite)",
            discussion: """
                The default is in the default directory of the CA. \
                postgres://USER@HOST/DATABASE, as in libpq: records go to a spool file on this machine first, so that \
                no load waits for the server. It must not contain a password: use a password file, a service file or a \
                client certificate.
                Example: records.sqlite
                """, valueName: "path"),
        completion: .file(), transform: { SecretValue($0, StoreChoice.init(argument:)) })
    var store: SecretValue<StoreChoice>?

    func validate() throws { try store?.check("--store <path>") }

    func apply(to choices: inout GateChoices) { choices.store = store?.value }
}

/// The configuration file, which is read before the command line is parsed.
struct ConfigurationOption: ParsableArguments {
    static let name = "config"

    @Option(
        help: ArgumentHelp(
            "Read options from a file, one option = value per line.",
            discussion: """
                Names are those of the long options; the dashes may be left out. # begins a comment. Options can also \
                be set by environment variables, --port-file by ATSGATE_PORT_FILE. The command line overrides both, \
                and the environment overrides the file; values of repeatable options add up, except for listen.
                """, valueName: "path"),
        completion: .file())
    var config: String?
}

/// The records of a gate, and other files that it writes.
struct RecordOptions: GateOptionGroup {
    @Option(
        help: ArgumentHelp(
            "Append the TLS secrets of both sides to this file, for Wireshark and similar tools.",
            discussion: """
                In the NSS key log format. Anyone who has the file can read the traffic.
                Example: keys.log
                """, valueName: "path", visibility: .seldom),
        completion: .file(), transform: String.given)
    var keylog: String?

    @Option(
        help: ArgumentHelp(
            "Name of this run in the records. (default: the dictionary and the start time)",
            discussion: """
                If a recording of this name exists, the loads are added to it, with a message.
                Example: nightly
                """, valueName: "name", visibility: .seldom),
        transform: String.given)
    var recording: String?

    @Option(
        help: ArgumentHelp(
            "Record tokens instead of hosts or parts of paths. (repeatable)",
            discussion: """
                A host (api.example.com, *.example.com for the part that the star matches, * for every host), or the \
                start of a path (/users/* for that segment, /private/** for the rest). Equal names get equal tokens; a \
                guess can be checked only with the key, which is next to the store, in FILE.mask.
                Example: /users/*
                """, valueName: "pattern", visibility: .seldom),
        transform: MaskPattern.init(option:))
    var mask: [MaskPattern] = []

    @Option(
        help: ArgumentHelp(
            "Create the tokens of --mask with the key in this file; gates with the same key create the same tokens.",
            discussion: """
                One line: key, a space and 32 hexadecimal digits, as in FILE.mask. The key is not sent to a shared store.
                Example: fleet.mask
                """, valueName: "path", visibility: .seldom),
        completion: .file(), transform: String.given)
    var maskKey: String?

    @Option(
        help: ArgumentHelp(
            "Limit the store: delete the oldest records.",
            discussion: """
                A whole number and a unit: 12h, 30d, 2w, 500MB, 2GB. Deletes records that are older than this, or the \
                oldest if the store exceeds this size. Without it, the gate warns if the store exceeds 1 GB.
                Example: 30d
                """, valueName: "age|size"),
        transform: Retention.init(option:))
    var keep: Retention?

    @Option(
        help: ArgumentHelp(
            "Maximum size of the spool of a shared store while its server is unreachable. (default: 2GB)",
            discussion: """
                500MB or 2GB. Above it, the oldest unshipped loads are deleted, and the gate prints how many.
                Example: 2GB
                """, valueName: "size", visibility: .seldom),
        transform: GateChoices.bytes(option:))
    var spoolLimit: Int64?

    @Option(
        help: ArgumentHelp(
            """
            How long to wait at the end until all loads are in the shared store. (\(TimeSpan.units); default: \
            \(TimeSpan(SharedStore.usualTimeout)))
            """, discussion: "Example: \(TimeSpan(SharedStore.usualTimeout))", valueName: "time", visibility: .seldom),
        transform: { try TimeSpan($0) })
    var shipTimeout: TimeSpan?

    @Option(
        help: ArgumentHelp(
            "Also append records as JSON lines; - for standard output.", discussion: "Example: records.jsonl",
            valueName: "path", visibility: .seldom),
        completion: .file(), transform: String.given)
    var json: String?

    @Option(
        help: ArgumentHelp(
            "Write a report of this run when it ends. (repeatable)",
            discussion: """
                It is written with any outcome; - writes to standard output. Formats: \(ReportFormat.allCases.map(\.rawValue).joined(separator: ", ")). Needs no store. If the path \
                of a report is not writable, the start fails with 74; if writing it fails at the end, the others are \
                written first.
                Example: junit=report.xml
                """, valueName: "format=path"),
        transform: ReportRequest.init(argument:))
    var report: [ReportRequest] = []

    func apply(to choices: inout GateChoices) {
        choices.settings.keyLogPath = keylog
        choices.recording = recording
        choices.masks = mask
        choices.maskKey = maskKey
        choices.keep = keep
        choices.spoolLimit = spoolLimit
        choices.shipTimeout = shipTimeout?.duration
        choices.json = json
        choices.reports = report
    }
}

/// The output on standard error.
struct OutputOptions: GateOptionGroup {
    @Option(
        help: ArgumentHelp(
            "How to print loads while they run. (default: short; for run none)",
            discussion: """
                The report of run has all loads. short: a line with the time, the verdict, the rule, what a device would report and what the app saw; \
                equal loads within a second share a line, and the fix is below the first one. apple: also the lines \
                that a device logs. none: nothing.
                """, valueName: "style"))
    var console: ConsoleStyle?

    @Flag(exclusivity: .chooseLast)
    var verbosity: Verbosity?

    func apply(to choices: inout GateChoices) {
        choices.console = console
        choices.verbosity = verbosity ?? .usual
    }
}

extension Verbosity: EnumerableFlag {
    static let allCases: [Verbosity] = [.verbose, .quiet]

    static func name(for value: Verbosity) -> NameSpecification { .shortAndLong }

    static func help(for value: Verbosity) -> ArgumentHelp? {
        let text =
            switch value {
            case .verbose: "Also print the gate's own steps, and the loads of run."
            case .quiet, .usual: "Print only errors. Of --quiet and --verbose, the last one counts."
            }
        return ArgumentHelp(text, visibility: .seldom)
    }
}

extension GateChoices {
    /// - Throws: ``ValueProblem`` with the expected form.
    fileprivate static func bytes(option argument: String) throws(ValueProblem) -> Int64 {
        guard case .bytes(let bytes) = Retention(argument) else {
            throw ValueProblem("write a whole number and a unit: 500MB or 2GB")
        }
        return bytes
    }

    /// The default limit of a shared store's spool, in bytes.
    static let usualSpoolLimit: Int64 = 2_000_000_000
}

extension Retention {
    /// - Throws: ``ValueProblem`` with the expected form.
    fileprivate init(option argument: String) throws(ValueProblem) {
        guard let retention = Retention(argument) else {
            throw ValueProblem("write a whole number and a unit: 12h, 30d, 2w, 500MB or 2GB")
        }
        self = retention
    }
}
