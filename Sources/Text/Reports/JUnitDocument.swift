/// JUnit XML as CI systems read it. Source: the schema of the Jenkins xUnit plugin, junit-10.xsd, which has the elements
/// and attributes that readers agree on.
public struct JUnitDocument: Sendable {
    /// One thing that was looked at.
    public struct Case: Sendable {
        /// How it went.
        public enum Outcome: Sendable {
            case passed
            /// It passes, and something is to be told all the same.
            case told(String)
            case skipped
            /// A check that did not hold: its kind, one sentence, and whatever else explains it.
            case failure(type: String, message: String, body: String = "")
            /// Something went wrong before there was anything to check.
            case error(type: String, message: String, body: String = "")
        }

        let group: String
        let name: String
        /// With its line where that is known.
        let file: (path: String, line: Int?)?
        let outcome: Outcome

        /// - Parameter group: what readers show as the class.
        public init(_ name: String, in group: String, at file: (path: String, line: Int?)? = nil, _ outcome: Outcome) {
            self.name = name
            self.group = group
            self.file = file
            self.outcome = outcome
        }
    }

    /// Cases under one name.
    public struct Suite: Sendable {
        let name: String
        /// ISO 8601 without fraction and zone.
        let timestamp: String?
        let cases: [Case]

        public init(_ name: String, timestamp: String? = nil, _ cases: [Case]) {
            self.name = name
            self.timestamp = timestamp
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
        text += "<testsuites name=\"\(XMLText.escaped(name))\" \(Self.counts(suites.flatMap(\.cases)))>\n"
        for suite in suites {
            text += "  <testsuite name=\"\(XMLText.escaped(suite.name))\" \(Self.counts(suite.cases))"
            text += " skipped=\"\(suite.cases.count { $0.outcome.isSkipped })\""
            if let time = suite.timestamp { text += " timestamp=\"\(XMLText.escaped(time))\"" }
            text += ">\n" + suite.cases.map(Self.element).joined() + "  </testsuite>\n"
        }
        return text + "</testsuites>\n"
    }

    private static func counts(_ cases: [Case]) -> String {
        let failures = cases.count { if case .failure = $0.outcome { true } else { false } }
        let errors = cases.count { if case .error = $0.outcome { true } else { false } }
        return "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\""
    }

    private static func element(_ test: Case) -> String {
        var head = "    <testcase classname=\"\(XMLText.escaped(test.group))\" name=\"\(XMLText.escaped(test.name))\""
        if let file = test.file {
            head += " file=\"\(XMLText.escaped(file.path))\"" + (file.line.map { " line=\"\($0)\"" } ?? "")
        }
        switch test.outcome {
        case .passed: return head + "/>\n"
        case .skipped: return head + ">\n      <skipped/>\n    </testcase>\n"
        case .told(let text):
            return head + ">\n      <system-out>\(XMLText.escaped(text))</system-out>\n    </testcase>\n"
        case .failure(let type, let message, let body):
            return head + ">\n" + trouble("failure", type, message, body) + "    </testcase>\n"
        case .error(let type, let message, let body):
            return head + ">\n" + trouble("error", type, message, body) + "    </testcase>\n"
        }
    }

    private static func trouble(_ element: String, _ type: String, _ message: String, _ body: String) -> String {
        let head = "      <\(element) type=\"\(XMLText.escaped(type))\" message=\"\(XMLText.escaped(message))\""
        return head + (body.isEmpty ? "/>\n" : ">\(XMLText.escaped(body))</\(element)>\n")
    }
}

extension JUnitDocument.Case.Outcome {
    fileprivate var isSkipped: Bool {
        if case .skipped = self { return true }
        return false
    }
}
