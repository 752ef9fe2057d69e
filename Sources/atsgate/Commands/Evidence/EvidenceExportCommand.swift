import ATSPolicy
import ArgumentParser
import Diagnosis
import ProxyServer
import Records
import Text

/// Writes disagreements as cases for a bug report.
struct EvidenceExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes the differences between devices and the gate, with names masked, for a bug report.",
        discussion: """
            One case per line, in the format of the tests of field evidence (Tests/Agreement): lines, dictionary, \
            release and expected result. All hosts and paths are masked, or with --mask only those that match its \
            patterns; values of queries are always removed. A case that no longer differs once its names are masked is \
            left out and reported. Read the file before you send it: an app's own words in a line stay.

            For a recording of a gate, hellos that differ from the rules are cases, too. --hellos writes one line for \
            each distinct hello, with the dictionary's entry and the release, for atsgate's table of hellos. Nothing \
            is sent anywhere.

            Exit code: 0; 3 when nothing differs; 64; 65 for a log, a store or a dictionary that cannot be read; 74.
            """,
        shouldDisplay: false)

    @OptionGroup var arguments: ComparisonArguments

    @Option(
        help: ArgumentHelp(
            "Mask only this: hosts (api.example.com, *.example.com, *) or parts of paths (/users/*). Repeatable.",
            valueName: "pattern"))
    var mask: [MaskPattern] = []

    @Flag(help: "Write the hellos of a recording instead of differences, one line for each distinct one.")
    var hellos = false

    @Option(help: ArgumentHelp("The place of the log for others: an address or a contact.", valueName: "source"))
    var source = "a log that is not public"

    @OptionGroup var results: ResultOptions

    func validate() throws {
        guard !hellos || arguments.paths.isEmpty else {
            throw ValidationError("--hellos reads a recording: name no logs.")
        }
    }

    func run() throws {
        try results.begin()
        let key = KeyedHash()
        let names = mask.isEmpty ? NameMask.everything(key: key) : NameMask(mask, key: key)
        if hellos { return try writeHellos(names) }
        var cases = try CaseMasking(names, arguments.choices)
        var (written, lost, differing) = (0, 0, 0)
        var known: Set<String> = []
        var end = ComparisonEnd()
        try Output.withOutput(to: results.output) { output in
            var sink = LineSink(output)
            end = try arguments.compare { compared in
                guard compared.comparison.answer != .agree, compared.comparison.answer != .unknown else { return }
                let masked = try cases.masked(compared)
                guard masked.comparison.answer == compared.comparison.answer else {
                    lost += 1
                    return
                }
                // Identical cases are written once.
                let mark = masked.json(id: "", source: source).text
                guard known.count < mostCases, known.insert(mark).inserted else {
                    return
                }
                written += 1
                sink.add(masked.json(id: "case-\(written)", source: source).text)
                try sink.flush(atLeast: LineSink.usual)
            }
            if arguments.paths.isEmpty {
                for line in try export(names).json(differing: true) {
                    differing += 1
                    sink.add(line.text)
                }
            }
            try sink.flush()
        }
        if lost > 0 {
            StandardError.writeLine("atsgate: \(lost.loads) left out: masking removes the difference; try --mask")
        }
        // A recording of hellos alone has no result of a device.
        if differing == 0 || end.compared > 0 { try end.end() }
        if written + differing == 0 { throw CommandFailure.nothing("the gate and the devices do not differ") }
    }
}

extension EvidenceExportCommand {
    private func export(_ names: NameMask) throws -> HelloExport {
        var export: HelloExport?
        try arguments.forEachGroup {
            export = HelloExport(names, under: $0, source: source)
        } _: {
            export?.add($0, loads: $1)
        }
        return export ?? HelloExport(names, under: .secureDefaults, source: source)
    }

    private func writeHellos(_ names: NameMask) throws {
        let lines = try export(names).json()
        try Output.withOutput(to: results.output) { output in
            var sink = LineSink(output)
            for line in lines {
                sink.add(line.text)
                try sink.flush(atLeast: LineSink.usual)
            }
            try sink.flush()
        }
        if lines.isEmpty { throw CommandFailure.nothing("no load of the recording has a hello") }
    }
}

/// Masks a case with the masks of records.
struct CaseMasking {
    private let names: NameMask
    private var mask: RecordMask
    private let switches: JudgeSwitches
    private let appTrust: AppTrust

    /// - Throws: ``CommandFailure`` with 65 for a certificate that cannot be read.
    init(_ names: NameMask, _ choices: GateChoices) throws {
        self.names = names
        mask = RecordMask(names)
        switches = choices.settings.switches
        appTrust = try choices.appTrust()
    }

    mutating func masked(_ compared: ComparedLoad) throws -> DeviceCase {
        let load = compared.load
        let basis = DevicePredictor(compared.declaration, switches: switches, appTrust: appTrust).prediction(of: load)
            .basis
        var record = LoadRecord(
            time: load.unixSeconds * 1000, recording: "",
            client: RecordedClient(
                address: "-", label: nil, userAgent: nil, loader: load.loader, os: load.profile.name),
            load: RecordedRequest(method: "-", path: load.url.pathOfURL, target: load.target, wireProtocol: .unknown),
            policy: RecordedPolicy(source: nil, bundleID: nil, os: load.profile.name, basis: basis), verdict: .allowed)
        record.device = load.device
        RedactionRules().apply(to: &record)
        mask.apply(to: &record)
        let masked = DeviceLoad(
            url: record.load.url, target: record.load.target, loader: load.loader, profile: load.profile,
            isReleaseKnown: load.isReleaseKnown, device: record.device ?? load.device,
            handshake: load.handshake.map { names.handshake($0, of: load.target.host) }, unixSeconds: load.unixSeconds)
        return DeviceCase(
            masked, under: names.declaration(compared.declaration), switches: switches, appTrust: appTrust)
    }
}

private let mostCases = 10_000
