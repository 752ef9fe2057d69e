import ATSPolicy
public import Records
import Text

/// The end of a text report: explanations of the table.
struct ReportHints: Sendable {
    private var wouldBlock = 0
    /// Loads in witness mode.
    private var witnessed = 0
    private var outside = 0
    /// Loads whose origin a proxy hid, and the way to see it.
    private var decrypted = 0
    private var wayOut: String?
    private(set) var clients = ClientNotes()
    private var hasGenericAlert = false
    private var hasFailure = false
    private var failsOnDevice = 0
    private var leavesRefused = 0
    private var hasInference = false
    private var hasMask = false

    /// Adds similar loads.
    mutating func add(_ load: LoadRecord, loads: Int) {
        let verdict = load.verdict
        if load.policy.mode == RecordingOverview.Mode.witness.rawValue {
            witnessed += loads
        } else if verdict == .wouldBlock {
            wouldBlock += loads
        }
        if verdict == .outside { outside += loads }
        if verdict == .outside, load.rule == .netDecrypted {
            decrypted += loads
            wayOut = wayOut ?? load.diagnosis?.remedy?.sentences.first
        }
        clients.add(load, loads: loads)
        if verdict == .failed { addFailure(load.rule, loads) }
        if load.diagnosis?.apple?.streamErrorCode == genericAlert { hasGenericAlert = true }
        if verdict != .outside, load.diagnosis?.findings.first?.confidence == .inferred { hasInference = true }
        if !load.masked.isEmpty { hasMask = true }
    }

    private mutating func addFailure(_ rule: RuleID?, _ loads: Int) {
        if rule == .clientRejectedLeaf {
            leavesRefused += loads
        } else if rule?.category == .tls {
            failsOnDevice += loads
        } else {
            hasFailure = true
        }
    }

    /// The hints that apply; empty if there are none.
    func text(colours: TerminalColours) -> String {
        let hints = lines
        guard !hints.isEmpty else { return "" }
        return "\n" + colours.strong("HINTS") + "\n" + hints.map { "  - \($0)\n" }.joined()
    }

    /// The hints, a sentence each.
    var lines: [String] {
        var hints: [String] = []
        if hasGenericAlert {
            hints.append("-9802 is the catch-all TLS error of a device; the rule names the cause.")
        }
        if wouldBlock > 0 {
            hints.append("Audit mode let \(wouldBlock.loads) through that a device would block.")
        }
        if witnessed > 0 {
            hints.append(
                "Witness mode blocked nothing and decrypted no TLS: the verdicts of \(witnessed.loads) are "
                    + "predictions. `device` in each record is what the device did.")
        }
        if leavesRefused > 0 {
            hints.append(
                "The client rejected the gate's certificate for \(leavesRefused.loads). Install the CA that atsgate ca "
                    + "export writes; for an app that pins its server, use --passthrough HOST.")
        }
        if failsOnDevice > 0 {
            hints.append(
                "\(failsOnDevice.loads) failed for other reasons than ATS, and would fail on a device, too. See: "
                    + "atsgate probe HOST")
        }
        if hasFailure {
            hints.append("The cause of a failed load is the network or the server, not ATS.")
        }
        hints += outsideLines
        hints += clients.sentences
        if hasInference {
            hints.append("(inferred): no public source shows this case on a device; it is derived from related cases.")
        }
        if hasMask {
            hints.append("*** replaces a value that was not recorded, and masked- with letters replaces a name.")
        }
        return hints
    }

    /// The loads that ATS does not govern.
    private var outsideLines: [String] {
        var lines: [String] = []
        if decrypted > 0 {
            lines.append(
                "Not judged: \(decrypted.loads), because a proxy after the gate decrypts the connection and hides the "
                    + "server. \(wayOut ?? "") They fail for the app if the gate does not trust the proxy's CA: "
                    + "--extra-ca PROXY-CA.pem lets them pass, not judged.")
        }
        if clients.outsideLoads > 0 {
            lines.append(
                "Not judged: \(clients.outsideLoads.loads) of clients that ATS does not govern "
                    + "(\(clients.outsidePrograms)). To judge them as the app: --outside judge")
        }
        if outside > clients.outsideLoads + decrypted {
            let others = (outside - clients.outsideLoads - decrypted).loads
            lines.append("Not judged: \(others) outside ATS, which carried neither HTTP nor TLS.")
        }
        return lines
    }
}

/// errSSLFatalAlert. Source: Security, SecBase.h; docs/law/errors.md#stream-codes.
private let genericAlert = -9802

/// Collects remarks about the clients of loads. Some clients report another release than the one they are judged as;
/// some hosts were loaded both by the app and by clients that ATS does not govern. The size grows with distinct values
/// only.
public struct ClientNotes: Sendable {
    /// A User-Agent, and the release that its loads are judged as.
    private struct Claim: Hashable {
        let agent: String
        let judged: String
    }

    /// Releases that clients reported, grouped by the release they are judged as, in order of first use.
    private var systems: [(judged: String, said: OrderedNames)] = []
    /// Claims that were handled before: most loads come from the same few.
    private var known: Set<Claim> = []
    /// Hosts of judged loads, and hosts of loads that ATS does not govern.
    private var judgedHosts: Set<String> = []
    private var outsideHosts: Set<String> = []
    /// The last values added: most loads have the same.
    private var latestHost: String?
    private var latestClaim: Claim?
    private var programs = OrderedNames()
    /// Loads of clients that ATS does not govern.
    private(set) var outsideLoads = 0

    public init() {}

    /// Adds similar loads.
    public mutating func add(_ record: LoadRecord, loads: Int = 1) {
        let client = record.client
        let isOutside = record.diagnosis?.findings.contains { $0.rule == .clientOutside } == true
        add(
            host: record.load.target.host, verdict: record.verdict,
            outside: isOutside ? client.outsideProgram : nil,
            agent: client.osEvidence == nil ? client.userAgent : nil, judged: client.os, loads: loads)
    }

    /// - Parameters:
    ///   - program: the client's program, if ATS does not govern it.
    ///   - agent: the User-Agent, if the release was not derived from it.
    private mutating func add(
        host: String, verdict: Verdict, outside program: String?, agent: String?, judged: String, loads: Int
    ) {
        if let program, verdict == .outside {
            outsideLoads += loads
            programs.add(program)
            outsideHosts.insert(host)
        }
        guard program == nil, verdict != .outside else { return }
        if verdict != .failed, host != latestHost {
            latestHost = host
            judgedHosts.insert(host)
        }
        guard let agent, latestClaim?.agent != agent || latestClaim?.judged != judged else { return }
        let claim = Claim(agent: agent, judged: judged)
        latestClaim = claim
        note(claim)
    }

    private mutating func note(_ claim: Claim) {
        guard known.insert(claim).inserted else { return }
        if known.count > Self.claims { known = [claim] }
        guard let judged = OSProfile.named(claim.judged), let said = judged.differingProfile(in: claim.agent) else {
            return
        }
        let place = systems.firstIndex { $0.judged == judged.title } ?? systems.count
        if place == systems.count { systems.append((judged.title, OrderedNames())) }
        systems[place].said.add(said.title)
    }

    /// The clients that ATS does not govern: `Safari, Dart`.
    var outsidePrograms: String { programs.text }

    /// One sentence for each remark.
    public var sentences: [String] {
        systems.map { judged, said in
            "Clients report \(Self.few(said.names)) but are judged as \(judged). To judge each client by its own release: --os auto."
        } + mixedHosts
    }

    /// Such a client may be the app itself, if it sends the User-Agent of another program.
    private var mixedHosts: [String] {
        let hosts = outsideHosts.intersection(judgedHosts).sorted()
        guard !hosts.isEmpty else { return [] }
        return [
            "\(Self.few(hosts)): some loads came from clients that ATS does not govern (\(programs.text)) and were "
                + "not judged. If these clients are the app: --outside judge."
        ]
    }

    private static func few(_ names: [String]) -> String {
        let more = names.count > shown ? " and \(names.count - shown) more" : ""
        return names.prefix(shown).joined(separator: ", ") + more
    }

    private static let shown = 5
    /// A limit, because clients choose the User-Agent.
    private static let claims = 1_024
}
