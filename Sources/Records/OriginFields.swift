public import ATSPolicy

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
