/// What looks at origins: the law, how they are reached and believed, and what the app's own code has to say.
enum ProbeCatalogue: OptionCatalogue {
    static let sections: [any OptionSection.Type] = [ProbeSection.self, ReadingsSection.self]
    static let list = OptionList(sections)
}

/// What of the other sections counts without a gate. Systems are the command's own: there may be several.
private enum ProbeSection: OptionSection {
    static let title = "Dictionary, system and connections"

    static let options =
        (LawSection.options + OriginsSection.options + LoadsSection.options + FilesSection.options).filter {
            names.contains($0.name)
        }

    private static let names: Set = [
        "policy", "assume", "connect-to", "parent", "no-parent", "client-cert", "roots", "extra-ca", "ct-logs",
        "app-overrides-trust", "app-pin", "store", "config",
    ]
}
