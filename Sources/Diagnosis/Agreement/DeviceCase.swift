public import ATSPolicy
import Records
public import Text

/// A disagreement as a test case for field evidence: a line of `Tests/Agreement`.
public struct DeviceCase: Sendable {
    private let load: DeviceLoad
    private let declaration: Declaration
    private let law: DevicePredictor
    private let prediction: GatePrediction

    /// - Parameters:
    ///   - load: with names that may be published.
    ///   - declaration: the dictionary that it is judged by, with the same names.
    public init(_ load: DeviceLoad, under declaration: Declaration, switches: JudgeSwitches, appTrust: AppTrust) {
        self.load = load
        self.declaration = declaration
        law = DevicePredictor(declaration, switches: switches, appTrust: appTrust)
        prediction = law.prediction(of: load)
    }

    /// The comparison with these names.
    public var comparison: LoadComparison {
        LoadComparison(load.device, prediction, scheme: load.target.scheme, isReleaseKnown: load.isReleaseKnown)
    }

    /// The case as one JSON object.
    ///
    /// - Parameters:
    ///   - id: the name of the case.
    ///   - source: its public address, or the owner of the log.
    public func json(id: String, source: String) -> JSONValue {
        let comparison = comparison
        let origin = origin
        var members: [(String, JSONValue)] = [
            ("id", .string(id)), ("source", .string(source)), ("system", .string(load.profile.name)),
            ("dictionary", Self.json(.dictionary(declaration.members))), ("url", .string(load.url)),
        ]
        if load.loader != .app { members.append(("loader", .string(load.loader.rawValue))) }
        if let word = origin.word { members.append(("origin", .string(word))) }
        if !load.isReleaseKnown { members.append(("assumed", .flag(true))) }
        members += [("device", device), ("words", .string(Self.words(comparison)))]
        let lines = load.device.lines.map(ConsoleComparison.normal)
        if !lines.isEmpty { members.append(("lines", .texts(lines))) }
        members.append(origin.isKnown ? ("why", .string("Not explained yet.")) : ("unknown", .string(Self.noWord)))
        return .object(members)
    }

    private var device: JSONValue {
        let device = load.device
        // An http load that failed on the network was allowed by ATS.
        let isAllowed = device.outcome == .accepted || device.outcome == .failed && !device.failedInTLS
        var members: [(String, JSONValue)] = [("outcome", .string(isAllowed ? "allowed" : "refused"))]
        if !isAllowed, let code = device.code { members.append(("code", .number(code))) }
        if !isAllowed, let stream = device.streamCode { members.append(("stream", .number(stream))) }
        if let strength = device.ruling?.strength ?? device.systemTrust.map({ _ in 1 }) {
            members.append(("trust", .string(strength == 0 ? "lax" : "strict")))
        }
        let floor = comparison.rows.first { $0.field == .minimumTLS && $0.answer != .unknown }
        if let floor { members.append(("floor", .string(floor.device))) }
        return .object(members)
    }

    /// The origin in the words of the cases; not known if no gate contacted it and its certificates matter.
    private var origin: (word: String?, isKnown: Bool) {
        guard load.target.scheme == .https else { return (nil, true) }
        if let handshake = load.handshake {
            var rule: RuleID?
            if case .refused(_, let deciding) = prediction.outcome { rule = deciding }
            let word = OriginWords.of(handshake, rule: rule)
            return (word, word != nil)
        }
        if case .refused(_, let rule) = prediction.outcome {
            let word = rule == .forwardSecrecy ? "rsa-kx" : load.device.tls?.version == "1.0" ? "tls1.0" : nil
            return (word, word != nil)
        }
        let isFine = load.device.outcome == .accepted || prediction.demands == nil
        return (isFine ? "good" : nil, isFine)
    }

    private static func words(_ comparison: LoadComparison) -> String {
        comparison.rows.filter { $0.answer != .agree && $0.answer != .unknown }
            .map { "\($0.field.rawValue): device \($0.device); gate \($0.gate)." }.joined(separator: " ")
    }

    /// A value of a dictionary; null for data and dates, which ATS does not read.
    public static func json(_ value: PropertyValue) -> JSONValue {
        switch value {
        case .boolean(let flag): .flag(flag)
        case .integer(let number): .string("\(number)")
        case .real(let number): .string("\(number)")
        case .string(let text): .string(text)
        case .array(let nodes): .array(nodes.map { json($0.value) })
        case .dictionary(let members): .object(members.map { ($0.key, json($0.node.value)) })
        case .data, .date: .null
        }
    }

    private static let noWord = "The server's TLS is not known, or has no name in this format yet."
}
