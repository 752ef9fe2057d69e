public import ATSPolicy
import Bytes
import HTTPWire
public import Records
import TLSEngine
public import Text

/// The client, as recognized by its address and its requests' heads, with the latest ruling.
struct ClientRecognition {
    let place: ClientSource
    private(set) var client: RecordedClient
    private var requester: Requester
    private var system: ClientSystem
    /// The policy that `system` belongs to.
    private var policy: GatePolicy
    private var lastRuled: TargetRuling?
    /// The hello of the client's connection; nil before it came, and without TLS.
    private var hello: ClientHelloSight?
    /// The finding about a hello that contradicts the User-Agent.
    private(set) var helloDoubt: RecordedDiagnosis?
    /// The latest load's ruling, and the client with its hello compared under it.
    private var shown: (ruled: TargetRuling, client: RecordedClient)?

    init(_ place: ClientSource, under policy: GatePolicy) {
        self.place = place
        self.policy = policy
        system = policy.systems(for: place).usual
        (client, requester) = Self.recognized(place, agent: nil, hello: nil, policy: policy, system: system)
    }

    /// Updates the client from a head: its User-Agent shows the loader.
    mutating func read(_ head: RequestHead, under policy: GatePolicy) {
        let agent = head.fields.value(of: .userAgent)
        guard agent != client.userAgent || self.policy !== policy else { return }
        recognize(agent: agent, under: policy)
    }

    /// Updates the client from its hello, which may show another program or release than its User-Agent.
    mutating func read(_ hello: ClientHelloSight, under policy: GatePolicy) {
        self.hello = hello
        recognize(agent: client.userAgent, under: policy)
    }

    /// The client of a load, with its hello compared with the rules for the load.
    mutating func client(under ruled: TargetRuling) -> RecordedClient {
        guard let hello else { return client }
        if let shown, shown.ruled === ruled { return shown.client }
        let client = client.showing(hello.compared(under: ruled))
        shown = (ruled, client)
        return client
    }

    /// True if a ruling was made for this client and release.
    func isFor(_ ruled: TargetRuling) -> Bool { ruled.requester == requester && ruled.system === system.policy }

    /// The policy for this client's release, from the gate policy in force.
    mutating func system(under policy: GatePolicy) -> SystemPolicy {
        if self.policy !== policy { recognize(agent: client.userAgent, under: policy) }
        return system.policy
    }

    /// The ruling for a target, remembered for the next load of this connection.
    mutating func ruled(on target: LoadTarget, in loop: LoopContext) -> TargetRuling {
        let system = system(under: loop.policy)
        if let lastRuled, lastRuled.system === system, lastRuled.target == target, lastRuled.requester == requester {
            return lastRuled
        }
        let ruled = loop.rulings.ruled(
            on: target, from: requester, under: system, of: loop.policy, at: place.original)
        lastRuled = ruled
        return ruled
    }

    /// The client and the current ruling for an earlier load, which was sent by `agent`.
    func ruled(on target: LoadTarget, ofAgent agent: String?, in loop: LoopContext) -> (RecordedClient, TargetRuling) {
        let policy = loop.policy
        let system = policy.systems(for: place).system(ofAgent: agent, hello: hello?.reading)
        let (client, requester) = Self.recognized(place, agent: agent, hello: hello, policy: policy, system: system)
        let ruled = loop.rulings.ruled(
            on: target, from: requester, under: system.policy, of: policy, at: place.original)
        return (hello.map { client.showing($0.compared(under: ruled)) } ?? client, ruled)
    }

    private mutating func recognize(agent: String?, under policy: GatePolicy) {
        self.policy = policy
        shown = nil
        system = policy.systems(for: place).system(ofAgent: agent, hello: hello?.reading)
        (client, requester) = Self.recognized(place, agent: agent, hello: hello, policy: policy, system: system)
        helloDoubt = hello.flatMap { policy.rules.clients.doubt($0.reading, over: agent, from: place) }
            .map { RecordedDiagnosis($0) }
    }

    private static func recognized(
        _ place: ClientSource, agent: String?, hello: ClientHelloSight?, policy: GatePolicy, system: ClientSystem
    ) -> (RecordedClient, Requester) {
        let reading = policy.rules.clients.reading(of: agent, from: place)
        let client = RecordedClient(
            address: place.address, label: place.label, userAgent: agent, loader: reading.loader,
            assumed: reading.program, os: system.policy.profile.name, osEvidence: system.guess?.evidence,
            osNotes: system.guess?.notes ?? [])
        let outside = policy.rules.clients.outsideCause(of: reading, hello: hello?.reading, from: place)
        return (
            client.entering(by: place.entrance).showing(hello?.recorded), Requester(reading, outside: outside)
        )
    }
}

/// The client as the rules see it, or the reason why ATS does not apply to it.
struct Requester: Hashable, Sendable {
    let loader: Loader
    /// The reason why ATS does not govern its loads, which then pass; nil for a client that is judged.
    let outside: OutsideCause?

    init(_ reading: ClientReading, outside: OutsideCause?) {
        loader = reading.loader
        self.outside = outside
    }

    func ruling(of judge: Judge, on target: LoadTarget) -> Ruling {
        outside == nil ? judge.rule(on: target, loader: loader) : .permit(judge.permit(outside: target))
    }
}

/// The reason why ATS does not govern a client.
enum OutsideCause: Hashable, Sendable {
    /// By its User-Agent.
    case program(ClientProgram)
    /// It used no proxy, and its listener has no label that names its app.
    case entrance(LoadEntrance)
    /// By its hello, which is that of the named program, or of an unknown one.
    case hello(String?)
}

/// The settings that recognize clients, unless their listener decides.
public struct ClientRules: Sendable, Hashable {
    /// The loader of every load; nil to use the User-Agent.
    public var loader: Loader?
    public var outside: OutsideClients
    /// The clients were started by a command under test.
    public var isCommand: Bool

    public init(loader: Loader? = nil, outside: OutsideClients = .pass, isCommand: Bool = false) {
        self.loader = loader
        self.outside = outside
        self.isCommand = isCommand
    }

    /// Recognizes a client by its listener, then by the settings, then by its agent.
    func reading(of agent: String?, from place: ClientSource) -> ClientReading {
        if let loader = place.assumedLoader ?? loader { return .assumed(loader) }
        let reading = ClientReading(userAgent: agent, isCommand: isCommand)
        return passesOutside(place) ? reading : reading.judged
    }

    /// The reason why a client's loads are not judged; nil if they are. Most clients that bypass a proxy setting have
    /// their own sockets, so their loads are judged as the app's only if the listener has a label.
    func outsideCause(
        of reading: ClientReading, hello: HelloReading? = nil, from place: ClientSource
    ) -> OutsideCause? {
        if reading.isOutside, let program = reading.program { return .program(program) }
        if let hello, isOutside(reading, by: hello, from: place) { return .hello(hello.matches) }
        guard place.original != nil, place.label == nil, place.assumedLoader ?? loader == nil,
            passesOutside(place)
        else { return nil }
        return .entrance(place.entrance)
    }

    /// True if a hello proves that ATS does not govern the client. Programs that are known by their User-Agent, and those
    /// that a command under test started, replace the app in tests: their hello counts only with `--outside hello`.
    private func isOutside(_ reading: ClientReading, by hello: HelloReading, from place: ClientSource) -> Bool {
        guard hello.kind == .other, place.assumedLoader ?? loader == nil else { return false }
        switch place.outside ?? outside {
        case .judge: return false
        case .hello: return true
        case .pass:
            let isNamed = reading.program.map { ![.unknown, .unnamed].contains($0) } ?? false
            return hello.bringsOwnTLS && !isCommand && !isNamed
        }
    }

    /// The finding about a User-Agent of URLSession, a web view or AVFoundation over another program's hello.
    func doubt(_ hello: HelloReading, over agent: String?, from place: ClientSource) -> Finding? {
        guard hello.kind == .other, let agent, place.assumedLoader ?? loader == nil else { return nil }
        let reading = ClientReading(userAgent: agent, isCommand: isCommand)
        guard reading.program == nil else { return nil }
        return .foreignHello(reading.loader, hello.matches)
    }

    private func passesOutside(_ place: ClientSource) -> Bool { place.outside ?? outside != .judge }
}

extension LoadRecord {
    /// Marks the load as one that ATS does not govern, so it was not judged, however it ended. Failures of the client
    /// or the gate keep their verdict.
    mutating func markOutside(for cause: OutsideCause) { markUnjudged(RecordedDiagnosis(.outside(cause))) }

    /// Marks the load as not judged if a proxy hid its origin.
    mutating func markDecrypted() {
        guard let diagnosis = self.diagnosis,
            let finding = diagnosis.findings.first(where: { $0.rule == .netDecrypted })
        else {
            return
        }
        markUnjudged(RecordedDiagnosis(findings: [finding], apple: nil, remedy: diagnosis.remedy))
    }

    private mutating func markUnjudged(_ note: RecordedDiagnosis) {
        switch (self.verdict, self.diagnosis?.rule?.category) {
        case (.outside, _), (.failed, .client), (.failed, .gate), (.blocked, .client), (.blocked, .gate):
            self.diagnosis = self.diagnosis?.adding(note) ?? note
        case (.allowed, _), (.wouldBlock, _), (.blocked, _), (.failed, _):
            self.verdict = .outside
            self.diagnosis = note.adding(self.diagnosis)
        }
    }
}

extension Finding {
    /// The finding that ATS does not govern the client.
    static func outside(_ cause: OutsideCause) -> Finding {
        switch cause {
        case .program(let program): outside(program)
        case .entrance(let entrance): outside(entrance)
        case .hello(let name): outside(helloOf: name)
        }
    }

    private static func outside(helloOf name: String?) -> Finding {
        seen(
            .clientOutside, "Client that ATS does not govern",
            expected: "the hello of Apple's TLS",
            observed:
                "By its hello the client is \(name ?? "a program without Apple's TLS"). Its loads are not judged; "
                + "--outside judge judges them as the app's.",
            source: "Apple, Preventing Insecure Network Connections; docs/law/hellos.md#other-programs",
            confidence: .observed)
    }

    /// The finding that the hello contradicts the User-Agent.
    fileprivate static func foreignHello(_ loader: Loader, _ name: String?) -> Finding {
        let claimed =
            switch loader {
            case .app: "URLSession"
            case .web: "a web view"
            case .media: "AVFoundation"
            }
        return seen(
            .clientForeignHello, "Hello of another program",
            expected: "the hello of Apple's TLS, because the User-Agent is that of \(claimed)",
            observed:
                "The hello is that of \(name ?? "a program that is not known"). A device's load may end differently.",
            source: "docs/law/hellos.md#other-programs", confidence: .observed)
    }

    private static func outside(_ program: ClientProgram) -> Finding {
        let reason = program.outsideReason
        return seen(
            .clientOutside, "Client that ATS does not govern",
            expected: "URLSession, WebKit or AVFoundation in the app",
            observed: "By its User-Agent the client is \(program.rawValue): \(reason.words). Its loads are not judged; "
                + "--outside judge judges them as the app's.",
            source: [reason.source, "\(DocsSection.outside)"].compactMap(\.self).joined(separator: "; "),
            confidence: reason.confidence)
    }

    private static func outside(_ entrance: LoadEntrance) -> Finding {
        // A captured command has no listener that the user could label.
        let labels = entrance == .capture ? "" : "label=LABEL at the listener, or "
        return seen(
            .clientOutside, "Client without a name",
            expected: labels.isEmpty
                ? "a client that uses the proxy" : "a listener with label=LABEL, whose loads are those of the app",
            observed: "The client used no proxy (\(entrance.rawValue)), like programs with their own sockets and TLS, "
                + "which ATS does not govern. Its loads are not judged; \(labels)--outside judge judges them "
                + "as the app's.",
            source: "Apple, Preventing Insecure Network Connections; \(DocsSection.outside)", confidence: .inferred)
    }
}

/// The address of a client, and the settings of its listener.
public struct ClientSource: Sendable, Hashable {
    /// The client's `ADDRESS:PORT`, for records.
    public var address: String
    /// The listener's label, for records.
    public var label: String?
    /// The loader assumed for every load of this listener; overrides the gate's setting.
    public var assumedLoader: Loader?
    /// The handling of this listener's clients that ATS does not govern; overrides the gate's setting.
    public var outside: OutsideClients?
    /// The dictionary and release for this listener's clients; nil for those of the gate.
    public var law: ListenerPolicy?
    /// The way the client names its target.
    public var entrance: LoadEntrance
    /// The original address of a redirected connection; nil for clients of a proxy.
    public var original: OriginalDestination?

    public init(
        address: String, label: String? = nil, assumedLoader: Loader? = nil,
        outside: OutsideClients? = nil, law: ListenerPolicy? = nil, entrance: LoadEntrance = .proxy,
        original: OriginalDestination? = nil
    ) {
        self.address = address
        self.label = label
        self.assumedLoader = assumedLoader
        self.outside = outside
        self.law = law
        self.entrance = entrance
        self.original = original
    }

    /// True if the client is on this machine. Most local addresses need no parser, because they start with 127.
    var isLoopback: Bool { address.hasPrefix("127.") || IPAddress(host)?.isLoopback == true }

    /// The address without the port, which differs for each connection of a client.
    var host: String { (try? Authority(address[...]))?.host ?? address }
}

/// The address of a client's connection before it was redirected: the only address dialed for this client.
public struct OriginalDestination: Sendable, Hashable {
    public var address: IPAddress
    public var port: Int

    public init(address: IPAddress, port: Int) {
        self.address = address
        self.port = port
    }

    /// The address as the host of a URL, an IPv6 address without brackets.
    public var host: String { address.description }
}

/// The dictionary and release for the clients of one listener, if they differ from those of the gate.
public struct ListenerPolicy: Sendable, Hashable {
    /// The file with the app's dictionary; nil for the gate's.
    public var policyPath: String?
    /// The release of its clients; nil for the gate's choice.
    public var system: SystemChoice?

    public init(policyPath: String? = nil, system: SystemChoice? = nil) {
        self.policyPath = policyPath
        self.system = system
    }

    /// True if the listener uses the gate's own dictionary and release.
    public var isUsual: Bool { policyPath == nil && system == nil }
}

/// The release assumed for clients.
public enum SystemChoice: Sendable, Hashable {
    case named(OSProfile)
    /// The release in each client's User-Agent.
    case guessed
}

/// A judge, and whether the User-Agent of a client may change its release.
public struct JudgedSystem: Sendable {
    public var judge: Judge
    public var source: SystemSource

    public init(judge: Judge, source: SystemSource = .named) {
        self.judge = judge
        self.source = source
    }
}

/// A client's hello with its meaning. Clients of one program share it.
final class ClientHelloSight {
    let reading: HelloReading
    /// For records, without the comparison with the rules.
    let recorded: RecordedHello

    init(_ content: HelloContent) {
        reading = HelloReading(content)
        recorded = RecordedHello(reading, ja4: content.ja4)
    }

    /// The hello in the record of a load.
    func compared(under ruled: TargetRuling) -> RecordedHello {
        let isGoverned = !ruled.isOutside && ruled.target.scheme == .https
        return recorded.compared(reading, with: isGoverned ? HelloForecast(ruled.permit) : nil)
    }
}

/// The latest hellos of one loop. Hashing a hello's values costs a tenth of computing its JA4.
struct HelloMemory {
    private var known = WeighedCache<HelloContent, ClientHelloSight>(
        .hellos, limit: 1 << 20, count: HelloMemory.limit)

    mutating func hello(_ content: HelloContent) -> ClientHelloSight {
        if let known = known.value(for: content) { return known }
        let made = ClientHelloSight(content)
        known.keep(made, for: content, bytes: Self.helloBytes)
        return made
    }

    private static let limit = 256
    /// The size of a hello's values and meaning. Real hellos have fewer values.
    private static let helloBytes = 1_024
}
