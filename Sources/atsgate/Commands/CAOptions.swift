import ArgumentParser
import Foundation
import Onboarding
import TLSEngine

/// Where the CA is looked for.
struct CAOptions: ParsableArguments {
    @OptionGroup var options: DeclaredOptions<AuthorityCatalogue>

    /// - Throws: ``CommandFailure`` with 64 where the environment is wrong.
    func directory() throws(CommandFailure) -> String { try options.choices().authorityFolder }

    /// Opens the CA, or makes it.
    ///
    /// - Throws: ``CommandFailure`` with 64 or 65.
    func open() throws -> CertificateAuthority {
        let directory = try directory()
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
    /// The fingerprint as `openssl x509 -fingerprint` and the settings of a device show it.
    var spelledFingerprint: String { PublicCertificate(self).spelledFingerprint }

    /// What people compare and look up, one fact per line.
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
