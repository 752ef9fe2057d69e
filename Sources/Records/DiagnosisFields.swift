public import ATSPolicy

/// One rule's complaint.
public struct FindingFields: FieldList {
    public static let catalog = FieldCatalog(FindingFields())

    public let rule = Field(shared: "rule") { $0.rule.rawValue }
    public let title = Field(shared: "title") { $0.title }
    /// The plist key that decided, or that would change the verdict.
    public let keyPath = Field(shared: "keyPath") { $0.keyPath }.holding(.sentence, at: \.keyPath)
    public let expected = Field(shared: "expected") { $0.expected }.holding(.sentence, at: \.expected)
    public let observed = Field(shared: "observed") { $0.observed }.holding(.sentence, at: \.observed)
    public let confidence = Field(shared: "confidence") { $0.confidence.rawValue }
    /// The documentation of the rule.
    public let source = Field(shared: "source") { $0.source }

    public typealias Shared = Finding
    public typealias Field<Value: Sendable> = RecordField<FindingFields, Value>

    public init() {}
}

/// The error that Apple's systems report for the failure.
public struct AppleFields: FieldList {
    public static let catalog = FieldCatalog(AppleFields())

    public let domain = Field(shared: "domain") { $0.domain }
    public let code = Field(shared: "code") { $0.code }
    public let constant = Field(shared: "constant") { $0.constant }
    public let message = Field(shared: "message") { $0.message }.holding(.sentence, at: \.message)
    public let streamErrorDomain = Field(shared: "streamErrorDomain") { $0.streamErrorDomain }
    public let streamErrorCode = Field(shared: "streamErrorCode") { $0.streamErrorCode }
    public let streamErrorConstant = Field(shared: "streamErrorConstant") { $0.streamErrorConstant }
    /// The private -988x code.
    public let detailCode = Field(shared: "detailCode") { $0.detailCode }
    /// Log lines of a device of that generation, in order.
    public let log = Field(shared: "log") { $0.log }.holding(.sentence, at: \.log)
    public let confidence = Field(shared: "confidence") { $0.confidence.rawValue }

    public typealias Shared = AppleError
    public typealias Field<Value: Sendable> = RecordField<AppleFields, Value>

    public init() {}
}

extension DecodedObject where List == AppleFields {
    /// The codes as a device prints them: `-1200 [3:-9802]`.
    public var codes: String { AppleError.codes(self.code, self.streamErrorDomain, self.streamErrorCode) }
}

/// The smallest changes that would allow the load.
public struct RemedyFields: FieldList {
    public static let catalog = FieldCatalog(RemedyFields())

    /// The change on the server, and the reason why no key helps, one sentence each.
    public let server = Field(shared: "server") { $0.sentences }.holding(.sentence) { $0 = $0.with($1) }
    /// The entry to add under `NSExceptionDomains`.
    public let exception = Field(shared: "exception") { $0.exception }.masking { remedy, run in
        guard let domain = remedy.exception?.domain else { return }
        remedy.exception?.domain = run.text(.host, domain)
    }

    public typealias Shared = Remedy
    public typealias Field<Value: Sendable> = RecordField<RemedyFields, Value>

    public init() {}
}

extension DecodedObject where List == RemedyFields {
    public var advice: [Advice] { self.server.map { Advice(recorded: $0) } }
}
