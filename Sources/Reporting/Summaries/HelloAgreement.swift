public import ATSPolicy
import Records
import Text

/// Compares the hellos of devices with the predictions of the rules, by host. The end of a run and every report use this
/// one count. A connection's hello counts once, however many loads it carried.
public struct HelloAgreement: Sendable {
    /// A host where the two differ in one way.
    public struct Difference: Sendable, Hashable {
        public let host: String
        public let answer: HelloAnswer
        /// The device's state, and its lowest version if that is the difference.
        public let device: String
        public let law: String
        public fileprivate(set) var hellos = 0

        /// The meaning for the tester, without a full stop.
        public var sentence: String? { InstalledBuild.sentence(answer, host: host) }
    }

    private var connections: Set<Int> = []
    private var found: [[String]: Difference] = [:]
    /// The hellos that were compared, and those that agree.
    public private(set) var hellos = 0
    public private(set) var agreeing = 0
    /// The hellos by reading, including those that cannot be compared.
    private(set) var readings: [HelloReading.Kind: Int] = [:]

    public init() {}

    /// - Parameter address: of the client, with the port, which identifies the connection.
    mutating func add(_ hello: RecordedHello, to host: String, from address: String) {
        guard isNew(address, host, hello) else { return }
        readings[hello.reads, default: 0] += 1
        guard let answer = hello.answer, let law = hello.law else { return }
        hellos += 1
        guard answer != .agree else {
            agreeing += 1
            return
        }
        let isVersion = hello.reads == law
        let device = Self.words(hello.reads, isVersion ? hello.minimum : nil)
        let predicted = Self.words(law, isVersion ? hello.lawMinimum : nil)
        let key = [host, device, predicted]
        guard found[key] != nil || found.count < Self.mostHosts else { return }
        found[key, default: Difference(host: host, answer: answer, device: device, law: predicted)].hellos += 1
    }

    /// Forgets old connections if there are too many: a later load of one of them would count again.
    private mutating func isNew(_ address: String, _ host: String, _ hello: RecordedHello) -> Bool {
        var hasher = Hasher()
        hasher.combine(address)
        hasher.combine(host)
        hasher.combine(hello)
        if connections.count >= Self.mostConnections { connections.removeAll(keepingCapacity: true) }
        return connections.insert(hasher.finalize()).inserted
    }

    private static func words(_ kind: HelloReading.Kind, _ minimum: TLSVersion?) -> String {
        kind.words + (minimum.map { ", TLS \($0.name) or later" } ?? "")
    }

    public var differs: Bool { agreeing < hellos }
    var isEmpty: Bool { hellos == 0 }

    /// The differences, by host.
    public var differences: [Difference] {
        found.values.sorted { ($0.host, $0.device, $0.law) < ($1.host, $1.device, $1.law) }
    }

    /// The result in one line, then a sentence for each host where the installed build differs; empty if no hello was
    /// compared.
    public var lines: [String] {
        guard !isEmpty else { return [] }
        let differences = differences
        var line = "device and law agree on \(agreeing) of \(hellos) hellos"
        if !differences.isEmpty { line += "; differ: " + Self.list(differences.map(\.words)) }
        return [line] + Set(differences.compactMap(\.sentence)).sorted().prefix(Self.shown)
    }

    private static func list(_ texts: [String]) -> String {
        let more = texts.count - shown
        return texts.prefix(shown).joined(separator: ", ") + (more > 0 ? ", and \(more) more" : "")
    }

    /// A limit, because clients choose the host.
    private static let mostHosts = 4_096
    private static let mostConnections = 1 << 20
    private static let shown = 10
}

extension HelloAgreement.Difference {
    /// For example `cdn.example.com (device: ATS not in force; law: ATS in force)`.
    var words: String { "\(host) (device: \(device); law: \(law))" }
}

// MARK: - Reports

extension HelloAgreement {
    /// The section of a text report; empty if no hello was compared.
    func text(colours: TerminalColours) -> String {
        guard let first = lines.first else { return "" }
        return "\n" + colours.strong("HELLOS") + "  \(first.printable)\n"
            + lines.dropFirst().map { "  \($0.printable)\n" }.joined()
    }

    /// The section of a Markdown report; empty if no hello was compared.
    var markdown: String {
        guard let first = lines.first else { return "" }
        return "\n**Hellos**: \(MarkdownText.escaped(first))\n"
            + lines.dropFirst().map { "\n- \(MarkdownText.escaped($0))" }.joined() + "\n"
    }

    /// The values for its section of the page's template; nil if no hello was compared.
    var html: [String: Any]? {
        lines.first.map { ["summary": $0.capitalizedFirst + ".", "sentences": Array(lines.dropFirst())] }
    }

    /// docs/report.md#json; nil if no client sent a hello.
    var json: JSONValue? {
        guard !readings.isEmpty else { return nil }
        return .object([
            ("hellos", .number(hellos)), ("agree", .number(agreeing)),
            (
                "readings",
                .object(
                    HelloReading.Kind.allCases.compactMap { kind in
                        readings[kind].map { (kind.rawValue, .number($0)) }
                    })
            ), ("differences", .array(differences.map(\.json))),
        ])
    }
}

extension HelloAgreement.Difference {
    fileprivate var json: JSONValue {
        .object([
            ("host", .string(host)), ("answer", .string(answer.rawValue)), ("device", .string(device)),
            ("law", .string(law)), ("hellos", .number(hellos)), ("installedBuild", .text(sentence)),
        ])
    }
}
