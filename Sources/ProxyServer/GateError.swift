public import ATSPolicy
import Foundation
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

    /// The error and its place, for people.
    public var sentence: String {
        switch self {
        case .policy(let error): "\(error)"
        case .trust(let error): "\(error)"
        case .logs(let error): error.sentence
        case .authority(let error): "\(error)"
        case .clientCertificate(let error): "\(error)"
        case .keyLog(let error): "\(error)"
        case .parentIsGate(let parent): "the parent proxy \(parent) is this gate itself"
        case .tls(let error): "TLS could not be set up: \(error)"
        case .loop(let error): "the event loops could not be started: \(error)"
        case .lanNotAllowed(let address):
            "\(address) can be reached by other machines: add --allow-lan to allow that"
        case .noRedirects(let address):
            "transparent://\(address) needs Linux, which reports the original address of a redirected connection; "
                + "for a Mac see atsgate explain transparent"
        case .listen(let address, .addressInUse): "\(address) is in use: choose another port with --listen, or port 0"
        case .listen(_, .cannotListen(let address, errno: EACCES)):
            "cannot listen on \(address): this user may not use the port, as usual below 1024: choose another one with "
                + "--listen"
        case .listen(_, let error): "\(error)"
        }
    }

    /// Source: docs/exit-codes.md.
    public var exitCode: Int32 {
        switch self {
        case .authority(.unwritable): 74
        case .policy, .trust, .logs, .authority, .clientCertificate: 65
        case .lanNotAllowed, .parentIsGate: 64
        case .keyLog: 74
        case .listen(_, .cannotListen(_, errno: EACCES)): 69
        case .listen(_, .badAddress), .listen(_, .cannotListen): 64
        case .listen, .noRedirects: 69
        case .loop, .tls: 70
        }
    }
}
