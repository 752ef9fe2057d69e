import ATSPolicy
import ArgumentParser
import Foundation
import NetLoop
import Onboarding
import ProxyCore
import Records
import Reporting
import Setup
import TLSEngine
import Text

/// Finds out why no traffic reaches the gate, or checks a store.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Finds out why no traffic arrives, or checks a store.",
        discussion: """
            Checks the gate, the CA, the clock, proxy settings, VPNs, trust and the latest recorded loads. Checks that \
            need macOS are skipped on other systems; http://atsgate.test/ shows the rest on the device. --store alone \
            checks only that store.

            A file: every page and every load is read. A shared store: its version, days, sizes and gates are shown, \
            and problems are listed. With --gate, --devices, --gateway or --policy, --store is the file with the \
            latest loads.

            Exit code: 0 when no check finds a problem, 1 when one does; with --store alone: 65 for a store with \
            problems, 69 for a shared store that gates cannot use.
            """)

    @Option(
        help: ArgumentHelp(
            "The address that the gate should listen on. (default: \(usualGate.defaultValueDescription))",
            valueName: "host:port"))
    var gate: GateAddress?

    private static let usualGate = GateAddress(host: "127.0.0.1", port: 9802)

    @Flag(help: "Also check that devices on the network can connect.")
    var devices = false

    @Option(help: ArgumentHelp("The interface of setup gateway that devices connect through.", valueName: "interface"))
    var gateway: String?

    @Option(help: ArgumentHelp("The policy that should be in force.", valueName: "path"))
    var policy: String?

    @Flag(help: "For a shared store: compare the gates' counts with the loads.")
    var count = false

    @Flag(help: "Print one JSON object: checks, states, sentences, and commands that help.")
    var json = false

    @OptionGroup(title: .inFullHelp("Files")) var authority: AuthorityOption
    @OptionGroup(title: .inFullHelp("Files")) var store: StoreOption

    func run() throws {
        if let policy, !StorePolicy.isOne(policy), !FileManager.default.fileExists(atPath: policy) {
            throw CommandFailure.badInput("the policy \(policy.printable) does not exist")
        }
        let choices = GateChoices(authority, store)
        if checksStore { return try StoreCheck(counts: count, json: json).run(choices) }
        let gate = gate ?? Self.usualGate
        var question = DoctorQuestion(gate: gate.authority, now: Int64(Date().timeIntervalSince1970)) {
            GateProbe.ask($0)
        }
        question.hosts = InterfaceAddresses.current().filter { !$0.isLoopback && !$0.isLinkLocal }.map(\.description)
            .sorted { ($0.contains(":") ? 1 : 0, $0) < ($1.contains(":") ? 1 : 0, $1) }
        question.checksDevices = devices
        question.authority = Self.authority(in: choices.authorityFolder, now: question.now)
        question.traffic = choices.storePath.flatMap(Self.traffic)
        question.policy = policy
        question.folder = FileManager.default.currentDirectoryPath
        question.environment = ProcessInfo.processInfo.environment
        question.runner = Setup.isPossible ? SystemCommands() : nil
        question.network =
            Setup.hasNetwork
            ? .init(setup: .ofThisMachine, interface: gateway) { place in
                Listener.isListening(host: place.host, port: place.port ?? 80)
            } : nil
        question.network?.tunnelDeviceFault = { Self.fault(opening: "/dev/net/tun") }
        let findings = Doctor(question).examine()
        let text = json ? Self.json(findings) : Colours.doctor.painted(Self.words(findings))
        try Output.withOutput(to: nil) { try $0.write(Array(text.utf8)) }
        if !json { StandardError.writeLine("A device shows another code? See atsgate explain device-evidence") }
        if findings.contains(where: { $0.state == .broken }) { throw ExitCode(1) }
    }

    /// True if the command line names a store, and nothing else to check.
    private var checksStore: Bool {
        let isOther = gate != nil || devices || gateway != nil || policy != nil
        let line = CommandWords(Array(CommandLine.arguments.dropFirst()), of: ATSGate.self)
        return count || !isOther && line.value(of: "store") != nil
    }

    /// The reason why the device cannot be opened; nil if it can.
    private static func fault(opening path: String) -> String? {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        close(descriptor)
        return nil
    }

    /// The existing CA, or nil; never creates one.
    private static func authority(in folder: String, now: Int64) -> DoctorQuestion.Authority? {
        let path = folder + "/ca-cert.pem"
        guard access(path, F_OK) == 0 else { return nil }
        do throws(CertificateAuthorityError) {
            let authority = try CertificateAuthority.openOrCreate(directory: folder, now: now)
            return DoctorQuestion.Authority(
                path: path, fingerprint: authority.fingerprint, notBefore: authority.notBefore,
                notAfter: authority.notAfter)
        } catch {
            guard case .expired(_, let end) = error else { return nil }
            return DoctorQuestion.Authority(path: path, fingerprint: "", notBefore: 0, notAfter: end)
        }
    }

    private static func traffic(in path: String) -> DoctorQuestion.Traffic? {
        guard access(path, F_OK) == 0, let reader = try? StoreReader(path: path),
            let newest = try? reader.overviews().last
        else { return nil }
        var relay = RecordFilter(recording: newest.name)
        relay.hosts = ["mask.icloud.com", "mask-h2.icloud.com"].map { Glob($0) }
        let asked = try? reader.page(of: relay, limit: 1)
        var traffic = DoctorQuestion.Traffic(
            last: newest.last / 1_000, loads: newest.loads, policies: newest.policies,
            hasRelay: asked?.records.isEmpty == false)
        traffic.recording = newest.name.printable
        traffic.build = try? build(in: reader, RecordFilter(recording: newest.name))
        traffic.checkingDevices = (try? checkingDevices(in: reader, recording: newest.name)) ?? []
        return traffic
    }

    /// The devices whose newest loads are all checks of the connection.
    private static func checkingDevices(in reader: StoreReader, recording: String) throws -> [String] {
        var checks = RecordFilter(recording: recording)
        checks.hosts = AppleServices.connectivityChecks.map { Glob($0) }
        let found = try reader.page(of: checks, limit: newestLoads).records
        let devices = Set(found.map { $0.client.label ?? $0.client.host }).sorted().prefix(mostDevices)
        return try devices.filter { device in
            var own = RecordFilter(recording: recording)
            own.devices = [device]
            return try reader.page(of: own, limit: newestLoads).records.allSatisfy {
                AppleServices.purpose(of: $0.load.target.host) != .app
            }
        }
    }

    private static let newestLoads = 500
    private static let mostDevices = 16

    /// The state of ATS in the installed app, by the hellos of the recording.
    private static func build(in reader: StoreReader, _ filter: RecordFilter) throws -> DoctorQuestion.Build? {
        var (found, isRelaxed) = (DoctorQuestion.Build?.none, false)
        try reader.forEachGroup(matching: filter) { group in
            let host = group.first.load.target.host
            switch (group.first.client.hello?.reads, group.first.client.hello?.answer) {
            case (_, .deviceStricter): found = .stricter(host: host)
            case (.ats, _), (.niap, _): found = found ?? .inForce(host: host)
            case (.notInForce, _): isRelaxed = true
            default: break
            }
        }
        return found ?? (isRelaxed ? .relaxed : nil)
    }

    private static func words(_ findings: [DoctorFinding]) -> String {
        findings.map { finding in
            let head = "\(finding.state.word.padded(to: 8))\(finding.check.rawValue.padded(to: 10))"
            let fix = finding.fix.map { "\n" + "".padded(to: 18) + "-> \($0.printable)" } ?? ""
            return head + finding.sentence.printable + fix + "\n"
        }.joined()
    }

    private static func json(_ findings: [DoctorFinding]) -> String {
        let checks = findings.map { finding in
            JSONValue.object([
                ("check", .string(finding.check.rawValue)), ("state", .string(finding.state.rawValue)),
                ("sentence", .string(finding.sentence)), ("mend", .text(finding.fix)),
            ])
        }
        let isWell = !findings.contains { $0.state == .broken }
        return JSONValue.object([("isWell", .flag(isWell)), ("checks", .array(checks))]).text + "\n"
    }
}
