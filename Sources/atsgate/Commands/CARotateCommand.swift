import ArgumentParser
import TLSEngine

/// Makes a new CA and keeps the old files beside it.
struct CARotateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Makes a new CA and puts the old one aside.",
        discussion:
            "Every client must be told to trust the new one; remove the old one from them. Restart running gates.")

    @OptionGroup var authority: CAOptions

    func run() throws {
        let directory = try authority.directory()
        let made: CertificateAuthority
        do throws(CertificateAuthorityError) {
            made = try CertificateAuthority.rotate(directory: directory, now: authority.now)
        } catch {
            throw CommandFailure.badInput("\(error)")
        }
        try Output.withOutput(to: nil) { try $0.write(Array(made.summary.utf8)) }
        StandardError.say("Install the new certificate wherever the old one is trusted, and restart running gates.")
    }
}
