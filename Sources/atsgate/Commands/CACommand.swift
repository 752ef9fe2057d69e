import ArgumentParser

/// The local CA: what clients must trust to be let through.
struct CACommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca",
        abstract: "Shows, exports and renews the local CA, which is made on first use.",
        subcommands: [CAShowCommand.self, CAExportCommand.self, CARotateCommand.self])
}
