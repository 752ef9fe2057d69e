import ArgumentParser
import TLSEngine

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
