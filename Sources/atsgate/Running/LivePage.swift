import ControlPlane
import Diagnosis
import Foundation
import NetLoop
import Onboarding
import ProxyCore
import ProxyServer
import Records
import Reporting
import Setup
import Synchronization
import Text

/// The page of a running gate, from the options of a command.
struct LivePage: Sendable {
    private let server: WebServer
    private let feed: LiveFeed
    private let facts = PageSink()
    private let rules: AccessRules
    private let choices: GateChoices
    private let wanted: WebAddress

    /// Opens the listener; serves nothing yet.
    ///
    /// - Parameters:
    ///   - usual: the default address of the page; nil for no page.
    ///   - handed: sockets that are already open.
    /// - Returns: nil if there is no page.
    /// - Throws: ``CommandFailure`` with 64 for an address that other machines can reach, without `--allow-lan`, or
    ///   that this machine does not have; with 69 for one that is in use.
    init?(_ choices: GateChoices, usual: WebAddress?, handed: InheritedSockets = .none) throws {
        guard let address = Self.address(choices, usual: usual) else { return nil }
        try choices.checkReach(of: address)
        do throws(NetError) {
            server = try WebServer(address, tries: Self.portsTried, handed: handed)
        } catch {
            let trouble = "the page cannot be served: \(error)"
            guard choices.web == nil else { throw CommandFailure.listening(at: address.text, error, trouble) }
            // The page was not requested.
            StandardError.writeLine("atsgate: warning: \(trouble)")
            return nil
        }
        self.choices = choices
        wanted = address
        feed = LiveFeed()
        // The URL of an earlier gate is no longer valid.
        if let path = choices.webURLFile { WholeFile.forget(path) }
        rules = AccessRules(port: server.address.port, allowsChangesFromOthers: choices.allowsWebChangesFromLAN)
    }

    /// The address of the page; nil for none.
    static func address(_ choices: GateChoices, usual: WebAddress?) -> WebAddress? {
        switch choices.web {
        case .off: nil
        case .at(let given): given
        case nil: usual
        }
    }

    /// The sinks that collect the records for the page.
    var sinks: [any RecordSink] { [feed, facts] }

    /// Facts about devices, from the gate and its loads.
    var devices: DeviceMemory { facts.devices }

    /// The address with the token.
    var url: String { "http://\(server.address.reachable)/?token=\(rules.token.text)" }

    /// A note if the usual port was in use.
    var remark: String? {
        guard wanted.port != 0, server.address.port != wanted.port else { return nil }
        return "note: port \(wanted.port) is in use, so the page is on port \(server.address.port)"
    }

    /// A warning if other machines can reach the page.
    var exposure: String? {
        server.address.isLoopback
            ? nil : "warning: other machines can reach the page: anyone with its address can see all loads"
    }

    /// Serves the page of `open`.
    ///
    /// - Parameters:
    ///   - monitor: the monitor of the gate.
    ///   - judging: the loads that count as failures.
    /// - Throws: ``CommandFailure`` with 74 if its address cannot be written.
    func serve(_ open: OpenGate, _ monitor: GateMonitor, by judging: JudgementRules = JudgementRules()) throws {
        open.gate.whenPolicyChanges { [feed] change in
            let time = Int64(Date().timeIntervalSince1970 * 1000)
            switch change {
            case .inForce(let name): feed.show(Notice(.policy, time: time, "\(name) is in force"))
            case .kept(let why): feed.show(Notice(.trouble, time: time, "the old policy stays in force: \(why)"))
            }
        }
        var interface = interface(of: open, by: judging)
        interface.monitor = monitor
        server.start(ControlPlane.site(rules: rules, feed: feed, interface: interface))
        if let path = choices.webURLFile { try WholeFile.writePrivate(url + "\n", to: path) }
    }

    /// Stops the page within a second or two.
    func stop() {
        server.stop()
        if let path = choices.webURLFile { WholeFile.forget(path) }
    }

    private func interface(of open: OpenGate, by judging: JudgementRules) -> GateInterface {
        let gate = open.gate
        let (profile, mode) = (choices.settings.profile, choices.settings.rules.mode.rawValue)
        var interface = GateInterface(
            version: toolVersion,
            state: {
                GateInterface.State(
                    declaration: gate.declaration, profile: profile, usualProfile: gate.usualProfile, mode: mode,
                    recording: gate.recording)
            },
            startRecording: {
                try gate.startRecording($0)
                open.records.begin($0)
            })
        interface.command = choices.proxyCommand
        let addresses = gate.addresses
        interface.proxies = addresses.filter { !$0.entrance.isRedirected }.map(\.url)
        interface.phones = { addresses.flatMap(\.phones) }
        interface.devices = { [facts] in facts.devices.devices }
        let peers = addresses.filter { $0.entrance == .wireguard }.compactMap(\.label)
        interface.tunnels = { Self.tunnels(of: peers) }
        interface.clientNotes = { [facts] in facts.clientNotes }
        interface.fingerprint = gate.authority.spelledFingerprint
        interface.storePath = open.records.storePath
        interface.reader = { try open.records.reader() }
        if let shared = open.records.shared {
            interface.sharedStore = { try shared.reader(timeout: $0) }
            interface.fleet = { try shared.fleet(hours: $0) }
        }
        interface.switches = choices.settings.switches
        interface.appTrust = open.appTrust
        interface.rules = judging
        let (names, storePath) = (open.names, open.records.storePath)
        interface.reported = { declaration, recordings, other in
            // A store in memory has only the loads of this run.
            guard let storePath else { return names?.declaration(declaration) ?? declaration }
            return try MaskFile.declaration(
                declaration, meeting: recordings, in: other ?? open.records.reader(), at: storePath)
        }
        interface.masked = { reader, filter, names in
            try ReportSource.maskedCopy(of: filter, from: reader, masking: names).reader
        }
        interface.problems = { open.problems }
        interface.settle = { open.flush() }
        if choices.allowsPolicyUpload { interface.enforce = { try gate.enforce($0) } }
        return interface
    }

    /// The tunnels of devices, if the gate listens for some.
    ///
    /// - Parameter labels: the labels of its listeners, for a gate that may not read keys.
    private static func tunnels(of labels: [String]) -> [GateInterface.Tunnel] {
        guard !labels.isEmpty else { return [] }
        let folder = DataDirectory.tunnelKeys
        let readable = TunnelSetup.peers(in: folder)
        guard !readable.isEmpty else {
            return Set(labels).sorted().map { GateInterface.Tunnel(peer: $0, configuration: nil) }
        }
        return readable.map { peer in
            let configuration = try? TunnelSetup.configuration(of: peer, in: folder)
            return GateInterface.Tunnel(peer: peer, configuration: configuration ?? nil)
        }
    }

    private static let portsTried = 20
}

/// Collects facts about devices and clients while a gate runs, for its page.
final class PageSink: RecordSink {
    let name = "page"
    let devices = DeviceMemory()
    private let clients = Mutex(ClientNotes())

    func write(_ records: [LoadRecord]) {
        devices.note(records)
        clients.withLock { clients in
            for record in records { clients.add(record) }
        }
    }

    func close() {}

    /// Notes on the clients, each a sentence.
    var clientNotes: [String] { clients.withLock { $0.sentences } }
}

extension GateChoices {
    /// A command that starts such a gate, without addresses, for the page to add some: the gate's options of this
    /// command line. Options with secrets are left out, and with masks also those that contain hosts.
    var proxyCommand: String {
        let line = CommandWords(
            ReadingOptions.current(Array(CommandLine.arguments.dropFirst())), of: ATSGate.self)
        let left = Self.addressOptions.union(Self.secretOptions).union(masks.isEmpty ? [] : Self.hostOptions)
        let gate = DeclaredArgument.ofGate.flatMap { $0.names ?? [] }.map(\.name)
        let words = line.options.filter { gate.contains($0.name) && !left.contains($0.name) }.map(\.words)
        return (["atsgate proxy"] + words).joined(separator: " ")
    }

    private static let addressOptions: Set = [
        "listen", "allow-lan", "web", "web-url-file", "metrics", "names", "port-file",
    ]
    private static let secretOptions: Set = ["parent", "store"]
    private static let hostOptions: Set = [
        "mask", "connect-to", "passthrough", "app-pin", "app-overrides-trust", "client-cert", "no-parent",
    ]
}
