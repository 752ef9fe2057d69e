import ATSPolicy

/// What the app behind the gate was made to see, where a device alone would have reported something else.
public struct ShownError: Sendable, Hashable {
    /// How it was shown. Raw values are stored and shown.
    public enum Style: String, Sendable, Hashable, CaseIterable {
        /// An HTTP answer that explains.
        case page
        /// A certificate from an issuer nobody trusts.
        case untrustedLeaf = "untrusted-leaf"
        case alert
        case close
        /// A CONNECT or a SOCKS request that was answered with a refusal.
        case noTunnel = "no-tunnel"
    }

    public let style: Style
    /// Of NSURLErrorDomain, or 310 of kCFErrorDomainCFNetwork for a CONNECT; nil where the app got an answer, and where
    /// no number is known.
    public let code: Int?
    /// Of kCFStreamErrorDomainSSL; of domain 4 beside 310.
    public let streamErrorCode: Int?

    public init(style: Style, code: Int? = nil, streamErrorCode: Int? = nil) {
        self.style = style
        self.code = code
        self.streamErrorCode = streamErrorCode
    }
}

extension ShownError {
    /// The numbers as an app writes them: `-1200 [3:-9802]`; nil where it got an answer, and where none is known.
    ///
    /// 310 is kCFErrorHTTPSProxyConnectionFailure, with a number of domain 4; the others have those of SSL, domain 3.
    /// Source: docs/law/errors.md#stream-codes, docs/law/errors.md#proxies.
    public var codes: String? { code.map { AppleError.codes($0, $0 == 310 ? 4 : 3, streamErrorCode) } }

    /// What was read back; nil for a style of a later version.
    public init?(_ fields: DecodedObject<ShownFields>) {
        guard let style = Style(rawValue: fields.style) else { return nil }
        self.init(style: style, code: fields.code, streamErrorCode: fields.streamErrorCode)
    }
}

/// What the app was made to see.
public struct ShownFields: FieldList {
    public static let catalog = FieldCatalog(ShownFields())

    public let style = Field(shared: "style") { $0.style.rawValue }
    public let code = Field(shared: "code") { $0.code }
    public let streamErrorCode = Field(shared: "streamErrorCode") { $0.streamErrorCode }

    public typealias Shared = ShownError
    public typealias Field<Value: Sendable> = RecordField<ShownFields, Value>

    public init() {}
}
