public import ATSPolicy
import Text

/// The answer to Apple's question about a server's TLS: quantum-secure or not. It is if the handshake of 26 or later
/// negotiated X25519MLKEM768. Source: Apple support 122756; docs/law/tls.md#hybrid-group.
public enum QuantumSecurity: Sendable, Hashable {
    case secure
    /// The server chose another group, or none.
    case insecure
    /// The release does not offer the group.
    case notOffered(OSProfile)
    /// The TLS library in use cannot offer the group, so the server's choice is unknown.
    case unknown

    /// - Parameter offer: the offer as it was sent.
    public init(_ facts: HandshakeFacts, offer: TLSOffer?, profile: OSProfile) {
        self =
            if facts.group == HelloShape.hybridGroupName {
                .secure
            } else if !profile.helloShape.offersHybridGroup {
                .notOffered(profile)
            } else {
                offer?.offersHybridGroup == true ? .insecure : .unknown
            }
    }

    /// nil if unknown.
    public var isSecure: Bool? {
        switch self {
        case .secure: true
        case .insecure, .notOffered: false
        case .unknown: nil
        }
    }

    /// For example `quantum-secure: yes`.
    public var words: String {
        let name = HelloShape.hybridGroupName
        return switch self {
        case .secure: "quantum-secure: yes"
        case .insecure: "quantum-secure: no"
        case .notOffered(let profile): "quantum-secure: no, \(profile.title) does not offer \(name)"
        case .unknown: "quantum-secure: unknown, this OpenSSL cannot offer \(name)"
        }
    }
}

extension ProbeResult {
    /// The lines of `nscurl --tls-diagnostics`; nil if no handshake finished.
    ///
    /// Source: Apple support 122756, whose example has these three lines and the name of the hybrid group. The names of
    /// the other groups are those of IANA (inferred; docs/law/nscurl.md#tls-diagnostics).
    public var tlsDiagnostics: String? {
        guard let facts = decisive?.facts else { return nil }
        return """
            Negotiated TLS version (codepoint): 0x\(facts.version.rawValue.hexadecimal)
            Negotiated TLS key exchange group (name): \(facts.group.map(Self.registered) ?? "none")
            Negotiated TLS ciphersuite (codepoint): 0x\(facts.suite.code.hexadecimal)
            """
    }

    /// The name in IANA's registry of TLS Supported Groups.
    private static func registered(_ group: String) -> String {
        switch group {
        case "P-256": "secp256r1"
        case "P-384": "secp384r1"
        case "P-521": "secp521r1"
        default: group
        }
    }
}
