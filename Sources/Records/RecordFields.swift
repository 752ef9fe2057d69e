import ATSPolicy

/// The record, field by field, in the order of its JSON: the keys of docs/record.md.
///
/// Every key is always there but `device` and `candidates`. What did not happen is `null`, an empty list is `[]`, times are ISO 8601
/// in UTC. A new field is a line here and the place that knows its value; it reads back as a member of the same name.
public struct RecordFields: FieldList {
    public static let catalog = FieldCatalog(RecordFields())

    public let schema = Field(shared: "schema") { _ in LoadRecord.schema }
    /// Must be the first that a load has of its own: entries of the store begin with it.
    public let id = Field(ownText: "id", rest: { $0.id })
    /// When the load began.
    public let time = Field(ownTime: "time") { $0.time }
    public let recording = Field(shared: "recording") { $0.recording }
    /// Who saw the load; older records lack it.
    public let source = Field(shared: "source") { $0.source }
    public let client = Field("client", group: ClientFields.self)
    public let load = Field("load", group: LoadFields.self)
    public let policy = Field("policy", group: PolicyFields.self)
    public let verdict = Field(shared: "verdict") { $0.verdict.rawValue }
    /// How the refusal was shown to the client.
    public let refusal = Field(shared: "refusal") { $0.refusal?.rawValue }
    /// Every complaint, the deciding one first.
    public let findings = Field(own: "findings", each: FindingFields.self) { $0.diagnosis?.findings ?? [] }
    public let origin = Field(shared: "origin", object: OriginFields.self) { $0.origin }
    /// What a device would report.
    public let apple = Field(own: "apple", object: AppleFields.self) { $0.diagnosis?.apple }
    /// What the app was made to see, where a device alone would have reported something else.
    public let shown = Field(shared: "shown", object: ShownFields.self) { $0.shown }
    /// What the device itself did; left out where only this program was there.
    public let device = Field(ownIfAny: "device", object: DeviceFields.self) { $0.pointee.device }
    /// What would help.
    public let remedy = Field(own: "remedy", object: RemedyFields.self) { $0.diagnosis?.remedy }
    /// What other declarations would have said; left out where none was asked.
    public let candidates = Field(ownIfAny: "candidates", each: CandidateFields.self) { $0.pointee.candidates }
    /// HTTP status that the client was given.
    public let status = Field(own: "status") { $0.status }
    public let bytes = Field("bytes", group: ByteFields.self)
    public let timing = Field("timing", group: TimingFields.self)
    /// The parent proxy that it went through, as `HOST:PORT`.
    public let via = Field(own: "via") { $0.via }
    /// What of the answer was not passed on.
    public let removed = Field(own: "removed") { $0.removed }
    /// What was masked; always the last.
    public let masked = Field(own: "masked") { $0.masked }

    public typealias Shared = SharedPart
    public typealias Field<Value: Sendable> = RecordField<RecordFields, Value>

    public init() {}
}

/// Who asked.
public struct ClientFields: FieldList {
    public static let catalog = FieldCatalog(ClientFields())

    /// Each load's own: its port is another one in every connection.
    public let address = Field(own: "address") { $0.client.address }
    public let label = Field(shared: "label") { $0.client.label }
    public let userAgent = Field(shared: "userAgent") { $0.client.userAgent }
    public let loader = Field(shared: "loader") { $0.client.loader.rawValue }
    /// The program that is taken for that loader; older records lack it.
    public let assumed = Field(shared: "assumed") { $0.client.assumed?.rawValue }
    public let os = Field(shared: "os") { $0.client.os }
    /// What the system was guessed by; null where it was named.
    public let osEvidence = Field(shared: "osEvidence") { $0.client.osEvidence }
    /// What makes that guess doubtful, as sentences.
    public let osNotes = Field(shared: "osNotes") { $0.client.osNotes }

    public typealias Shared = SharedPart
    public typealias Field<Value: Sendable> = RecordField<ClientFields, Value>

    public init() {}
}

/// What was asked for, already masked.
public struct LoadFields: FieldList {
    public static let catalog = FieldCatalog(LoadFields())

    public let method = Field(own: "method") { $0.load.method }
    public let url = Field(ownText: "url", beginning: { $0.target.origin }, rest: { $0.load.pathOfURL })
    public let scheme = Field(shared: "scheme") { $0.target.scheme.rawValue }
    public let host = Field(shared: "host") { $0.target.host }
    public let port = Field(shared: "port") { $0.target.port }
    public let `protocol` = Field(shared: "protocol") { $0.wireProtocol.rawValue }
    /// URL of the load whose answer redirected the client here.
    public let redirectedFrom = Field(own: "redirectedFrom", formerly: "parent") { $0.load.redirectedFrom }

    public typealias Shared = SharedPart
    public typealias Field<Value: Sendable> = RecordField<LoadFields, Value>

    public init() {}
}

/// Which law was applied.
public struct PolicyFields: FieldList {
    public static let catalog = FieldCatalog(PolicyFields())

    /// File that the declaration came from; null for the secure defaults.
    public let source = Field(shared: "source") { $0.policy.source }
    public let bundleID = Field(shared: "bundleID") { $0.policy.bundleID }
    public let os = Field(shared: "os") { $0.policy.os }
    public let entry = Field(shared: "entry") { $0.policy.basis?.entry }
    public let key = Field(shared: "key") { $0.policy.basis?.keyPath }
    /// Line of that key in the file.
    public let line = Field(shared: "line") { $0.policy.line }
    public let builtIn = Field(shared: "builtIn") { $0.policy.basis?.isBuiltIn ?? false }
    /// How loads that break the law are treated; older records lack it.
    public let mode = Field(shared: "mode") { $0.policy.mode }

    public typealias Shared = SharedPart
    public typealias Field<Value: Sendable> = RecordField<PolicyFields, Value>

    public init() {}
}

/// Payload in bytes.
public struct ByteFields: FieldList {
    public static let catalog = FieldCatalog(ByteFields())

    public let sent = Field(own: "sent") { $0.bytesSent }
    public let received = Field(own: "received") { $0.bytesReceived }

    public typealias Shared = SharedPart
    public typealias Field<Value: Sendable> = RecordField<ByteFields, Value>

    public init() {}
}

/// Spans in milliseconds.
public struct TimingFields: FieldList {
    public static let catalog = FieldCatalog(TimingFields())

    /// Looking the name up and connecting.
    public let connectMs = Field(ownSpan: "connectMs") { $0.timing.connect }
    /// The origin's TLS handshake.
    public let handshakeMs = Field(ownSpan: "handshakeMs") { $0.timing.handshake }
    /// From the request's head to the first byte of the answer.
    public let firstByteMs = Field(ownSpan: "firstByteMs") { $0.timing.firstByte }
    /// From the first byte of the request to the end of the load.
    public let totalMs = Field(ownSpan: "totalMs") { $0.timing.total }

    public typealias Shared = SharedPart
    public typealias Field<Value: Sendable> = RecordField<TimingFields, Value>

    public init() {}
}
