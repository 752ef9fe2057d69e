public import Files
internal import Foundation
import Text

/// The reason why the local CA cannot be used. Every case about a file names it.
public enum CertificateAuthorityError: Error, Sendable, Hashable {
    case unreadable(path: String, FileFault)
    case unwritable(path: String, errno: Int32)
    /// Others can read the key, or write into its directory. `mode` is the lower nine bits.
    case exposed(path: String, mode: UInt16)
    /// The owner is neither this user nor root, and could replace the key.
    case foreign(path: String, owner: UInt32)
    /// Another gate holds the directory's lock and did not release it in time.
    case locked(path: String)
    case missing(path: String)
    /// Not a PEM certificate, or not a PEM private key without a passphrase.
    case malformed(path: String)
    /// The key does not belong to the certificate.
    case mismatch(key: String, certificate: String)
    case notAuthority(path: String)
    /// `notAfter` in seconds since 1970-01-01 UTC.
    case expired(path: String, notAfter: Int64)
    /// A certificate could not be created.
    case certificate(CertificateError)
}

extension CertificateAuthorityError: CustomStringConvertible {
    /// The file, the problem and the way to fix it.
    public var description: String {
        switch self {
        case .unreadable(let path, let fault): "\(path) cannot be read: \(fault.words)"
        case .unwritable(let path, let code): "\(path) cannot be written: \(Self.text(code))"
        case .exposed(let path, let mode):
            "\(path) is accessible to other users (mode \(String(mode, radix: 8))): chmod go-rwx '\(path)', and rotate "
                + "the CA if another user may have read its key"
        case .foreign(let path, let owner):
            "\(path) belongs to another user (uid \(owner)), who could read or replace the CA's key: chown it, or use "
                + "another directory"
        case .locked(let path): "\(path) is in use by another gate that is starting; try again"
        case .missing(let path): "\(path) is missing: restore it, or create a new CA with `atsgate ca rotate`"
        case .malformed(let path):
            "\(path) is not valid PEM, or has a passphrase: restore it, or create a new CA with `atsgate ca rotate`"
        case .mismatch(let key, let certificate):
            "\(key) is not the key of \(certificate): restore the right pair, or create a new CA with "
                + "`atsgate ca rotate`"
        case .notAuthority(let path):
            "\(path) is not allowed to sign certificates: use a CA certificate, or create a new CA with "
                + "`atsgate ca rotate`"
        case .expired(let path, let notAfter):
            "\(path) expired on \(Self.day(notAfter)): create a new CA with `atsgate ca rotate` and "
                + "install it on the devices"
        case .certificate(let error): "cannot create a certificate: \(error)"
        }
    }

    private static func text(_ code: Int32) -> String { SystemWords.error(code) }

    /// - Parameter seconds: since 1970-01-01 UTC.
    private static func day(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601.year().month().day())
    }
}
