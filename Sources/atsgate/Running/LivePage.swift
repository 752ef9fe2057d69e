import ControlPlane
import Diagnosis
import Foundation
import Logging
import NetLoop
import Onboarding
import ProxyCore
import ProxyServer
import Records
import Reporting
import Setup
import Text

/// The page of a running gate, from the options of a command.
struct LivePage: Sendable {
    private let server: WebServer
    private let feed: LiveFeed
    /// What the gate and its loads tell of devices.
    let devices = DeviceMemory()
    private let clients = ClientSink()
    private let rules: AccessRules
    private let choices: GateChoices
    private let wanted: WebAddress

    /// Listens; nothing is served yet.
    ///
    /// - Parameters:
    ///   - usual: where the page is when nothing is said; nil for nowhere.
    ///   - handed: sockets that are there already.
    /// - Returns: nil where there is to be none.
    /// - Throws: ``CommandFailure`` with 64 for an address that other machines reach without `--allow-lan`, or that is
    ///   not this machine's, with 69 for one that is in use.
    init?(_ choices: GateChoices, usual: WebAddress?, handed: InheritedSockets = .none) throws {
        guard let address = Self.address(choices, usual: usual) else { return nil }
        try choices.checkReach(of: address)
        do throws(NetError) {
            server = try WebServer(address, tries: Self.portsTried, handed: handed)
        } catch {
            let trouble = "the page can not be served: \(error)"
            guard choices.web == nil else { throw CommandFailure.listening(at: address.text, error, trouble) }
            // Nobody asked for it.
            StandardError.say("atsgate: warning: \(trouble)")
            return nil
        }
        self.choices = choices
        wanted = address
        feed = LiveFeed(FeedLimits(hasStore: choices.recordsPath != nil))
        // What an earlier gate left opens nothing any more.
        if let path = choices.webURLFile { WholeFile.forget(path) }
        rules = AccessRules(port: server.address.port, allowsChangesFromOthers: choices.allowsWebChangesFromLAN)
    }

    /// Where it is to be; nil for nowhere.
    static func address(_ choices: GateChoices, usual: WebAddress?) -> WebAddress? {
        switch choices.web {
        case .off: nil
        case .at(let given): given
        case nil: usual
        }
    }

    /// What gathers the records that it shows.
    var sinks: [any RecordSink] { [feed, DeviceSink(devices), clients] }

    /// With the token.
    var url: String { "http://\(server.address.reachable)/?token=\(rules.token.text)" }

    /// Its usual port was taken.
    var remark: String? {
        guard wanted.port != 0, server.address.port != wanted.port else { return nil }
        return "note: port \(wanted.port) is taken, so the page is on port \(server.address.port)"
    }

    /// Other machines can reach it.
    var exposure: String? {
        server.address.isLoopback
            ? nil : "warning: the page can be reached by other machines: everybody who has its address sees all loads"
    }

    /// Serves the page of `open`.
    ///
    /// - Parameters:
    ///   - monitor: that knows how it fares.
    ///   - judging: what of its loads counts.
    /// - Throws: ``CommandFailure`` with 74 when its address can not be told.
    func serve(_ open: OpenGate, _ monitor: GateMonitor, by judging: JudgementRules = JudgementRules()) throws {
        open.gate.whenPolicyChanges { [feed] change in
            let time = Int64(Date().timeIntervalSince1970 * 1000)
            switch change {
            case .inForce(let name): feed.tell(Notice(.policy, time: time, "\(name) is in force"))
            case .kept(let why): feed.tell(Notice(.trouble, time: time, "the old policy stays in force: \(why)"))
            }
        }
        var interface = interface(of: open, by: judging)
        interface.monitor = monitor
        server.start(ControlPlane.site(rules: rules, feed: feed, interface: interface))
        if let path = choices.webURLFile { try WholeFile.writePrivate(url + "\n", to: path) }
    }

    /// Ends it, in a second or two.
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
                open.begin($0)
            })
        let addresses = gate.addresses
        interface.proxies = addresses.filter { $0.speaks != .transparent }.map(\.url)
        interface.phones = { addresses.flatMap(\.phones) }
        interface.devices = { [devices] in devices.devices }
        let peers = addresses.filter { $0.entrance == .wireguard }.compactMap(\.label)
        interface.tunnels = { Self.tunnels(of: peers) }
        interface.clientNotes = { [clients] in clients.sentences }
        interface.fingerprint = gate.authority.spelledFingerprint
        interface.storePath = open.storePath
        if let shared = open.shared {
            interface.sharedStore = { try shared.reader(patience: $0) }
            interface.fleet = { try shared.fleet(hours: $0) }
        }
        interface.switches = choices.settings.switches
        interface.appTrust = open.appTrust
        interface.rules = judging
        let (names, storePath) = (open.names, open.storePath)
        interface.reported = { declaration, recordings, other in
            // Without a store there are only loads of this run.
            guard let storePath else { return names?.declaration(declaration) ?? declaration }
            return try MaskFile.declaration(
                declaration, meeting: recordings, in: other ?? StoreReader(path: storePath), at: storePath)
        }
        interface.problems = { open.problems }
        interface.settle = { open.flush() }
        if choices.allowsPolicyUpload { interface.enforce = { try gate.enforce($0) } }
        return interface
    }

    /// What there is of a tunnel's devices where a gate listens for some.
    ///
    /// - Parameter labels: of its listeners, for a gate that may not read keys.
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
