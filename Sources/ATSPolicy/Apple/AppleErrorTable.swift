/// How the systems of the log generations 16-18 and 26 report each kind of failure. Source: `ats-semantics.md` 6.1,
/// 6.2, 6.3, 6.6, 6.7. Where 6.6 has no line for a case, the log is empty.
public enum AppleErrorTable {
    /// The error that an app would be handed, and what the console would show.
    ///
    /// - Parameter urlText: the URL as it may be shown; what must be masked is masked already.
    /// - Parameter facts: gives the error its certificates, if the handshake came that far.
    public static func error(
        for failure: LoadFailure, target: LoadTarget, urlText: String, profile: OSProfile, facts: HandshakeFacts?,
        identifiers: LogIdentifiers
    ) -> AppleError {
        let console = AppleConsole(
            target: target, urlText: urlText, generation: profile.logGeneration, identifiers: identifiers)
        return switch failure {
        case .cleartext: console.cleartext()
        case .trust(let rule, let isStrict) where isStrict || rule == .pinnedIdentity:
            console.strictTrust(rule, facts: facts)
        case .trust(let rule, _): console.laxTrust(rule, facts: facts)
        case .handshake(let failure, let rule): console.handshake(failure, rule: rule)
        case .network(let failure): console.network(failure)
        }
    }

    /// The private number of the -988x block that Apple keeps for a rule (6.2 `[S]`). No app log ever showed one, so
    /// it is never part of a log line; nil where ATS is not what refused.
    static func detailCode(for rule: RuleID, isLeaf: Bool) -> Int? {
        switch rule {
        case .tlsVersion, .osTLSFloor: -9881
        case .forwardSecrecy, .cipherSuite: -9882
        case .keySize: -9883
        case .signatureHash: isLeaf ? -9884 : -9885
        case .pinnedIdentity, .untrustedRoot, .selfSigned, .incompleteChain, .expired, .notYetValid, .hostName, .noSAN,
            .serverAuthEKU, .validityPeriod, .trustKeySize, .trustSignatureHash, .certificateTransparency:
            -9886
        case .atsCertificateTransparency, .niap: -9880
        default: nil
        }
    }
}

/// A number of kCFStreamErrorDomainSSL.
struct StreamStatus {
    /// kCFStreamErrorDomainSSL.
    static let domain = 3

    let code: Int
    let constant: String
    let confidence: Confidence

    init(_ code: Int, _ constant: String, _ confidence: Confidence) {
        self.code = code
        self.constant = constant
        self.confidence = confidence
    }

    /// Under -1202, where ATS does not insist (6.7 `[O]`). What 6.7 does not list is the nearest of 6.2 (inferred).
    static func laxTrust(_ rule: RuleID) -> StreamStatus {
        switch rule {
        // C15: -9813 since iOS 15 for a self-signed leaf, too.
        case .selfSigned, .untrustedRoot: StreamStatus(-9813, "errSSLNoRootCert", .observed)
        case .incompleteChain: StreamStatus(-9813, "errSSLNoRootCert", .inferred)
        case .expired: StreamStatus(-9814, "errSSLCertExpired", .observed)
        case .notYetValid: StreamStatus(-9815, "errSSLCertNotYetValid", .inferred)
        case .hostName: StreamStatus(-9843, "errSSLHostNameMismatch", .observed)
        case .noSAN: StreamStatus(-9843, "errSSLHostNameMismatch", .inferred)
        default: StreamStatus(-9807, "errSSLXCertChainInvalid", .inferred)
        }
    }

    /// Under -1200 with ATS insisting (6.7). The number is the same for all; how well it is known differs.
    static func strictTrust(_ rule: RuleID) -> StreamStatus {
        switch rule {
        case .selfSigned, .untrustedRoot, .incompleteChain, .expired, .notYetValid, .pinnedIdentity:
            StreamStatus(-9802, "errSSLFatalAlert", .observed)
        default:
            StreamStatus(-9802, "errSSLFatalAlert", .inferred)
        }
    }

    /// Under -1200 for a handshake that broke (6.3, 6.7); nil for what is no TLS error.
    static func handshake(_ failure: HandshakeFailure) -> StreamStatus? {
        switch failure {
        case .alertReceived(let alert):
            let row = AlertStatus.of(alert)
            return StreamStatus(row.code, row.constant, row.confidence)
        case .versionNotOffered: return StreamStatus(-9836, "errSSLPeerProtocolVersion", .inferred)
        case .suiteNotOffered: return StreamStatus(-9801, "errSSLNegotiation", .inferred)
        case .closed(let reset): return StreamStatus(-9816, "errSSLClosedNoNotify", reset ? .inferred : .observed)
        case .notTLS: return StreamStatus(-9847, "errSSLRecordOverflow", .inferred)
        case .library: return StreamStatus(-9800, "errSSLProtocol", .inferred)
        case .timeout: return nil
        }
    }
}
