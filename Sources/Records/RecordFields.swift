import ATSPolicy

/// The record, field by field, in the order of its JSON: the keys of docs/record.md.
///
/// All keys are always present, except `device`. A value that does not exist is `null`, an empty list is `[]`, times
/// are ISO 8601 in UTC.
///
/// A new field is one line here, plus the code that sets its value; it reads back as a member of the same name. The
/// line declares its key, its source, and whether loads share it (`of` a root). For names it also declares kind and
/// place, by which they are masked when filed and in copies.
public struct RecordFields: FieldList {
    public static let catalog = FieldCatalog(RecordFields())

    public let schema = Field(constant: "schema", LoadRecord.schema)
    /// Must be the first field that differs with each load: entries of the store begin with it.
    public let id = Field(ownText: "id", rest: { $0.id })
    /// Start of the load.
    public let time = Field(ownTime: "time") { $0.time }
    public let recording = Field(shared: "recording", of: .recording) { $0 }.holding(.recording, at: \.recording)
    /// The tool that saw the load; older records lack it.
    public let source = Field(shared: "source", of: .source) { $0 }
    public let client = Field("client", group: ClientFields.self).names(at: \.client)
    public let load = Field("load", group: LoadFields.self).names(at: \.load)
    public let policy = Field("policy", group: PolicyFields.self).names(at: \.policy)
        .listed(as: "policy.entry")
    public let verdict = Field(shared: "verdict", of: .verdict) { $0.rawValue }
    /// How the refusal was shown to the client.
    public let refusal = Field(shared: "refusal", of: .refusal) { $0?.rawValue }
    /// Every complaint, the deciding one first.
    public let findings = Field(diagnosed: "findings", each: FindingFields.self) { $0.findings }.names(at: \.findings)
    public let origin = Field(shared: "origin", of: .origin, object: OriginFields.self) { $0 }.names(at: \.origin)
    /// The error that a device would report.
    public let apple = Field(diagnosed: "apple", object: AppleFields.self) { $0.apple }.names(at: \.apple)
    /// The error that the app saw, if a device alone would have reported another.
    public let shown = Field(shared: "shown", of: .shown, object: ShownFields.self) { $0 }
    /// The outcome on the device itself; left out if only this program saw the load.
    public let device = Field(ownIfAny: "device", object: DeviceFields.self) { $0.device }.names(at: \.device)
    /// The smallest fix.
    public let remedy = Field(diagnosed: "remedy", object: RemedyFields.self) { $0.remedy }.names(at: \.remedy)
    /// HTTP status that the client received.
    public let status = Field(own: "status") { $0.status }
    public let bytes = Field("bytes", group: ByteFields.self)
    public let timing = Field("timing", group: TimingFields.self)
    /// The parent proxy that carried the load, as `HOST:PORT`.
    public let via = Field(own: "via") { $0.via }.holding(.authority, at: \.via)
    /// Parts of the response that were not passed on.
    public let removed = Field(own: "removed") { $0.removed }.holding(.sentence, at: \.removed)
    /// Fields that were masked; always the last.
    public let masked = Field(own: "masked") { $0.masked }

    public typealias Shared = SharedPart
    public typealias Holder = LoadRecord.Members
    public typealias Field<Value: Sendable> = RecordField<RecordFields, Value>

    public init() {}
}

/// The client of a load.
public struct ClientFields: FieldList {
    public static let catalog = FieldCatalog(ClientFields())

    /// Differs with each load: every connection has another port.
    public let address = Field(own: "address") { $0.client.address }.holding(.peer, at: \.address)
    public let label = Field(shared: "label", of: .client) { $0.label }.holding(.label, at: \.label)
    public let userAgent = Field(shared: "userAgent", of: .client) { $0.userAgent }.holding(.agent, at: \.userAgent)
    public let loader = Field(shared: "loader", of: .client) { $0.loader.rawValue }
    /// The program that was recognized as that loader; older records lack it.
    public let assumed = Field(shared: "assumed", of: .client) { $0.assumed?.rawValue }
    public let os = Field(shared: "os", of: .client) { $0.os }
    /// The evidence for a guessed release; null if it was configured.
    public let osEvidence = Field(shared: "osEvidence", of: .client) { $0.osEvidence }.holding(
        .sentence, at: \.osEvidence)
    /// Doubts about that guess, as sentences.
    public let osNotes = Field(shared: "osNotes", of: .client) { $0.osNotes }.holding(.sentence, at: \.osNotes)
    /// How the load reached the gate; null for a client of the HTTP proxy. Older records lack it.
    public let entrance = Field(shared: "entrance", of: .client) { $0.entrance?.rawValue }

    public typealias Shared = SharedPart
    public typealias Holder = RecordedClient.Members
    public typealias Field<Value: Sendable> = RecordField<ClientFields, Value>

    public init() {}
}

/// The requested target, already masked.
public struct LoadFields: FieldList {
    public static let catalog = FieldCatalog(LoadFields())

    public let method = Field(own: "method") { $0.load.method }
    public let url = Field(ownText: "url", of: .target, beginning: { $0.origin }, rest: { $0.load.pathOfURL }).holding(
        .url, at: \.path)
    public let scheme = Field(shared: "scheme", of: .target) { $0.scheme.rawValue }
    public let host = Field(shared: "host", of: .target) { $0.host }.holding(.host) {
        $0.target = LoadTarget(scheme: $0.target.scheme, host: $1($0.target.host), port: $0.target.port)
    }.listed(as: "url", .host)
    public let port = Field(shared: "port", of: .target) { $0.port }
    public let `protocol` = Field(shared: "protocol", of: .wireProtocol) { $0.rawValue }
    /// URL of the load whose response redirected the client here.
    public let redirectedFrom = Field(own: "redirectedFrom", formerly: "parent") { $0.load.redirectedFrom }.holding(
        .url, at: \.redirectedFrom)

    public typealias Shared = SharedPart
    public typealias Holder = RecordedRequest
    public typealias Field<Value: Sendable> = RecordField<LoadFields, Value>

    public init() {}
}

/// The dictionary, release and entry that applied.
public struct PolicyFields: FieldList {
    public static let catalog = FieldCatalog(PolicyFields())

    /// File of the dictionary; null for the secure defaults.
    public let source = Field(shared: "source", of: .policy) { $0.source }.holding(.file, at: \.source)
    public let bundleID = Field(shared: "bundleID", of: .policy) { $0.bundleID }.holding(.bundle, at: \.bundleID)
    public let os = Field(shared: "os", of: .policy) { $0.os }
    public let entry = Field(shared: "entry", of: .policy) { $0.basis?.entry }.holding(.host, at: \.basis, \.entry)
    public let key = Field(shared: "key", of: .policy) { $0.basis?.keyPath }.holding(
        .sentence, at: \.basis, \.keyPath)
    /// Line of that key in the file.
    public let line = Field(shared: "line", of: .policy) { $0.line }
    public let builtIn = Field(shared: "builtIn", of: .policy) { $0.basis?.isBuiltIn ?? false }
    /// How loads that break the ATS rules are treated; older records lack it.
    public let mode = Field(shared: "mode", of: .policy) { $0.mode }

    public typealias Shared = SharedPart
    public typealias Holder = RecordedPolicy.Members
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
    /// From the request's head to the first byte of the response.
    public let firstByteMs = Field(ownSpan: "firstByteMs") { $0.timing.firstByte }
    /// From the first byte of the request to the end of the load.
    public let totalMs = Field(ownSpan: "totalMs") { $0.timing.total }

    public typealias Shared = SharedPart
    public typealias Field<Value: Sendable> = RecordField<TimingFields, Value>

    public init() {}
}

/// The roots that loads of one form share. Each connection has its own client and each loop its own policy, so the
/// fields of these decide whether they are alike.
extension SharedRoot where Value == RecordedClient {
    package static var client: SharedRoot { part({ $0.client }, isAlike: nil) }
}

extension SharedRoot where Value == RecordedPolicy {
    package static var policy: SharedRoot { part({ $0.policy }, isAlike: nil) }
}

extension SharedRoot where Value == RecordedOrigin? {
    package static var origin: SharedRoot { part({ $0.origin }, isAlike: ==) }
}

extension SharedRoot where Value == LoadTarget {
    static var target: SharedRoot { value { $0.load.target } }
}

extension SharedRoot where Value == RecordedRequest.WireProtocol {
    static var wireProtocol: SharedRoot { value { $0.load.wireProtocol } }
}

extension SharedRoot where Value == String {
    static var recording: SharedRoot { value { $0.recording } }
}

extension SharedRoot where Value == RecordSource {
    static var source: SharedRoot { value { $0.source } }
}

extension SharedRoot where Value == Verdict {
    static var verdict: SharedRoot { value { $0.verdict } }
}

extension SharedRoot where Value == Refusal? {
    static var refusal: SharedRoot { value { $0.refusal } }
}

extension SharedRoot where Value == ShownError? {
    static var shown: SharedRoot { value { $0.shown } }
}
