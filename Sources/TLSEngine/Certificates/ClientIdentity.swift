public import Files
internal import Foundation

/// The reason why a client certificate file cannot be used. Every case names the file.
public enum ClientIdentityError: Error, Sendable, Hashable {
    case unreadable(path: String, FileFault)
    case noCertificate(path: String)
    /// The certificate with this number (from 1) cannot be read.
    case malformedCertificate(path: String, number: Int)
    case noKey(path: String)
    case encryptedKey(path: String)
    /// No certificate in the file matches its key.
    case keyOfAnother(path: String)
}

/// A certificate with its key and chain, for origins that request a client certificate.
public final class ClientIdentity: Sendable {
    public let path: String
    /// True if group or others may read the file, and thus the key.
    public let isExposed: Bool
    let leaf: SigningIdentity
    let intermediates: [Certificate]

    /// Reads a PEM file with one key and its certificates, in any order.
    public init(path: String) throws(ClientIdentityError) {
        self.path = path
        let text: String
        (text, isExposed) = try Self.read(path)
        let certificates = try Self.certificates(in: text, path: path)
        guard let key = PrivateKey(pem: text) else {
            // RFC 5958 section 3 and RFC 1421 section 4.6.1.1: the headers of the two kinds of encrypted keys.
            let isEncrypted = ["BEGIN ENCRYPTED PRIVATE KEY", "Proc-Type: 4,ENCRYPTED"].contains { text.contains($0) }
            throw isEncrypted ? .encryptedKey(path: path) : .noKey(path: path)
        }
        guard let index = certificates.firstIndex(where: { key.matches($0) }) else {
            throw .keyOfAnother(path: path)
        }
        leaf = SigningIdentity(certificate: certificates[index], key: key)
        intermediates = Array(certificates[..<index] + certificates[(index + 1)...])
    }

    public var certificate: Certificate { leaf.certificate }

    private static func read(_ path: String) throws(ClientIdentityError) -> (text: String, isExposed: Bool) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .unreadable(path: path, .system(errno: errno)) }
        do throws(CertificateAuthorityError) {
            return (try SmallFile.read(path, isSecret: false), status.st_mode & 0o077 != 0)
        } catch {
            if case .unreadable(_, let fault) = error { throw .unreadable(path: path, fault) }
            throw .unreadable(path: path, .system(errno: ENOENT))
        }
    }

    private static func certificates(in text: String, path: String) throws(ClientIdentityError) -> [Certificate] {
        let parts = text.components(separatedBy: Self.begin).dropFirst()
        if parts.isEmpty { throw .noCertificate(path: path) }
        var found: [Certificate] = []
        for part in parts {
            guard let certificate = Certificate(pem: Self.begin + part) else {
                throw .malformedCertificate(path: path, number: found.count + 1)
            }
            found.append(certificate)
        }
        return found
    }

    private static let begin = "-----BEGIN CERTIFICATE-----"
}

extension ClientIdentityError: CustomStringConvertible {
    /// The file, the problem and the way to fix it.
    public var description: String {
        switch self {
        case .unreadable(let path, let fault): "\(path) cannot be read: \(fault.words)"
        case .noCertificate(let path): "\(path) has no certificate in PEM"
        case .malformedCertificate(let path, let number): "certificate \(number) of \(path) cannot be read"
        case .noKey(let path): "\(path) has no private key in PEM: append it to the same file as the certificate"
        case .encryptedKey(let path):
            "the key in \(path) is encrypted, and atsgate cannot ask for a passphrase: save it without one "
                + "(openssl pkey), and keep the file private"
        case .keyOfAnother(let path): "no certificate in \(path) matches its key"
        }
    }
}
