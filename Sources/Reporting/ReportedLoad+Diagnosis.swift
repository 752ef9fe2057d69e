import ATSPolicy

/// One rule's complaint, as recorded.
public struct ReportedFinding: Decodable, Sendable, Hashable {
    public var rule: String
    public var title: String
    public var keyPath: String?
    public var expected: String
    public var observed: String
    public var confidence: String
    public var source: String
}

/// An origin as recorded.
public struct ReportedOrigin: Decodable, Sendable, Hashable {
    public var address: String?
    public var tlsVersion: String?
    public var cipherSuite: String?
    public var group: String?
    public var alpn: String?
    public var chain: [Certificate]
    public var scts: Timestamps?
    /// What a stapled OCSP response said of the leaf: `good`, `revoked`, `unknown` or `invalid`.
    public var staple: String?
    public var trust: String?

    /// One certificate of the chain as served, leaf first.
    public struct Certificate: Decodable, Sendable, Hashable {
        public var subject: String
        public var issuer: String
        public var serial: String
        public var keyType: String
        public var keyBits: Int
        public var signature: String
        /// ISO 8601 in UTC.
        public var notBefore: String
        public var notAfter: String
        public var sha256: String
        public var spkiSHA256: String
    }

    /// Signed certificate timestamps by where they were seen.
    public struct Timestamps: Decodable, Sendable, Hashable {
        public var embedded: Int
        public var handshake: Int
        public var stapled: Int
        /// How many the origin gave; nil where they were only counted.
        public var given: Int?
        /// Why each of the others does not count.
        public var refused: [String]?
    }
}

/// Apple's error, as recorded.
public struct ReportedAppleError: Decodable, Sendable, Hashable {
    public var domain: String
    public var code: Int
    public var constant: String
    public var message: String
    public var streamErrorDomain: Int?
    public var streamErrorCode: Int?
    public var streamErrorConstant: String?
    public var detailCode: Int?
    public var log: [String]

    /// As a device writes it: `-1200 [3:-9802]`, or `-1022` alone. Source: `ats-semantics.md` 6.6 `[O]`.
    public var codes: String {
        guard let streamErrorDomain, let streamErrorCode else { return String(code) }
        return "\(code) [\(streamErrorDomain):\(streamErrorCode)]"
    }
}

/// What would help, as recorded.
public struct ReportedRemedy: Decodable, Sendable, Hashable {
    public var server: [String]
    /// Keys and values by domain.
    public var exception: [String: [String: Value]]?

    /// A value of a declaration.
    public enum Value: Decodable, Sendable, Hashable {
        case flag(Bool)
        case text(String)

        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        var fix: ExceptionFix.Value {
            switch self {
            case .flag(let flag): .flag(flag)
            case .text(let text): .text(text)
            }
        }
    }
}
