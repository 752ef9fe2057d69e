/// JUnit XML for CI systems. Source: the schema of the Jenkins xUnit plugin, junit-10.xsd, which has the elements and
/// attributes that all readers support.
public struct JUnitDocument: Sendable {
    /// One test case.
    public struct Case: Sendable {
        /// The result of a test case.
        public enum Outcome: Sendable {
            case passed
            /// Passed, with a remark.
            case told(String)
            /// Not checked or not counted: the reason, and details.
            case skipped(String, String = "")
            /// A check that failed: its kind, one sentence, and details.
            case failure(type: String, message: String, body: String = "")
            /// An error before anything could be checked.
            case error(type: String, message: String, body: String = "")
        }

        let group: String
        let name: String
        /// The file, with a line if it is known.
        let file: (path: String, line: Int?)?
        /// The duration; nil if it is unknown.
        let milliseconds: Int64?
        let outcome: Outcome

        /// - Parameter group: shown as the class name by readers.
        public init(
            _ name: String, in group: String, at file: (path: String, line: Int?)? = nil, milliseconds: Int64? = nil,
            _ outcome: Outcome
        ) {
            self.name = name
            self.group = group
            self.file = file
            self.milliseconds = milliseconds
            self.outcome = outcome
        }
    }

    /// A named group of cases.
    public struct Suite: Sendable {
        let name: String
        /// ISO 8601 without fraction and zone.
        let timestamp: String?
        /// Properties that apply to all cases.
        let properties: [(name: String, value: String)]
        let cases: [Case]

        public init(
            _ name: String, timestamp: String? = nil, properties: [(name: String, value: String)] = [], _ cases: [Case]
        ) {
            self.name = name
            self.timestamp = timestamp
            self.properties = properties
            self.cases = cases
        }
    }

    private let name: String
    private let suites: [Suite]

    public init(_ name: String, _ suites: [Suite]) {
        self.name = name
        self.suites = suites
    }

    /// The whole document.
    public var text: String {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        text += "<testsuites name=\"\(Self.escaped(name))\" \(Self.counts(suites.flatMap(\.cases)))>\n"
        for suite in suites {
            text += "  <testsuite name=\"\(Self.escaped(suite.name))\" \(Self.counts(suite.cases))"
            text += " skipped=\"\(suite.cases.count { $0.outcome.isSkipped })\""
            if let time = suite.timestamp { text += " timestamp=\"\(Self.escaped(time))\"" }
            text += Self.time(suite.milliseconds) + ">\n" + suite.propertyElements
            text += suite.cases.map(Self.element).joined() + "  </testsuite>\n"
        }
        return text + "</testsuites>\n"
    }

    /// Text for an attribute or an element.
    fileprivate static func escaped(_ text: String) -> String { XMLText.escaped(text.printableLines) }

    private static func counts(_ cases: [Case]) -> String {
        let failures = cases.count { if case .failure = $0.outcome { true } else { false } }
        let errors = cases.count { if case .error = $0.outcome { true } else { false } }
        return "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\""
    }

    private static func element(_ test: Case) -> String {
        var head = "    <testcase classname=\"\(Self.escaped(test.group))\" name=\"\(Self.escaped(test.name))\""
        if let file = test.file {
            head += " file=\"\(Self.escaped(file.path))\"" + (file.line.map { " line=\"\($0)\"" } ?? "")
        }
        head += time(test.milliseconds)
        switch test.outcome {
        case .passed: return head + "/>\n"
        case .skipped(let message, let body):
            let text = body.isEmpty ? "/>\n" : ">\(Self.escaped(body))</skipped>\n"
            return head + ">\n      <skipped message=\"\(Self.escaped(message))\"\(text)    </testcase>\n"
        case .told(let text):
            return head + ">\n      <system-out>\(Self.escaped(text))</system-out>\n    </testcase>\n"
        case .failure(let type, let message, let body):
            return head + ">\n" + trouble("failure", type, message, body) + "    </testcase>\n"
        case .error(let type, let message, let body):
            return head + ">\n" + trouble("error", type, message, body) + "    </testcase>\n"
        }
    }

    /// Seconds with three decimals, as an attribute.
    private static func time(_ milliseconds: Int64?) -> String {
        guard let milliseconds else { return "" }
        let digits = String(milliseconds % 1000)
        let fraction = String(repeating: "0", count: max(0, 3 - digits.count)) + digits
        return " time=\"\(milliseconds / 1000).\(fraction)\""
    }

    private static func trouble(_ element: String, _ type: String, _ message: String, _ body: String) -> String {
        let head = "      <\(element) type=\"\(Self.escaped(type))\" message=\"\(Self.escaped(message))\""
        return head + (body.isEmpty ? "/>\n" : ">\(Self.escaped(body))</\(element)>\n")
    }
}

extension JUnitDocument.Suite {
    /// The sum over all cases; nil if no duration is known.
    fileprivate var milliseconds: Int64? {
        let known = cases.compactMap(\.milliseconds)
        return known.isEmpty ? nil : known.reduce(0, +)
    }

    fileprivate var propertyElements: String {
        guard !properties.isEmpty else { return "" }
        let lines = properties.map { name, value in
            "      <property name=\"\(JUnitDocument.escaped(name))\" value=\"\(JUnitDocument.escaped(value))\"/>\n"
        }
        return "    <properties>\n" + lines.joined() + "    </properties>\n"
    }
}

extension JUnitDocument.Case.Outcome {
    fileprivate var isSkipped: Bool {
        if case .skipped = self { return true }
        return false
    }
}
