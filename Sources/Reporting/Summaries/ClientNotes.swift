import ATSPolicy
public import Records

/// What is worth saying of the clients of some loads: that they name another system than the one they are judged by, and
/// that a host was loaded by the app and by clients that ATS does not govern. Its size goes with what is distinct.
public struct ClientNotes: Sendable {
    /// What an agent says of the system that its loads are judged by.
    private struct Claim: Hashable {
        let agent: String
        let judged: String
    }

    /// Names of systems by the one that is judged by instead, both in the order met.
    private var systems: [(judged: String, said: OrderedNames)] = []
    /// Agents that were read before: most loads come from the same few.
    private var known: Set<Claim> = []
    /// Hosts of loads that were judged, and of those that ATS does not govern.
    private var judgedHosts: Set<String> = []
    private var outsideHosts: Set<String> = []
    /// What was put in last: most loads say the same again.
    private var latestHost: String?
    private var latestClaim: Claim?
    private var programs = OrderedNames()
    /// Loads of clients that ATS does not govern.
    private(set) var outsideLoads = 0

    public init() {}

    /// Takes a load in that is about to be filed.
    public mutating func add(_ record: LoadRecord) {
        let client = record.client
        add(
            host: record.load.target.host, verdict: record.verdict,
            outside: Self.isOutside(record.diagnosis) ? client.assumed?.rawValue : nil,
            agent: client.osEvidence == nil ? client.userAgent : nil, judged: client.os)
    }

    /// Takes loads in that are alike.
    mutating func add(_ load: DecodedRecord, verdict: Verdict, loads: Int) {
        let isOutside = load.findings.contains { $0.rule == RuleID.clientOutside.rawValue }
        add(
            host: load.load.host, verdict: verdict, outside: isOutside ? load.client.assumed : nil,
            agent: load.client.osEvidence == nil ? load.client.userAgent : nil, judged: load.client.os, loads: loads)
    }

    private static func isOutside(_ diagnosis: RecordedDiagnosis?) -> Bool {
        diagnosis?.findings.contains { $0.rule == .clientOutside } == true
    }

    /// - Parameters:
    ///   - program: a client that ATS does not govern.
    ///   - agent: of a client whose system was named.
    private mutating func add(
        host: String, verdict: Verdict, outside program: String?, agent: String?, judged: String, loads: Int = 1
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
        guard let judged = OSProfile.named(claim.judged), let said = judged.contradiction(by: claim.agent) else {
            return
        }
        let place = systems.firstIndex { $0.judged == judged.title } ?? systems.count
        if place == systems.count { systems.append((judged.title, OrderedNames())) }
        systems[place].said.add(said.title)
    }

    /// Clients that ATS does not govern, in words: `Safari, Dart`.
    var outsidePrograms: String { programs.text }

    /// A sentence each.
    public var sentences: [String] {
        systems.map { judged, said in
            "Clients say \(Self.few(said.names)); judged as \(judged) (--os auto judges each as it says)."
        } + mixedHosts
    }

    /// An app that sends the agent of another program goes by the law like this.
    private var mixedHosts: [String] {
        let hosts = outsideHosts.intersection(judgedHosts).sorted()
        guard !hosts.isEmpty else { return [] }
        return [
            "\(Self.few(hosts)): loaded by clients that ATS does not govern (\(programs.text)) and by others; an app that "
                + "sends such a User-Agent is not judged. --outside judge judges them all."
        ]
    }

    private static func few(_ names: [String]) -> String {
        let more = names.count > shown ? " and \(names.count - shown) more" : ""
        return names.prefix(shown).joined(separator: ", ") + more
    }

    private static let shown = 5
    /// Whoever asks writes the agent.
    private static let claims = 1_024
}
