import ATSPolicy
import Records
import Text

/// The output of `probe --json` for one target on one release.
public struct ProbeReport: Sendable {
    public let result: ProbeResult
    public let matrix: ProbeMatrix?

    public init(_ result: ProbeResult, matrix: ProbeMatrix? = nil) {
        self.result = result
        self.matrix = matrix
    }

    /// One object on one line, keys in a fixed order; those of `findings`, `apple`, `origin` and `remedy` are those of a
    /// record. docs/probe.md lists them.
    public var json: String {
        let diagnosis = result.verdict == .pass && result.diagnosis?.apple == nil ? nil : result.diagnosis
        return JSONValue.object([
            ("url", .string(result.target.url)),
            ("os", .string(result.system.name)),
            ("verdict", .string(result.verdict.rawValue)),
            ("rule", .text(result.rule?.rawValue)),
            ("findings", .array((result.diagnosis?.findings ?? []).map { .json(FindingFields.json(of: $0)) })),
            ("apple", (diagnosis?.apple).map { .json(AppleFields.json(of: $0)) } ?? .null),
            ("origin", (result.decisive?.origin).map { .json(OriginFields.json(of: $0.members)) } ?? .null),
            ("quantumSecure", (result.decisive?.quantumSecurity?.isSecure).map { .flag($0) } ?? .null),
            ("remedy", (diagnosis?.remedy).map { .json(RemedyFields.json(of: $0)) } ?? .null),
            ("smallestException", result.exception.map(Self.json) ?? .null),
            ("matrix", matrix.map { .array($0.rows.map(Self.json)) } ?? .null),
            ("exceptions", .null),
        ]).text
    }

    private static func json(_ fix: ExceptionFix) -> JSONValue {
        json(Declaration.secureDefaults.adding(fix).entries)
    }

    private static func json(_ row: ProbeMatrix.Row) -> JSONValue {
        let apple = row.isPassed ? nil : row.result.diagnosis?.apple
        return .object([
            ("name", .string(row.test.name)), ("dictionary", json(row.test.members)),
            ("result", .string(row.isPassed ? "PASS" : "FAIL")), ("code", .number(apple?.code)),
            ("streamCode", .number(apple?.streamErrorCode)),
        ])
    }

    private static func json(_ members: [PropertyMember]) -> JSONValue {
        .object(members.map { ($0.key, json($0.node.value)) })
    }

    private static func json(_ value: PropertyValue) -> JSONValue {
        switch value {
        case .boolean(let flag): .flag(flag)
        case .integer(let number): .number(Int(number))
        case .real(let number): .json("\(number)")
        case .string(let text): .string(text)
        case .array(let nodes): .array(nodes.map { json($0.value) })
        case .dictionary(let members): json(members)
        case .data, .date: .null
        }
    }
}
