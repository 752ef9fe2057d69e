import ArgumentParser

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
