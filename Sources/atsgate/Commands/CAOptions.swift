import ArgumentParser
import Foundation
import Onboarding
import TLSEngine

/// The location of the CA.
struct CAOptions: ParsableArguments {
    @OptionGroup(title: .inFullHelp("Files")) var options: AuthorityOption

    var directory: String { options.choices.authorityFolder }

    /// Opens the CA, or creates it.
    ///
    /// - Throws: ``CommandFailure`` with 65.
    func open() throws -> CertificateAuthority {
        do throws(CertificateAuthorityError) {
            return try CertificateAuthority.openOrCreate(directory: directory, now: now)
        } catch {
            throw CommandFailure.badInput("\(error)")
        }
    }

    /// Seconds since 1970-01-01 UTC.
    var now: Int64 { Int64(Date().timeIntervalSince1970) }
}

extension CertificateAuthority {
    /// The fingerprint in the notation of `openssl x509 -fingerprint` and of a device's settings.
    var spelledFingerprint: String { PublicCertificate(self).spelledFingerprint }

    /// The facts that people compare and look up, one per line.
    var summary: String {
        let until = Date(timeIntervalSince1970: TimeInterval(notAfter)).formatted(.iso8601.year().month().day())
        return """
            name         \(commonName)
            certificate  \(certificatePath ?? "-")
            SHA-256      \(spelledFingerprint)
            valid until  \(until)

            """
    }
}

extension PublicCertificate {
    init(_ authority: CertificateAuthority) {
        self.init(
            name: authority.commonName, der: authority.certificateDER, pem: authority.certificatePEM,
            fingerprint: authority.fingerprint)
    }
}
