import ArgumentParser
import Foundation
import Onboarding
import TLSEngine

/// Commands for the local CA, which clients must trust.
struct CACommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca",
        abstract: "Shows, exports and renews the local CA.",
        discussion: "Without a subcommand, prints the CA's name, file, SHA-256 fingerprint and expiry date.",
        subcommands: [CAShowCommand.self, CAExportCommand.self, CARotateCommand.self],
        defaultSubcommand: CAShowCommand.self)
}

/// Prints the CA's name, file, fingerprint and expiry date.
struct CAShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Prints the CA's name, file, SHA-256 fingerprint and expiry date.",
        shouldDisplay: false)

    @OptionGroup var authority: CAOptions

    func run() throws {
        let summary = try authority.open().summary
        try Output.withOutput(to: nil) { try $0.write(Array(summary.utf8)) }
    }
}

/// Writes the public certificate for clients to trust; the key never leaves its file.
struct CAExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes the CA's certificate, never its key.",
        discussion: """
            Simulator:  atsgate ca export --output atsgate-ca.pem && xcrun simctl keychain booted add-root-cert \
            atsgate-ca.pem
            Device:     open the gate's address in the device's browser, or send it the mobileconfig file; install the \
            profile, then enable it in Settings > General > About > Certificate Trust Settings.
            """)

    /// The output format.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case pem, der, mobileconfig
    }

    @OptionGroup var authority: CAOptions

    @Option(help: ArgumentHelp("pem for tools, der for devices, mobileconfig for Apple devices.", valueName: "format"))
    var format: Format = .pem

    @Option(help: ArgumentHelp("Write to a file instead of standard output.", valueName: "path"))
    var output: String?

    func run() throws {
        let authority = try authority.open()
        let bytes =
            switch format {
            case .pem: Array(authority.certificatePEM.utf8)
            case .der: authority.certificateDER
            case .mobileconfig: Array(ConfigurationProfile(PublicCertificate(authority)).text.utf8)
            }
        try Output.withOutput(to: output, mode: 0o644) { try $0.write(bytes) }
    }
}

/// Creates a new CA and keeps the old files next to it.
struct CARotateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Creates a new CA and keeps the old one as a backup.",
        discussion:
            "Install the new certificate on every client and remove the old one there. Restart running gates.")

    @OptionGroup var authority: CAOptions

    @Flag(help: "Do not ask, also on a terminal.")
    var yes = false

    func run() throws {
        try Confirmation.require("Create a new CA, which every client must then trust again?", isGiven: yes)
        let directory = authority.directory
        let made: CertificateAuthority
        do throws(CertificateAuthorityError) {
            made = try CertificateAuthority.rotate(directory: directory, now: authority.now)
        } catch {
            throw CommandFailure.badInput("\(error)")
        }
        try Output.withOutput(to: nil) { try $0.write(Array(made.summary.utf8)) }
        StandardError.writeLine(
            "Install the new certificate wherever the old one is trusted, and restart running gates.")
    }
}

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
