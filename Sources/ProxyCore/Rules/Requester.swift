public import ATSPolicy
import Records

/// Whom the law is asked for: what a client's loads are judged as, or that they are not.
struct Requester: Hashable, Sendable {
    let loader: Loader
    /// The program that ATS does not govern and whose loads are let pass for that; nil for one that is judged.
    let outside: ClientProgram?

    init(_ reading: ClientReading) {
        loader = reading.loader
        outside = reading.isOutside ? reading.program : nil
    }

    func ruling(of judge: Judge, on target: LoadTarget) -> Ruling {
        outside == nil ? judge.rule(on: target, loader: loader) : .permit(judge.permit(outside: target))
    }
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
        return place.outside ?? outside == .judge ? reading.judged : reading
    }
}

extension LoadRecord {
    /// Has the record of a load that ATS does not govern say so: it was not judged, however it ended. What the client or
    /// the gate did stays what it is.
    mutating func leaveOutside(_ program: ClientProgram) {
        let note = RecordedDiagnosis(.outside(program))
        switch (verdict, diagnosis?.rule?.category) {
        case (.outside, _), (.failed, .client), (.failed, .gate), (.blocked, .client), (.blocked, .gate):
            diagnosis = diagnosis?.adding(note) ?? note
        case (.allowed, _), (.wouldBlock, _), (.blocked, _), (.failed, _):
            verdict = .outside
            diagnosis = note.adding(diagnosis)
        }
    }
}

extension Finding {
    /// ATS does not govern the client.
    static func outside(_ program: ClientProgram) -> Finding {
        let reason = program.outsideReason
        return seen(
            .clientOutside, "Client that ATS does not govern",
            expected: "URLSession, WebKit or AVFoundation in the app",
            observed: "By its User-Agent the client is \(program.rawValue): \(reason.words). Its loads are not judged; "
                + "--outside judge judges them as the app's.",
            source: [reason.source, "\(LawTopic.outside)"].compactMap(\.self).joined(separator: "; "),
            confidence: reason.confidence)
    }
}
