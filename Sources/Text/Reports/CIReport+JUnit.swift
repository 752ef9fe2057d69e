extension CIReport {
    /// JUnit XML. Source: the schema of the Jenkins xUnit plugin, junit-10.xsd, which has the elements and attributes
    /// that all readers support.
    var junit: String {
        var suites = suites.map { suite in
            JUnitSuite(suite: suite, cases: suite.tests.map { JUnitCase($0, in: suite.className) })
        }
        if let nothing, let last = suites.indices.last {
            suites[last].cases.append(JUnitCase(nothing: nothing, in: suites[last].suite.className))
        }
        let counts = JUnitSuite.counts(suites.flatMap(\.cases))
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"\(name.inXML)\" \(counts)>\n"
            + suites.map(\.element).joined() + "</testsuites>\n"
    }
}

private struct JUnitSuite {
    let suite: CIReport.Suite
    var cases: [JUnitCase]

    var element: String {
        var head = "  <testsuite name=\"\(suite.name.inXML)\" \(Self.counts(cases))"
        head += " skipped=\"\(cases.count { $0.kind == .skipped })\""
        if let time = suite.timestamp { head += " timestamp=\"\(time.inXML)\"" }
        let known = cases.compactMap(\.milliseconds)
        if !known.isEmpty { head += JUnitCase.time(known.reduce(0, +)) }
        return head + ">\n" + properties + cases.map(\.element).joined() + "  </testsuite>\n"
    }

    static func counts(_ cases: [JUnitCase]) -> String {
        let (failures, errors) = (cases.count { $0.kind == .failure }, cases.count { $0.kind == .error })
        return "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\""
    }

    private var properties: String {
        guard !suite.properties.isEmpty else { return "" }
        let lines = suite.properties.map { name, value in
            "      <property name=\"\(name.inXML)\" value=\"\(value.inXML)\"/>\n"
        }
        return "    <properties>\n" + lines.joined() + "    </properties>\n"
    }
}

private struct JUnitCase {
    enum Kind: String {
        case passed, skipped, failure, error
    }

    private let name: String
    private let className: String
    private let file: (path: String, line: Int?)?
    let milliseconds: Int64?
    let kind: Kind
    private var type: String?
    private var message = ""
    private var body = ""

    /// The worst findings decide: those that fail, then what was not checked, known ones, and uncounted ones.
    init(_ test: CIReport.Test, in className: String) {
        name = test.name
        self.className = className
        milliseconds = test.milliseconds
        file = test.file
        let ranked = test.findings.sorted { $0.effect.rank < $1.effect.rank }
        guard let worst = ranked.first else {
            kind = test.skipped == nil ? .passed : .skipped
            message = test.skipped ?? ""
            return
        }
        let same = ranked.filter { $0.effect.rank == worst.effect.rank }
        let more = same.count - 1
        let others = more == 0 ? "" : "; and \(more) more \(more == 1 ? "problem" : "problems")"
        let words = worst.words
        switch worst.effect {
        case .fails, .unchecked:
            kind = worst.effect == .fails ? .failure : .error
            type = worst.rule.id
            message = (words.details.isEmpty ? words.message : words.title) + others
            body = Self.details(of: same)
        case .known(let file):
            kind = .skipped
            message = "known: \(file)"
            body = Self.details(of: same)
        case .uncounted(let reason):
            kind = .skipped
            message = reason
            body = Self.details(of: same)
        case .remark:
            kind = .passed
            body = same.map { "\($0.level.rawValue): \($0.words.message)" }.joined(separator: "\n")
        }
    }

    init(nothing reason: String, in className: String) {
        (name, self.className, file, milliseconds) = ("loads", className, nil, nil)
        (kind, type, message) = (.error, "nothing-judged", reason)
    }

    private static func details(of findings: [CIFinding]) -> String {
        findings.map(\.words.details).filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    var element: String {
        var head = "    <testcase classname=\"\(className.inXML)\" name=\"\(name.inXML)\""
        if let file { head += " file=\"\(file.path.inXML)\"" + (file.line.map { " line=\"\($0)\"" } ?? "") }
        if let milliseconds { head += Self.time(milliseconds) }
        guard let child else { return head + "/>\n" }
        return head + ">\n      \(child)\n    </testcase>\n"
    }

    private var child: String? {
        guard kind != .passed else { return body.isEmpty ? nil : "<system-out>\(body.inXML)</system-out>" }
        let type = type.map { " type=\"\($0.inXML)\"" } ?? ""
        let start = "<\(kind.rawValue)\(type) message=\"\(message.inXML)\""
        return start + (body.isEmpty ? "/>" : ">\(body.inXML)</\(kind.rawValue)>")
    }

    /// Seconds with three decimals, as an attribute.
    static func time(_ milliseconds: Int64) -> String {
        let digits = String(milliseconds % 1000)
        let fraction = String(repeating: "0", count: max(0, 3 - digits.count)) + digits
        return " time=\"\(milliseconds / 1000).\(fraction)\""
    }
}

extension CIFinding.Effect {
    /// The order in which findings decide about their test.
    fileprivate var rank: Int {
        switch self {
        case .fails: 0
        case .unchecked: 1
        case .known: 2
        case .uncounted: 3
        case .remark: 4
        }
    }
}

extension String {
    /// The text for an attribute or an element.
    fileprivate var inXML: String { XMLText.escaped(printableLines) }
}
