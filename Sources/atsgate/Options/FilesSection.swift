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
            "Append the TLS secrets of both sides to this file, for Wireshark and similar tools."
        )
        .details("In the NSS key log format. Anyone who has the file can read the traffic.").example(
            "keys.log"),
        GateOption("recording", .text("name"), maySet: \.recording, "Name of this run in the records.")
            .details("If a recording of this name exists, the loads are added to it, with a message.")
            .standard("the name of the dictionary and the start time").example("nightly"),
        GateOption(
            "mask", .parsed("pattern", MaskPattern.init(option:)), addsTo: \.masks,
            "Record tokens instead of hosts or parts of paths."
        )
        .details(
            """
            A host (api.example.com, *.example.com for the part that the star matches, * for every host), or the start \
            of a path (/users/* for that segment, /private/** for the rest). Equal names get equal tokens; a guess can \
            be checked only with the key, which is next to the store, in FILE.mask.
            """
        )
        .example("/users/*"),
        GateOption(
            "mask-key", .path(), maySet: \.maskKey,
            "Create the tokens of --mask with the key in this file; gates with the same key create the same tokens."
        )
        .details(
            """
            One line: key, a space and 32 hexadecimal digits, as in FILE.mask. The key is not sent to a shared store.
            """
        )
        .example("fleet.mask"),
        GateOption(
            "keep", .parsed("age|size", Retention.init(option:)), maySet: \.keep,
            "Delete records from the store that are older than this, or exceed this size."
        )
        .details(
            "A whole number and a unit: 12h, 30d, 2w, 500MB, 2GB. Without it, the gate warns if the store exceeds 1 GB."
        )
        .example("30d"),
        GateOption(
            "spool-limit", .parsed("size", GateChoices.bytes(option:)), maySet: \.spoolLimit,
            "Maximum size of the spool of a shared store while its server is unreachable."
        )
        .details(
            "500MB or 2GB. Above it, the oldest unshipped loads are deleted, and the gate prints how many."
        )
        .standard("2GB").example("2GB"),
        GateOption(
            "ship-timeout", .time, maySet: \.shipTimeout,
            "How long to wait at the end until all loads are in the shared store."
        )
        .standard(TimeSpan(SharedStore.usualTimeout).text).example(TimeSpan(SharedStore.usualTimeout).text),
        GateOption("json", .path(), maySet: \.json, "Also append records as JSON lines; - for standard output.")
            .example("records.jsonl"),
        GateOption(
            "report", .parsed("format=path", ReportRequest.init(argument:)), addsTo: \.reports,
            "Write a report of this run when it ends, with any outcome; - for standard output."
        )
        .details(
            """
            Formats: \(ReportFormat.allCases.map(\.rawValue).joined(separator: ", ")). Needs no store. If the path of \
            a report is not writable, the start fails with 74; if writing it fails at the end, the others are written \
            first.
            """
        )
        .example("junit=report.xml").often,
        GateOption("config", .path(), maySet: \.config, "Read options from a file, one option = value per line.")
            .details(
                """
                Names are those of the long options without dashes; # begins a comment. Options can also be set by \
                environment variables, --port-file by ATSGATE_PORT_FILE. The command line overrides both, and the \
                environment overrides the file; values of repeatable options add up, except for listen.
                """
            )
            .notInFiles.often,
    ]

    /// The directory of the local CA.
    static let caDirectory = GateOption("ca-dir", .path("dir"), maySet: \.caDirectory, "Directory of the local CA.")
        .standard(
            """
            $XDG_DATA_HOME/atsgate, or without it ~/.local/share/atsgate, on macOS ~/Library/Application Support/atsgate
            """
        )
        .example("/var/lib/atsgate")

    /// The store for records.
    static let store = GateOption(
        "store",
        .parsed("path", StoreChoice.init(argument:)).with {
            $0.isFile = true
            // Errors must not repeat it, because it may contain a password.
            $0.isSecret = true
        }, maySet: \.store,
        "SQLite file for records, none, or the PostgreSQL server that gates share."
    )
    .details(
        """
        postgres://USER@HOST/DATABASE, as in libpq: records go to a spool file on this machine first, so that no load \
        waits for the server. It must not contain a password: use a password file, a service file or a client \
        certificate.
        """
    )
    .standard("records.sqlite in the default directory of the CA").example("records.sqlite")
}

/// Options for the output on standard error.
enum WordsSection: OptionSection {
    static let title = "Output"

    static let options: [GateOption] = [
        GateOption(
            "console", .choice("style"), maySet: \.console, "How to print loads while the gate runs."
        )
        .standard("short; for run none, because its report has all loads")
        .details(
            """
            short: a line with the time, the verdict, the rule, what a device would report and what the app saw; \
            equal loads within a second share a line, and the fix is below the first one. apple: also the lines that a \
            device logs. none: nothing.
            """
        )
        .example("short"),
        GateOption(
            "verbose", .flag, sets: \.isVerbose, "Also print the gate's own steps, and the loads of run."
        )
        .letter("v"),
        GateOption("quiet", .flag, sets: \.isQuiet, "Print only errors; overrides --verbose.")
            .letter("q"),
    ]
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
