public import ATSPolicy

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

/// The outcome of a load on the device itself, with its evidence.
public struct DeviceFields: FieldList {
    public static let catalog = FieldCatalog(DeviceFields())

    public let outcome = Field(shared: "outcome") { $0.outcome.rawValue }
    /// The evidence for the outcome, as a sentence.
    public let how = Field(shared: "how") { $0.how }.holding(.sentence, at: \.how)
    public let confidence = Field(shared: "confidence") { $0.confidence.rawValue }
    public let code = Field(shared: "code") { $0.code }
    public let streamCode = Field(shared: "streamCode") { $0.streamCode }
    public let ruling = Field(shared: "ruling", object: DeviceRulingFields.self) { $0.ruling }
    /// Status of the system's own trust evaluation.
    public let systemTrust = Field(shared: "systemTrust") { $0.systemTrust }
    public let tls = Field(shared: "tls", object: DeviceTLSFields.self) { $0.tls }
    public let log = Field(shared: "log") { $0.place?.log }.holding(.file, at: \.place, \.log)
    public let line = Field(shared: "line") { $0.place?.line }
    public let task = Field(shared: "task") { $0.place?.task }
    public let app = Field(shared: "app") { $0.place?.app }.holding(.label, at: \.place, \.app)
    public let system = Field(shared: "system") { $0.place?.system }
    public let redacted = Field(shared: "redacted") { $0.isRedacted }
    /// Issuer of the proxy's certificate that the device saw.
    public let proxied = Field(shared: "proxied") { $0.proxied }.holding(.issuer, at: \.proxied)
    /// The device's log lines, in order.
    public let lines = Field(shared: "lines") { $0.lines }.holding(.deviceLine, at: \.lines)

    public typealias Shared = RecordedDevice
    public typealias Holder = RecordedDevice.Members
    public typealias Field<Value: Sendable> = RecordField<DeviceFields, Value>

    public init() {}
}

/// The numbers of a device's ruling line.
public struct DeviceRulingFields: FieldList {
    public static let catalog = FieldCatalog(DeviceRulingFields())

    public let strength = Field(shared: "strength") { $0.strength }
    public let tls = Field(shared: "tls") { $0.tls }
    public let ct = Field(shared: "ct") { $0.ct }
    public let sub = Field(shared: "sub") { $0.sub }
    public let sig = Field(shared: "sig") { $0.sig }
    public let ciphers = Field(shared: "ciphers") { $0.ciphers }
    public let bundle = Field(shared: "bundle") { $0.bundle }
    public let builtin = Field(shared: "builtin") { $0.builtin }

    public typealias Shared = DeviceRuling
    public typealias Field<Value: Sendable> = RecordField<DeviceRulingFields, Value>

    public init() {}
}

/// The handshake facts in a device's log.
public struct DeviceTLSFields: FieldList {
    public static let catalog = FieldCatalog(DeviceTLSFields())

    public let version = Field(shared: "version") { $0.version }
    public let cipher = Field(shared: "cipher") { $0.cipher }
    public let group = Field(shared: "group") { $0.group }
    public let alpn = Field(shared: "alpn") { $0.alpn }
    public let resumed = Field(shared: "resumed") { $0.isResumed }

    public typealias Shared = DeviceTLS
    public typealias Field<Value: Sendable> = RecordField<DeviceTLSFields, Value>

    public init() {}
}

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

/// The origin as it answered.
public struct OriginFields: FieldList {
    public static let catalog = FieldCatalog(OriginFields())

    /// `ADDRESS:PORT` dialed.
    public let address = Field(shared: "address") { $0.address }.holding(.authority, at: \.address)
    public let tlsVersion = Field(shared: "tlsVersion") { $0.facts?.version.name }
    public let cipherSuite = Field(shared: "cipherSuite") { $0.facts?.suite.name }
    public let group = Field(shared: "group") { $0.facts?.group }
    public let alpn = Field(shared: "alpn") { $0.facts?.alpn }
    /// As served, leaf first.
    public let chain = Field(shared: "chain", each: CertificateFields.self) { $0.facts?.served ?? [] }.masking {
        $1.handshake(&$0.handshake)
    }
    /// The parts of the certificates that are not kept; left out if all are.
    public let cut = Field(sharedIfAny: "cut") { $0.facts?.cut ?? [] }
    public let scts = Field(shared: "scts", object: TimestampFields.self) { $0.facts }
    /// The status of the leaf in a stapled OCSP response.
    public let staple = Field(shared: "staple") { $0.facts?.staple?.status.word }
    /// The end of the evaluated path.
    public let trust = Field(shared: "trust") { $0.facts?.anchor.rawValue }
    /// The request of the origin for a client certificate, and whether it got one.
    public let clientCertificate = Field(shared: "clientCertificate") { $0.facts?.clientCertificate?.rawValue }

    public typealias Shared = RecordedOrigin
    public typealias Holder = RecordedOrigin.Members
    public typealias Field<Value: Sendable> = RecordField<OriginFields, Value>

    public init() {}
}

/// One certificate of the chain.
public struct CertificateFields: FieldList {
    public static let catalog = FieldCatalog(CertificateFields())

    public let subject = Field(shared: "subject") { $0.subject }.holding(.distinguishedName, at: \.subject)
    public let issuer = Field(shared: "issuer") { $0.issuer }.holding(.distinguishedName, at: \.issuer)
    public let serial = Field(shared: "serial") { $0.serial }.holding(.hexadecimal, at: \.serial)
    public let keyType = Field(shared: "keyType") { $0.keyType.rawValue }
    public let keyBits = Field(shared: "keyBits") { $0.keyBits }
    public let signature = Field(shared: "signature") { $0.signature }
    public let notBefore = Field(sharedTime: "notBefore") { $0.notBefore }
    public let notAfter = Field(sharedTime: "notAfter") { $0.notAfter }
    public let sha256 = Field(shared: "sha256") { $0.sha256 }.holding(.hexadecimal, at: \.sha256)
    public let spkiSHA256 = Field(shared: "spkiSHA256") { $0.spkiSHA256 }.holding(.pin, at: \.spkiSHA256)

    public typealias Shared = CertificateFacts
    public typealias Field<Value: Sendable> = RecordField<CertificateFields, Value>

    public init() {}
}

/// Signed certificate timestamps by where they were seen. Only those that the list of logs confirms count. Without a
/// list all of them count, and `given` is null.
public struct TimestampFields: FieldList {
    public static let catalog = FieldCatalog(TimestampFields())

    public let embedded = Field(shared: "embedded") { $0.scts.embedded }
    public let handshake = Field(shared: "handshake") { $0.scts.handshake }
    public let stapled = Field(shared: "stapled") { $0.scts.stapled }
    /// The number that the origin sent.
    public let given = Field(shared: "given") { $0.sctReview?.given }
    /// The reason why each of the others does not count.
    public let refused = Field(shared: "refused") { ($0.sctReview?.refused ?? []).map(\.rawValue) }

    public typealias Shared = HandshakeFacts
    public typealias Field<Value: Sendable> = RecordField<TimestampFields, Value>

    public init() {}
}
