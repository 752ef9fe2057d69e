/// Options for probing origins: the rules, connections and trust, and the decisions of the app's own code.
enum ProbeCatalogue: OptionCatalogue {
    static let sections: [any OptionSection.Type] = [ProbeSection.self, ReadingsSection.self]
    static let list = OptionList(sections)
}

/// Options of other sections that apply without a gate. The command declares `--os` itself, because it takes several.
private enum ProbeSection: OptionSection {
    static let title = "Dictionary, release and connections"

    static let options =
        (LawSection.options + OriginsSection.options + LoadsSection.options + FilesSection.options).filter {
            names.contains($0.name)
        }

    private static let names: Set = [
        "policy", "assume", "strict-roots", "connect-to", "parent", "no-parent", "client-cert", "roots", "extra-ca",
        "ct-logs", "decrypted",
        "app-overrides-trust", "app-pin", "store", "config",
    ]
}
