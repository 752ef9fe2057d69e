/// A problem in the form that CI systems show. `lint`, `probe` and `report` make these values, and ``CIReport`` writes
/// every format for CI from them.
public struct CIFinding: Sendable {
    /// The severity: SARIF 2.1.0, section 3.27.10.
    public enum Level: String, Sendable, Hashable {
        case error, warning, note
    }

    /// The effect on the result of the command.
    public enum Effect: Sendable, Hashable {
        case fails
        /// The baseline in this file lists it.
        case known(file: String)
        /// A problem that does not count, with the reason.
        case uncounted(String)
        /// A remark on something that passes.
        case remark
        /// The check itself was not possible.
        case unchecked
    }

    /// The rule that was violated: SARIF 2.1.0, section 3.49.
    public struct Rule: Sendable {
        let id: String
        let title: String
        let help: String
        let helpAddress: String?
        let level: Level?
        let properties: [(key: String, value: String)]

        /// - Parameters:
        ///   - helpAddress: an absolute URI, as section 3.49.12 requires.
        ///   - level: the default level of findings.
        public init(
            id: String, title: String, help: String, helpAddress: String? = nil, level: Level? = nil,
            properties: [(key: String, value: String)] = []
        ) {
            self.id = id
            self.title = title
            self.help = help
            self.helpAddress = helpAddress
            self.level = level
            self.properties = properties
        }
    }

    /// The location of a problem: SARIF 2.1.0, section 3.29.
    public enum Location: Sendable {
        /// Lines and columns are counted from 1.
        case file(String, line: Int?, column: Int? = nil)
        /// A URL.
        case address(String)
    }

    /// The texts of a finding.
    public struct Words: Sendable {
        let title: String
        let message: String
        let details: String

        /// - Parameters:
        ///   - title: the subject and the cause, as in `tls10.lab.test: TLS 1.0, ATS needs TLS 1.2 or newer`.
        ///   - message: the problem and its fixes, on one line.
        ///   - details: the same in lines, for formats that show it below the title; empty for none.
        public init(title: String, message: String, details: String = "") {
            self.title = title
            self.message = message
            self.details = details
        }
    }

    /// The values that are equal for the same problem in every run.
    public struct Identity: Sendable {
        let subject: String
        let method: String
        let fingerprint: String
        let issue: String

        /// - Parameters:
        ///   - subject: for example a key or a host: SARIF 2.1.0, section 3.33.5.
        ///   - method: the name of the method that computed the fingerprint: section 3.27.17.
        ///   - issue: a fingerprint that is unique in the whole report; nil for the same one.
        public init(of subject: String, method: String, fingerprint: String, issue: String? = nil) {
            self.subject = subject
            self.method = method
            self.fingerprint = fingerprint
            self.issue = issue ?? fingerprint
        }
    }

    let rule: Rule
    let level: Level
    let effect: Effect
    let words: Words
    let identity: Identity
    let location: Location?
    let isInBaseline: Bool?

    /// - Parameter isInBaseline: nil without a baseline.
    public init(
        _ rule: Rule, _ level: Level, _ effect: Effect, _ words: Words, identity: Identity, at location: Location?,
        isInBaseline: Bool? = nil
    ) {
        self.rule = rule
        self.level = level
        self.effect = effect
        self.words = words
        self.identity = identity
        self.location = location
        self.isInBaseline = isInBaseline
    }

    /// The file, with the line and column if they are known; nil for another location.
    var file: (path: String, line: Int?, column: Int?)? {
        if case .file(let path, let line, let column)? = location { return (path, line, column) }
        return nil
    }

    /// True unless a baseline lists it.
    var isNew: Bool {
        if case .known = effect { return false }
        return true
    }
}
