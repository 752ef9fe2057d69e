/// A TLS protocol version, by its number on the wire (RFC 8446 section 4.1.2, RFC 5246 appendix A.1).
public enum TLSVersion: UInt16, Sendable, Hashable, CaseIterable, Comparable {
    case tls10 = 0x0301
    case tls11 = 0x0302
    case tls12 = 0x0303
    case tls13 = 0x0304

    /// `1.0` to `1.3`: the form of records and of `explain --json`.
    public var name: String {
        switch self {
        case .tls10: "1.0"
        case .tls11: "1.1"
        case .tls12: "1.2"
        case .tls13: "1.3"
        }
    }

    /// `TLSv1.0` to `TLSv1.3`: the form in a dictionary.
    public var declarationName: String { "TLSv" + name }

    public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
}
