import ProxyServer
import Records
import Reporting

/// Files that are read and written.
enum FilesSection: OptionSection {
    static let title = "Files"

    static let options: [GateOption] = [
        caDirectory,
        store,
        GateOption(
            "keylog", .path(), maySet: \.settings.keyLogPath,
            "Append TLS secrets of both sides to this file, for Wireshark and similar tools."
        )
        .details("In the format of NSS's key log. Everybody who has the file can read the traffic.").example(
            "keys.log"),
        GateOption("recording", .text("name"), maySet: \.recording, "Name of this run in the records.")
            .details("If there is a recording of this name, the loads are added to it, and the start says so.")
            .standard("the time it began").example("nightly"),
        GateOption(
            "mask", .parsed("pattern", MaskPattern.init(option:)), addsTo: \.masks,
            "Record tokens instead of hosts, or of parts of paths."
        )
        .details(
            """
            A host (api.example.com, *.example.com for the part that the star matches, * for every host), or a path \
            from its beginning (/users/* for that segment, /private/** for the rest). Equal names get equal tokens; \
            a guess can be checked only with the key, which is next to the store, in FILE.mask.
            """
        )
        .example("/users/*"),
        GateOption(
            "mask-key", .path(), maySet: \.maskKey,
            "Make the tokens of --mask with the key in this file, so that gates that share it make the same."
        )
        .details(
            """
            One line: key, a blank and 32 hexadecimal digits, as FILE.mask has it. The key does not go to a shared store.
            """
        )
        .example("fleet.mask"),
        GateOption(
            "keep", .parsed("age|size", Retention.init(option:)), maySet: \.keep,
            "Remove old records from the store: those older than this, or beyond this size."
        )
        .details(
            "A whole number and a unit: 12h, 30d, 2w, 500MB, 2GB. Without it, the gate warns of a store above 1 GB."
        )
        .example("30d"),
        GateOption(
            "spool-limit", .parsed("size", GateChoices.bytes(option:)), maySet: \.spoolLimit,
            "How large the spool of a shared store may grow while its server is away."
        )
        .details(
            "500MB or 2GB. Beyond it the oldest loads that were not shipped are deleted, and the gate says how many."
        )
        .standard("2GB").example("2GB"),
        GateOption(
            "ship-timeout", .time, maySet: \.shipTimeout,
            "How long to wait at the end until all loads are in the shared store."
        )
        .standard(TimeSpan(SharedStore.usualPatience).text).example(TimeSpan(SharedStore.usualPatience).text),
        GateOption("json", .path(), maySet: \.json, "Also append records as JSON lines; - is standard output.")
            .example("records.jsonl"),
        GateOption(
            "report", .parsed("format=path", ReportRequest.init(argument:)), addsTo: \.reports,
            "Write a report of this run at its end, whatever its outcome; - is standard output."
        )
        .details(
            """
            Formats: \(ReportFormat.allCases.map(\.rawValue).joined(separator: ", ")). Needs no store. A report that \
            cannot be written ends the start with 74; one that fails at the end is reported once the others are \
            written.
            """
        )
        .example("junit=report.xml").often,
        GateOption("config", .path(), maySet: \.config, "Read options from a file, one option = value per line.")
            .details(
                """
                The names are those of the long options without the dashes; # begins a comment. Options can also be \
                set by environment variables, --port-file by ATSGATE_PORT_FILE. The command line wins over both, and \
                the environment over the file; values of repeatable options add up, except for listen.
                """
            )
            .notInFiles.often,
    ]

    /// Where the local CA lives.
    static let caDirectory = GateOption("ca-dir", .path("dir"), maySet: \.caDirectory, "Directory of the local CA.")
        .standard(
            """
            $XDG_DATA_HOME/atsgate or ~/.local/share/atsgate; on macOS ~/Library/Application Support/atsgate
            """
        )
        .example("/var/lib/atsgate")

    /// Where records are kept.
    static let store = GateOption(
        "store",
        .parsed("path", StoreChoice.init(argument:)).with {
            $0.isFile = true
            // It may be refused for the password in it.
            $0.isSecret = true
        }, maySet: \.store,
        "SQLite file of the records, none, or the PostgreSQL server that gates share."
    )
    .details(
        """
        postgres://USER@HOST/DATABASE, as libpq takes it: records go into a spool file on this machine first, and no \
        load waits for the server. No password in it: use a password file, a service file or a client certificate.
        """
    )
    .standard("records.sqlite in the default directory of the CA").example("records.sqlite")
}

/// How much to say on standard error.
enum WordsSection: OptionSection {
    static let title = "Output"

    static let options: [GateOption] = [
        GateOption(
            "console", .choice("style"), maySet: \.console, "What to print about each load while the gate runs."
        )
        .standard("short; for run none, as its report has all loads")
        .details(
            """
            short: a line with the time, the verdict, the rule, what a device would report and what the app saw; \
            equal loads within a second share a line, and the fix is below the first one. apple: the same, with the \
            lines that a device prints. none: nothing.
            """
        )
        .example("short").often,
        GateOption(
            "verbose", .flag, sets: \.isVerbose, "Also print the gate's own steps, and the loads of run."
        )
        .letter("v"),
        GateOption("quiet", .flag, sets: \.isQuiet, "Print nothing but errors; overrides --verbose.")
            .letter("q"),
    ]
}

extension GateChoices {
    /// - Throws: ``ValueProblem`` that says what is expected.
    fileprivate static func bytes(option argument: String) throws(ValueProblem) -> Int64 {
        guard case .bytes(let bytes) = Retention(argument) else {
            throw ValueProblem("write a whole number and a unit: 500MB or 2GB")
        }
        return bytes
    }

    /// Of the spool of a shared store, in bytes.
    static let usualSpoolLimit: Int64 = 2_000_000_000
}

extension Retention {
    /// - Throws: ``ValueProblem`` that says what is expected.
    fileprivate init(option argument: String) throws(ValueProblem) {
        guard let retention = Retention(argument) else {
            throw ValueProblem("write a whole number and a unit: 12h, 30d, 2w, 500MB or 2GB")
        }
        self = retention
    }
}
