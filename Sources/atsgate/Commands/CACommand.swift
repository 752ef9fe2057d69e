import ArgumentParser

/// Commands for the local CA, which clients must trust.
struct CACommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca",
        abstract: "Shows, exports and renews the local CA.",
        discussion: "Without a subcommand, prints the CA's name, file, SHA-256 fingerprint and expiry date.",
        subcommands: [CAShowCommand.self, CAExportCommand.self, CARotateCommand.self],
        defaultSubcommand: CAShowCommand.self)
}
