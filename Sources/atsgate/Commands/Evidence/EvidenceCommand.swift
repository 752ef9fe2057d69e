import ArgumentParser

/// Commands for the logs of real devices.
struct EvidenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evidence",
        abstract: "Reads what real devices logged about loads.",
        discussion: "How to get a log, and what is read from it: atsgate explain evidence.",
        subcommands: [
            EvidenceReadCommand.self, EvidenceImportCommand.self, EvidenceCompareCommand.self,
            EvidenceExportCommand.self,
        ])
}
