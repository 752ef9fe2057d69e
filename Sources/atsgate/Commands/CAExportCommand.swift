import ArgumentParser
import Onboarding
import TLSEngine

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
