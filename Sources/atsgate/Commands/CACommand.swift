import ArgumentParser

/// Commands for the local CA, which clients must trust.
struct CACommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca",
        abstract: "Shows, exports and renews the local CA.",
        subcommands: [CAShowCommand.self, CAExportCommand.self, CARotateCommand.self])
}
