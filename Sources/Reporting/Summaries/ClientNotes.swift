import ATSPolicy
public import Records

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
