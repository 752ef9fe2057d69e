/// Options for auditing an app: the store with recordings, and connections for `--probe`.
enum AuditCatalogue: OptionCatalogue {
    static let sections: [any OptionSection.Type] = [AuditSection.self, ReadingsSection.self]
    static let list = OptionList(sections)
}

private enum AuditSection: OptionSection {
    static let title = "Recordings and connections"

    static let options =
        (LawSection.options + OriginsSection.options + FilesSection.options).filter { names.contains($0.name) }
        .map { $0.name == "store" ? $0.often : $0.seldom }

    private static let names: Set = [
        "assume", "connect-to", "parent", "no-parent", "client-cert", "roots", "extra-ca", "ct-logs", "store", "config",
    ]
}
