import ATSPolicy

/// The error that the app saw through the gate, if a device alone would have reported another.
public struct ShownError: Sendable, Hashable {
    /// How it was shown. Raw values are stored and shown.
    public enum Style: String, Sendable, Hashable, CaseIterable {
        /// An HTTP response that explains.
        case page
        /// A certificate from an untrusted issuer.
        case untrustedLeaf = "untrusted-leaf"
        case alert
        case close
        /// An error as the response to a CONNECT or a SOCKS request.
        case noTunnel = "no-tunnel"
    }

    public var style: Style
    /// The NSURLErrorDomain code, or 310 of kCFErrorDomainCFNetwork for a CONNECT; nil if the app got a response, or if
    /// no code is known.
    public var code: Int?
    /// The kCFStreamErrorDomainSSL code; for 310 the code of domain 4.
    public var streamErrorCode: Int?

    public init(style: Style, code: Int? = nil, streamErrorCode: Int? = nil) {
        self.style = style
        self.code = code
        self.streamErrorCode = streamErrorCode
    }
}

extension ShownError {
    /// The codes as an app prints them: `-1200 [3:-9802]`; nil if the app got a response, or if no code is known.
    ///
    /// 310 is kCFErrorHTTPSProxyConnectionFailure, with a code of domain 4; all others have a code of SSL, domain 3.
    /// Source: docs/law/errors.md#stream-codes, docs/law/errors.md#proxies.
    public var codes: String? { code.map { AppleError.codes($0, $0 == 310 ? 4 : 3, streamErrorCode) } }
}
