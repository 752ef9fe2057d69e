public import ATSPolicy
import Records

/// Whom the law is asked for: what a client's loads are judged as, or that they are not.
struct Requester: Hashable, Sendable {
    let loader: Loader
    /// Why its loads are let pass as ones that ATS does not govern; nil for one that is judged.
    let outside: OutsideCause?

    init(_ reading: ClientReading, outside: OutsideCause?) {
        loader = reading.loader
        self.outside = outside
    }

    func ruling(of judge: Judge, on target: LoadTarget) -> Ruling {
        outside == nil ? judge.rule(on: target, loader: loader) : .permit(judge.permit(outside: target))
    }
}

/// Why a client is taken for one that ATS does not govern.
enum OutsideCause: Hashable, Sendable {
    /// By its User-Agent.
    case program(ClientProgram)
    /// It asked no proxy, and its listener does not say whose loads these are.
    case entrance(LoadEntrance)
}

/// How clients are told apart, where neither their listener nor the settings say what they are.
public struct ClientRules: Sendable, Hashable {
    /// What every load is taken for; nil goes by the User-Agent.
    public var loader: Loader?
    public var outside: OutsideClients
    /// The clients were started by a command under test.
    public var isCommand: Bool

    public init(loader: Loader? = nil, outside: OutsideClients = .pass, isCommand: Bool = false) {
        self.loader = loader
        self.outside = outside
        self.isCommand = isCommand
    }

    /// Who a client is, by what its listener says, by the settings, or by its agent: the first that says anything.
    func reading(of agent: String?, from place: ClientPlace) -> ClientReading {
        if let loader = place.assumedLoader ?? loader { return .assumed(loader) }
        let reading = ClientReading(userAgent: agent, isCommand: isCommand)
        return passesOutside(place) ? reading : reading.judged
    }

    /// Why a client's loads are not judged; nil where they are. Most of what gets around a proxy's settings has sockets of
    /// its own, so that a listener for it has to be given a label before its loads are judged as the app's.
    func outsideCause(of reading: ClientReading, from place: ClientPlace) -> OutsideCause? {
        if reading.isOutside, let program = reading.program { return .program(program) }
        guard place.entrance.original != nil, place.label == nil, place.assumedLoader ?? loader == nil,
            passesOutside(place)
        else { return nil }
        return .entrance(place.entrance.recorded)
    }

    private func passesOutside(_ place: ClientPlace) -> Bool { place.outside ?? outside == .pass }
}

extension LoadRecord {
    /// Has the record of a load that ATS does not govern say so: it was not judged, however it ended. What the client or
    /// the gate did stays what it is.
    mutating func leaveOutside(for cause: OutsideCause) {
        let note = RecordedDiagnosis(.outside(cause))
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
    /// ATS does not govern the client.
    static func outside(_ cause: OutsideCause) -> Finding {
        switch cause {
        case .program(let program): outside(program)
        case .entrance(let entrance): outside(entrance)
        }
    }

    private static func outside(_ program: ClientProgram) -> Finding {
        let reason = program.outsideReason
        return seen(
            .clientOutside, "Client that ATS does not govern",
            expected: "URLSession, WebKit or AVFoundation in the app",
            observed: "By its User-Agent the client is \(program.rawValue): \(reason.words). Its loads are not judged; "
                + "--outside judge judges them as the app's.",
            source: [reason.source, "\(LawTopic.outside)"].compactMap(\.self).joined(separator: "; "),
            confidence: reason.confidence)
    }

    private static func outside(_ entrance: LoadEntrance) -> Finding {
        // A captured command has no listener of its user's.
        let labels = entrance == .capture ? "" : "label=LABEL at the listener, or "
        return seen(
            .clientOutside, "Client that nobody has named",
            expected: labels.isEmpty
                ? "a client that asks the proxy" : "a listener with label=LABEL, whose loads are those of the app",
            observed: "The client asked no proxy (\(entrance.rawValue)), as programs do that have sockets and TLS of "
                + "their own, which ATS does not govern. Its loads are not judged; \(labels)--outside judge judges them "
                + "as the app's.",
            source: "Apple, Preventing Insecure Network Connections; \(LawTopic.outside)", confidence: .inferred)
    }
}
