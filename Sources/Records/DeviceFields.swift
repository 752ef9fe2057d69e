import ATSPolicy

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
