public import ATSPolicy
public import NetLoop
public import TLSEngine

/// The reason why a gate could not be started or reloaded. The command maps each case to an exit code.
public enum GateError: Error, Sendable {
    /// 65.
    case policy(DeclarationError)
    /// 65.
    case trust(TrustStoreError)
    /// 65.
    case logs(TransparencyLogsError)
    /// 65; 74 if a file of the CA cannot be written.
    case authority(CertificateAuthorityError)
    /// 65.
    case clientCertificate(ClientIdentityError)
    /// 74.
    case keyLog(KeyLogError)
    /// 64.
    case parentIsGate(String)
    /// 69 if the address is in use, or the user may not use its port; 64 otherwise.
    case listen(String, NetError)
    /// 64.
    case lanNotAllowed(String)
    /// 69: this system does not report the original address of redirected connections.
    case noRedirects(String)
    /// 70.
    case loop(NetError)
    /// 70.
    case tls(TLSSetupError)
}
